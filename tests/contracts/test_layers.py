"""The architecture as a test: imports go downhill only."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "casmopolitan"

DOWNHILL = [
    ("errors", "blas", "core.significant_digits", "files", "formatting", "scalars", "versions"),
    ("config", "core.append_only", "core.points", "core.rng", "trial", "run.progress"),
    ("core.candidates", "core.conditions"),
    ("core.domain",),
    ("core.partial", "core.past"),
    ("presets", "space", "core.kernels"),
    ("core.region",),
    ("core.front",),
    ("core.outcomes",),
    ("problems", "core.state", "data_frame", "goals", "past"),
    ("core.gp", "core.changed_space"),
    ("core.acquisition", "journal", "trial_log"),
    ("core.search",),
    ("core.ask", "core.restart"),
    ("core.extensions",),
    ("core.algorithm",),
    ("core.extensions.partial_trials",),
    ("optimizer", "run.evaluation", "run.workers"),
    ("run.result",),
    ("run.options", "analysis"),
    ("run.loop",),
    ("run", "report", "spreadsheet"),
    ("study.compat", "execution"),
    ("study.sampler",),
    ("study.storage", "plots"),
    ("study", "study.file", "study.liveness"),
    ("study.trials",),
    ("study.sampled", "study.suggestions"),
    ("study.runner", "study.report"),
    ("study.doctor",),
    ("cli",),
    ("__main__",),
]
"""Rooms from the valley up: a module imports from its own room and from rooms on lower lines, never from a neighbour."""

ONLY = {
    "presets": {"config"},
    "space": {
        "core.candidates",
        "core.conditions",
        "core.domain",
        "core.partial",
        "core.points",
        "core.significant_digits",
        "errors",
        "formatting",
        "scalars",
    },
    "problems": {"space", "errors", "formatting"},
}
"""Rooms that may import less than what lies below them."""

CORE_MAY_IMPORT = {
    "__future__",
    "collections",
    "dataclasses",
    "enum",
    "fractions",
    "functools",
    "heapq",
    "itertools",
    "math",
    "numpy",
    "scipy",
    "typing",
}
"""Nothing that prints, logs, reads a clock, opens a file or keeps a global."""

BENCHMARKS_MAY_IMPORT = ("core.domain", "core.gp", "core.kernels", "core.points", "formatting")
"""Besides the public surface: what is measured, the points it is measured on, and how text is formatted."""

MEASURED = {"shortfall.py": ("core.acquisition", "core.algorithm", "core.region", "core.search")}
"""The rooms that one benchmark measures, which it may import too."""

LEVEL = {room: level for level, rooms in enumerate(DOWNHILL) for room in rooms}


def modules() -> dict[str, Path]:
    """Every module of the package by its dotted name."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


MODULES = modules()


def imported(path: Path, name: str) -> Iterator[str]:
    """The dotted names a file imports, wherever in the file; names from a package are modules where such exist."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
                base = ".".join([*package[: len(package) - node.level + 1], *filter(None, [node.module])])
            for alias in node.names:
                module = f"{base}.{alias.name}"
                yield module if module in MODULES else base


def is_ours(name: str) -> bool:
    return name.split(".")[0] == "casmopolitan"


def room_of(name: str) -> str | None:
    """The room a module belongs to; None for the surfaces of the package and of `study`, and for the bare `core`."""
    short = name.removeprefix("casmopolitan").removeprefix(".")
    if short in ("", "core", "study"):
        return None
    for room in (short, ".".join(short.split(".")[:2]), short.split(".")[0]):
        if room in LEVEL:
            return room
    pytest.fail(f"{name} has no layer: give its room a line in DOWNHILL ({Path(__file__).name}), and say it in the design")


def climbs(name: str) -> list[str]:
    """What a module imports that does not lie below it."""
    room = room_of(name)
    if room is None:
        return [other for other in imported(MODULES[name], name) if name.endswith("core") and is_ours(other)]
    bad = []
    for other in imported(MODULES[name], name):
        if not is_ours(other):
            continue
        target = room_of(other)
        if target == room:
            continue
        below = target is not None and LEVEL[target] < LEVEL[room]
        if not below or (room in ONLY and target not in ONLY[room]):
            bad.append(f"{name} imports {other}, which is not below {room!r}")
    return bad


@pytest.mark.parametrize("name", MODULES)
def test_imports_go_downhill(name):
    assert climbs(name) == []


@pytest.mark.parametrize("name", [name for name in MODULES if name.startswith("casmopolitan.core")])
def test_the_core_imports_nothing_that_touches_the_world(name):
    outside = {other.split(".")[0] for other in imported(MODULES[name], name) if not is_ours(other)}
    assert outside <= CORE_MAY_IMPORT, f"{name} imports {sorted(outside - CORE_MAY_IMPORT)}; the core is pure"


@pytest.mark.parametrize("name", [name for name in MODULES if name.startswith("casmopolitan.core")])
def test_the_core_never_imports_the_space(name):
    assert not [other for other in imported(MODULES[name], name) if other.startswith("casmopolitan.space")]


def test_no_import_cycle():
    graph = {name: {o for o in imported(path, name) if o in MODULES and o != name} for name, path in MODULES.items()}
    while leaves := [name for name, needs in graph.items() if not needs & graph.keys()]:
        for name in leaves:
            del graph[name]
    assert not graph, f"these modules import each other in a circle, or import such a circle: {sorted(graph)}"


def test_examples_use_the_public_surface_only():
    public = {"casmopolitan", "casmopolitan.study", "casmopolitan.plots", "casmopolitan.problems"}
    for path in sorted((ROOT / "examples").rglob("*.py")):
        assert {name for name in imported(path, path.stem) if is_ours(name)} <= public, path.name


def test_benchmarks_use_the_public_surface_kernels_gaussian_process_and_what_they_measure_only():
    public = {"casmopolitan", "casmopolitan.study", "casmopolitan.plots", "casmopolitan.problems"}
    for path in sorted((ROOT / "benchmarks").rglob("*.py")):
        rooms = (*BENCHMARKS_MAY_IMPORT, *MEASURED.get(path.name, ()))
        for name in filter(is_ours, imported(path, path.stem)):
            assert name in public or room_of(name) in rooms, f"{path.name} imports {name}"


def test_commands_do_not_borrow_from_each_other():
    commands = {f"casmopolitan.cli.{name}" for name in ("export", "init", "inspect", "maintenance", "manual", "run")}
    for name in sorted(commands):
        assert commands.isdisjoint(set(imported(MODULES[name], name)) - {name}), f"{name} imports another command"


def test_only_plots_draws_with_matplotlib_and_no_study_needs_it():
    for name, path in MODULES.items():
        if name.startswith(("casmopolitan.study", "casmopolitan.cli", "casmopolitan.analysis")):
            found = {other for other in imported(path, name) if other.startswith(("casmopolitan.plots", "matplotlib"))}
            assert not found, f"{name} imports {sorted(found)}"


def test_a_climb_would_be_seen(tmp_path, monkeypatch):
    uphill = tmp_path / "points.py"
    uphill.write_text("from casmopolitan.space import Space\nimport casmopolitan.core.gp.fit\nfrom ..errors import DataError\n")
    monkeypatch.setitem(MODULES, "casmopolitan.core.points", uphill)
    assert len(climbs("casmopolitan.core.points")) == 2


def test_a_module_without_a_layer_would_be_seen():
    with pytest.raises(pytest.fail.Exception, match="has no layer"):
        room_of("casmopolitan.helpers")
