"""Fail unless a release's tag is "v" and the version in pyproject.toml:  python packaging/check_tag.py v0.1.0."""

import sys
import tomllib
from pathlib import Path


def main(tag: str) -> None:
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))
    version = project["project"]["version"]
    if tag != f"v{version}":
        raise SystemExit(f"The tag is {tag!r}, but the version in pyproject.toml is {version}: tag the release v{version}.")


if __name__ == "__main__":
    main(sys.argv[1])
