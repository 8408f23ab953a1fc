"""Commands to start with: init and problems."""

from __future__ import annotations

from collections import Counter
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

import typer

from casmopolitan.cli.options import DEFAULT_FILE, FAILED, USAGE, Json, console, emit, exit_codes, say


def init(
    study: Annotated[Path, typer.Argument(metavar="STUDY", help="The file to write.")] = DEFAULT_FILE,
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON schema of a study file instead.")] = False,
    json: Json = False,
) -> None:
    """Write an example of a study file with comments, a small program to optimise, and a JSON schema for editors."""
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
        wanted = {
            study: (folder / "study.toml").read_text("utf-8").replace("study.schema.json", f"{study.stem}.schema.json"),
            study.with_name("cake.py"): (folder / "cake.py").read_text("utf-8"),
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
            print("\n".join([*(f"wrote {path}" for path in new), f"next: casmopolitan run {study}"]))


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
