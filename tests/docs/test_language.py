"""The prose is plain English: phrases that readers stumble over do not occur in code, docs or examples."""

from __future__ import annotations

import io
import re
import tokenize
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

MARKS = {
    "anew": r"\banew\b",
    "beforehand": r"\bbeforehand\b",
    "in vain": r"\bin vain\b",
    "meanwhile": r"\bmeanwhile\b",
    "foretold": r"\bforetold\b",
    "reckon": r"\breckon",
    "is no <noun>": r"(?<!there )\b(?:is|are|was|were) no (?!(?:longer|more|less|worse|better|different|such|one)\b)[a-z]+\b",
    "say, for example": r", say\b[,;:)]?(?! (?:so|that|why|what|how|which)\b)",
    "go on with": r"\b(?:go|goes|going|went|gone) on with\b",
    "in words": r"\bin words\b",
    "way out": r"\bway out\b",
    "per": r"\b(?:limits|seconds|rates?|values?|evaluations|trials|points|rows?|lines?) a "
    r"(?:trial|variable|suggestion|row|run|batch)\b",
    "one per": r"\bone \w+ an? (?:trial|variable|row|point|level|group)\b",
    "what came of": r"\bwhat (?:came|comes) of\b",
    "begun": r"\bbegun\b",
    "mend": r"\bmend(?:s|ed|ing)?\b",
    "people": r"\bpeople\b",
    "picture": r"\bpictures?\b",
    "believed": r"\bbelieve[sd]?\b",
    "at work": r"\bat work\b",
}
"""What to avoid, by name. CONTRIBUTING.md and docs/glossary.md have the plain terms."""

ALLOWED = {
    ("src/casmopolitan/study/trials/open.py", "begun"): "the key of an attribute in databases",
}
"""(file, phrase) -> why it may stay."""


def files():
    """Every file with prose for readers; the lab notes are a log and stay as they were written."""
    yield from (ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "mkdocs.yml"))
    yield from (path for path in sorted((ROOT / "docs").glob("*.md")) if path.name != "lab-notes.md")
    for folder, kinds in (("src", (".py", ".toml", ".html", ".css")), ("docs", (".py",)), ("examples", (".py", ".toml"))):
        yield from (path for path in sorted((ROOT / folder).rglob("*")) if path.suffix in kinds)


def prose(path):
    """The text that readers see: of Python files the strings and comments, of others all of it; line breaks are blanks."""
    text = path.read_text("utf-8")
    return re.sub(r"\s+", " ", " ".join(pieces(text)) if path.suffix == ".py" else text)


def pieces(source):
    """The strings and comments of Python code, with a bar between those that do not follow each other directly."""
    last = ""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        kind = tokenize.tok_name[token.type]
        if kind in ("STRING", "FSTRING_MIDDLE", "COMMENT"):
            yield "" if kind == last else "|"
            yield re.sub(r"^\w{0,2}[\"']+|[\"']+$|^#", "", token.string)
        if kind != "NL":
            last = kind


def found(path):
    """Every phrase to avoid in a file, with its name."""
    name = path.relative_to(ROOT).as_posix()
    text = prose(path)
    for mark, pattern in MARKS.items():
        hits = (hit[0] for hit in re.finditer(pattern, text, flags=re.IGNORECASE))
        yield from (f"{mark}: {phrase!r}" for phrase in hits if (name, phrase) not in ALLOWED)


FILES = {path.relative_to(ROOT).as_posix(): path for path in files()}


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_in_plain_english(name):
    assert list(found(FILES[name])) == []


def test_every_exception_is_needed():
    for name, phrase in ALLOWED:
        assert phrase in prose(FILES[name]), f"{name} no longer has {phrase!r}"
