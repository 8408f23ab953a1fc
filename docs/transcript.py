"""Make docs/transcript.md: run a terminal session and record its output.

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
    ("Start from an example and check it.", ["casmopolitan init", "casmopolitan doctor study.toml"]),
    (
        "Run it. In a terminal there is a live view; otherwise one line per trial.",
        ["casmopolitan run study.toml --budget 12 --parallel 2", "casmopolitan status study.toml"],
    ),
    ("The same command resumes.", ["casmopolitan run study.toml --budget 15"]),
    (
        "Look at the best trials, and at the failed ones.",
        [
            "casmopolitan best study.toml --top 3",
            "casmopolitan trials study.toml --state failed",
        ],
    ),
    (
        "Experiments by hand: reserve, tell, cancel.",
        [
            "casmopolitan ask study.toml -n 2",
            "casmopolitan tell --trial 15 --value 7.5",
            "casmopolitan cancel 16",
            "casmopolitan tell --trial 15 --value 8",
        ],
    ),
    (
        "An invalid study file: every problem is listed, with a fix.",
        ["casmopolitan run broken.toml"],
    ),
    (
        "A space that differs from the recorded one stops the run.",
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


def execute(arguments: list[str], folder: Path) -> tuple[str, int]:
    """Run a command in a folder; return its output and its exit code."""
    environment = {**os.environ, "COLUMNS": "110", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-m", *arguments],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.stdout, done.returncode


def run_command(line: str, folder: Path) -> str:
    """Run a command and return it with its output, as a terminal shows them."""
    stdout, code = execute(shlex.split(line), folder)
    output = re.sub(r"[ \t]+$", "", stdout.replace(str(folder.resolve()), "/home/you"), flags=re.MULTILINE).rstrip()
    lines = output.splitlines()
    if len(lines) > 24:
        lines = [*lines[:6], "...", *lines[-14:]]
    ended = [f"(exit code {code})"] if code else []
    return "\n".join([f"$ {line}", *lines, *ended])


def transcript() -> str:
    """Run the whole session and return it as Markdown."""
    parts = ["# A terminal session\n", "Made by `python docs/transcript.py`; the tests run it.\n"]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "broken.toml").write_text(BROKEN, "utf-8")
        for about, lines in SESSION:
            if "changed.toml" in lines[0]:
                text = (folder / "study.toml").read_text("utf-8")
                (folder / "changed.toml").write_text(text.replace('"rye", "almond"]', '"rye", "oat"]').replace("almond", "oat"))
            shown = "\n\n".join(run_command(line, folder) for line in lines)
            parts.append(f"{about}\n\n```text\n{shown}\n```\n")
    return "\n".join(parts)


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("transcript.md")
    target.write_text(transcript(), "utf-8")
    print(target)
