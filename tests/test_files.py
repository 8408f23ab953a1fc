import os
import stat

import pytest

from casmopolitan.files import write_atomically


def test_writing_replaces_the_file_whole(tmp_path):
    target = tmp_path / "saved.json"
    write_atomically("old", target)
    write_atomically("new", str(target))
    assert target.read_text() == "new"
    assert os.listdir(tmp_path) == ["saved.json"]
    assert target.stat().st_mode & stat.S_IRUSR


@pytest.mark.parametrize("fault", [OSError("disk full"), KeyboardInterrupt()])
@pytest.mark.parametrize("where", ["replace", "fsync"])
def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch, fault, where):
    target = tmp_path / "saved.json"
    write_atomically("old", target)

    def failing(*_):
        raise fault

    monkeypatch.setattr(os, where, failing)
    with pytest.raises(type(fault)):
        write_atomically("new", target)
    monkeypatch.undo()
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["saved.json"]


def test_a_file_keeps_its_readers_and_a_new_one_follows_the_umask(tmp_path):
    target, link = tmp_path / "record.json", tmp_path / "link.json"
    before = os.umask(0o027)
    try:
        write_atomically("{}", target)
        assert stat.S_IMODE(target.stat().st_mode) == 0o640
        target.chmod(0o664)
        link.symlink_to(target)
        write_atomically("[]", link)
    finally:
        os.umask(before)
    assert link.is_symlink()
    assert target.read_text() == "[]"
    assert stat.S_IMODE(target.stat().st_mode) == 0o664
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.json", "record.json"]


def test_a_pipe_is_written_to_and_not_replaced(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_atomically("words", pipe)
    assert os.read(reader, 100) == b"words"
    os.close(reader)
    assert pipe.is_fifo()
