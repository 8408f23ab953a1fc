"""Commands to start with: init and problems."""

from __future__ import annotations

from collections import Counter
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

import typer

from casmopolitan.cli.options import DEFAULT_FILE, FAILED, USAGE, Json, console, emit, exit_codes, say, study_argument


def init(
    study: Annotated[Path, typer.Argument(metavar="STUDY", help="The file to write.")] = DEFAULT_FILE,
    lab: Annotated[bool, typer.Option("--lab", help="An example of experiments that are run by hand.")] = False,
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON schema of a study file instead.")] = False,
    json: Json = False,
) -> None:
    """Write an example of a study file with comments, a program to optimise or past results, and a JSON schema for editors."""
    with exit_codes():
        from json import dumps

        from casmopolitan.study.file.schema import schema as made

        if schema:
            emit(made())
            return
        folder = files("casmopolitan.cli") / "templates"
        if study.suffix != ".toml":
            say(f"casmopolitan: {study} is not a .toml file; give a name that ends in .toml")
            raise typer.Exit(USAGE)
        example, beside = ("lab.toml", "past.csv") if lab else ("study.toml", "cake.py")
        wanted = {
            study: (folder / example).read_text("utf-8").replace("study.schema.json", f"{study.stem}.schema.json"),
            study.with_name(beside): (folder / beside).read_text("utf-8"),
            study.with_name(f"{study.stem}.schema.json"): dumps(made(), indent=2) + "\n",
        }
        if study.exists():
            say(f"casmopolitan: {study} exists and was not changed; give another name")
            raise typer.Exit(FAILED)
        new = [path for path in wanted if not path.exists()]
        for path in new:
            path.write_text(wanted[path], "utf-8")
        if json:
            emit({"wrote": [str(path) for path in new]})
        else:
            print("\n".join([*(f"wrote {path}" for path in new), next_steps(study, lab)]))


def next_steps(study: Path, lab: bool) -> str:
    """Return what to do with a new study file."""
    if not lab:
        return f"next: casmopolitan run {study}"
    named = study_argument(study)
    steps = (
        (f"edit {study}", "what you vary, and what cannot be done"),
        (f"casmopolitan import{named} {study.with_name('past.csv')}", "results that you have already, if any"),
        (f"casmopolitan ask{named} -n 8 -o plan.csv", "eight experiments to fill in; -o plan.xlsx for Excel"),
        (f"casmopolitan tell{named} plan.csv", "record what is filled in, then ask again"),
        (f"casmopolitan report{named}", "one page with all that is known"),
    )
    width = max(len(step) for step, _ in steps)
    return "\n".join(["next:", *(f"  {step.ljust(width)}  {why}" for step, why in steps)])


def problems(
    name: Annotated[str | None, typer.Argument(help="The problem to describe.")] = None,
    json: Json = False,
) -> None:
    """List the benchmark problems of the library, or describe one."""
    with exit_codes():
        from casmopolitan import problems as library
        from casmopolitan.cli.table import print_pairs

        if name is None:
            emit(library.names()) if json else print("\n".join(library.names()))
            return
        one = library.get(name)
        kinds = Counter(type(variable).__name__.lower() for variable in one.space.variables.values())
        data: dict[str, Any] = {
            "name": one.name,
            "direction": one.direction,
            "variables": dict(kinds),
            "size": one.space.size if isinstance(one.space.size, int) else None,
            "optimum": None if one.optimum is None else one.optimum.value,
            "noise": one.noise,
            "source": one.source,
        }
        if json:
            emit(data)
        else:
            data["variables"] = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
            print_pairs(console(), [(key, value) for key, value in data.items() if value is not None])
