"""Writing files so that a crash never leaves a partial file."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from pathlib import Path


def write_atomically(content: str | bytes, path: str | os.PathLike[str]) -> None:
    """Write all of a text or of bytes, or nothing: to a temporary file beside the target, flushed to disk, then renamed.

    An existing file keeps its permissions, and a symbolic link stays one.
    """
    data = content.encode() if isinstance(content, str) else content
    named, target = Path(path), Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if named.exists() and not named.is_file():  # a pipe or a device cannot be replaced
        named.write_bytes(data)
        return
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}")
    try:
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            with contextlib.suppress(OSError):  # some network file systems have no permissions
                temporary.chmod(stat.S_IMODE(target.stat().st_mode))
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
