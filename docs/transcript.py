"""Make docs/transcript.md again: a session in a terminal, every line of it really typed and really answered.

python docs/transcript.py [FILE]
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

SESSION = (
    ("Begin with an example, and look at what it says.", ["casmopolitan init", "casmopolitan doctor study.toml"]),
    (
        "Run it. Without a terminal there is a line a trial; in one, a live view.",
        ["casmopolitan run study.toml --budget 12 --parallel 2", "casmopolitan status study.toml"],
    ),
    ("The same command goes on where it stopped.", ["casmopolitan run study.toml --budget 15"]),
    (
        "What was found, what failed, and why.",
        [
            "casmopolitan best study.toml --top 3",
            "casmopolitan trials study.toml --state failed",
        ],
    ),
    (
        "Trials for people: reserved, told, given back.",
        [
            "casmopolitan ask study.toml -n 2",
            "casmopolitan tell --trial 15 --value 7.5",
            "casmopolitan cancel 16",
            "casmopolitan tell --trial 15 --value 8",
        ],
    ),
    (
        "Every mistake at once, with the way out.",
        ["casmopolitan run broken.toml"],
    ),
    (
        "A space that has changed since the study was begun stops the run.",
        ["casmopolitan run changed.toml"],
    ),
)
BROKEN = """name = "broken"
budget = "many"
[variables.flour]
type = "categorical"
choices = ["wheat", "wheat"]
[variables.minutes]
type = "real"
low = 70
high = 20
[objective]
command = ["bake {flour}"]
"""


def typed(line: str, folder: Path) -> str:
    """A command and its answer, as a terminal shows them."""
    words = shlex.split(line)
    environment = {**os.environ, "COLUMNS": "110", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-m", *words],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    answer = re.sub(r"[ \t]+$", "", done.stdout.replace(str(folder.resolve()), "/home/you"), flags=re.MULTILINE).rstrip()
    lines = answer.splitlines()
    if len(lines) > 24:
        lines = [*lines[:6], "...", *lines[-14:]]
    ended = [f"(exit code {done.returncode})"] if done.returncode else []
    return "\n".join([f"$ {line}", *lines, *ended])


def transcript() -> str:
    """The whole session as Markdown."""
    parts = ["# A session in a terminal\n", "Made by `python docs/transcript.py`; the tests run it.\n"]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "broken.toml").write_text(BROKEN, "utf-8")
        for about, lines in SESSION:
            if "changed.toml" in lines[0]:
                text = (folder / "study.toml").read_text("utf-8")
                (folder / "changed.toml").write_text(text.replace('"rye", "almond"]', '"rye", "oat"]').replace("almond", "oat"))
            shown = "\n\n".join(typed(line, folder) for line in lines)
            parts.append(f"{about}\n\n```text\n{shown}\n```\n")
    return "\n".join(parts)


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("transcript.md")
    target.write_text(transcript(), "utf-8")
    print(target)
