"""The shape of the code in numbers: `python tests/contracts/shape.py [--reads]` prints one table, in Markdown.

`--reads` also runs a small study and counts how often all its trials are read.
"""

from __future__ import annotations

import ast
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "casmopolitan"

READS = """
import sys
from optuna.storages._cached_storage import _CachedStorage
count, filtered, plain = 0, 0, _CachedStorage.get_all_trials
def counted(self, *args, **kwargs):
    global count, filtered
    count += kwargs.get("states") is None
    filtered += kwargs.get("states") is not None
    return plain(self, *args, **kwargs)
_CachedStorage.get_all_trials = counted
sys.argv = ["casmopolitan", "run", "study.toml"]
from casmopolitan.cli import main
try:
    main()
finally:
    print("reads", count, filtered, file=sys.__stdout__)
"""
TRIALS = 13
STUDY = f"""
name = "reads"
budget = {TRIALS}
storage = "sqlite:///reads.db"
seed = 0
[objective]
function = "objective:run"
[variables]
a = {{ type = "categorical", choices = ["x", "y", "z"] }}
b = {{ type = "real", low = 0.0, high = 1.0 }}
"""


def sources() -> dict[str, Path]:
    """Every module of the package by its dotted name."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def imports(path: Path, known: dict[str, Path]) -> set[str]:
    """The modules of the package that a file imports when it is loaded, or later."""
    found = set()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            for alias in node.names:
                module = f"{node.module}.{alias.name}"
                found.add(module if module in known else str(node.module))
    return {name for name in found if name in known}


def longest_chain(known: dict[str, Path]) -> int:
    """The number of modules in the longest chain of imports; the surfaces (`__init__`) of packages do not count."""
    graph = {
        name: {other for other in imports(path, known) if known[other].name != "__init__.py" and other != name}
        for name, path in known.items()
        if path.name != "__init__.py"
    }

    @cache
    def depth(name: str) -> int:
        return 1 + max((depth(other) for other in graph[name]), default=0)

    return max(map(depth, graph))


def functions(path: Path) -> Iterator[int]:
    """The lines of each function of a file."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield (node.end_lineno or node.lineno) - node.lineno + 1


def mirrored(known: dict[str, Path]) -> tuple[int, int, list[str]]:
    """How many modules have a test of the same name in the same folder of tests, of how many; and those without."""
    plain = {name: path for name, path in known.items() if path.name not in ("__init__.py", "__main__.py")}
    missing = []
    for name, path in plain.items():
        twin = ROOT / "tests" / path.relative_to(PACKAGE).with_name(f"test_{path.name}")
        if "templates" not in path.parts and not twin.exists():
            missing.append(name.removeprefix("casmopolitan."))
    return len(plain) - len(missing), len(plain), missing


def private_uses(known: dict[str, Path]) -> Counter[str]:
    """How often each module of the study layer uses a private name of Optuna."""
    study = {name: path for name, path in known.items() if ".study" in name or ".cli" in name}
    own = {"_asdict", "_replace", "_exit"}  # of named tuples and of `os`, public in spite of their names
    compat = known["casmopolitan.study.compat"]
    for path in set(known.values()) - {compat}:
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                own.add(node.name)
            elif isinstance(node, ast.Attribute | ast.Name) and isinstance(node.ctx, ast.Store):
                own.add(node.attr if isinstance(node, ast.Attribute) else node.id)
    optunas = {node.attr for node in ast.walk(tree(compat)) if isinstance(node, ast.Attribute)}
    found: Counter[str] = Counter()
    for name, path in study.items():
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("optuna"):
                private = any(part.startswith("_") for part in str(node.module).split("."))
                found[name] += sum(private or alias.name.startswith("_") for alias in node.names)
            elif isinstance(node, ast.Attribute):
                of_self = isinstance(node.value, ast.Name) and node.value.id == "self"
                found[name] += is_private(node.attr) and node.attr not in (own if of_self else own - optunas)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                found[name] += is_private(node.value) and node.value not in own
    return +found


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name.isidentifier() and name != "_"


def quantile(values: list[int], q: float) -> int:
    return sorted(values)[min(len(values) - 1, round(q * (len(values) - 1)))]


def reads_per_trial() -> tuple[float, float]:
    """Full reads of the trials while a study of a few trials runs, and Optuna's reads of waiting ones, per trial."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "study.toml").write_text(STUDY, encoding="utf-8")
        Path(folder, "objective.py").write_text("def run(configuration):\n    return configuration['b']\n", encoding="utf-8")
        done = subprocess.run([sys.executable, "-c", READS], cwd=folder, capture_output=True, text=True, check=True)
    line = next(line for line in done.stdout.splitlines() if line.startswith("reads"))
    full, filtered = map(int, line.split()[1:])
    return full / TRIALS, filtered / TRIALS


def rows() -> Iterator[tuple[str, str]]:
    """The table, row by row."""
    known = sources()
    lines = {name: len(path.read_text(encoding="utf-8").splitlines()) for name, path in known.items()}
    lengths = list(lines.values())
    bodies = [length for path in known.values() for length in functions(path)]
    have, of, missing = mirrored(known)
    shell = sum(count for name, count in lines.items() if name.startswith(("casmopolitan.study", "casmopolitan.cli")))
    folders = Counter(path.parent for path in known.values() if path.name != "__init__.py")
    fullest = max((folder for folder in folders if folder.name != "problems"), key=lambda folder: folders[folder])
    private = private_uses(known)
    yield "files / lines", f"{len(known)} / {sum(lengths)}"
    yield "lines per file: median / p95 / longest", f"{quantile(lengths, 0.5)} / {quantile(lengths, 0.95)} / {max(lengths)}"
    yield "lines per function: median / p95 / longest", f"{quantile(bodies, 0.5)} / {quantile(bodies, 0.95)} / {max(bodies)}"
    yield "longest chain of imports", str(longest_chain(known))
    yield "modules in the fullest folder", f"{folders[fullest]} ({fullest.relative_to(PACKAGE)})"
    yield "mirrored tests", f"{have / of:.2f} ({of - have} of {of} without: {', '.join(missing) or 'none'})"
    yield "lines of study + cli", str(shell)
    yield "uses of Optuna's private names", f"{sum(private.values())} in {len(private)} modules: {', '.join(private) or 'none'}"
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    yield "README: lines / words", f"{len(readme.splitlines())} / {len(readme.split())}"
    if "--reads" in sys.argv:
        full, filtered = reads_per_trial()
        yield "full reads of all trials per trial", f"{full:.1f} (and {filtered:.1f} of the waiting ones, by Optuna)"


if __name__ == "__main__":
    print("| what | figure |\n| --- | --- |")
    for what, figure in rows():
        print(f"| {what} | {figure} |", flush=True)
