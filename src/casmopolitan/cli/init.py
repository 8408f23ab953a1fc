"""`casmopolitan init` and `casmopolitan problems`: an example study file, and the benchmark problems."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

import typer

from casmopolitan.cli.options import DEFAULT_FILE, FAILED, USAGE, Json, console, emit, handled, say


def init(
    study: Annotated[Path, typer.Argument(metavar="STUDY", help="The file to write.")] = DEFAULT_FILE,
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON schema of a study file instead.")] = False,
    json: Json = False,
) -> None:
    """Write a commented example of a study file, with a small program to optimise, and the schema for editors."""
    with handled():
        from json import dumps

        from casmopolitan.study.file.schema import schema as made

        if schema:
            emit(made())
            return
        folder = files("casmopolitan.cli") / "templates"
        if study.suffix != ".toml":
            say(f"casmopolitan: {study} should end in .toml; the example is TOML")
            raise typer.Exit(USAGE)
        wanted = {
            study: (folder / "study.toml").read_text("utf-8").replace("study.schema.json", f"{study.stem}.schema.json"),
            study.with_name("cake.py"): (folder / "cake.py").read_text("utf-8"),
            study.with_name(f"{study.stem}.schema.json"): dumps(made(), indent=2) + "\n",
        }
        if study.exists():
            say(f"casmopolitan: {study} exists; it is left as it is. Give another name")
            raise typer.Exit(FAILED)
        new = [path for path in wanted if not path.exists()]
        for path in new:
            path.write_text(wanted[path], "utf-8")
        if json:
            emit({"wrote": [str(path) for path in new]})
        else:
            print("\n".join([*(f"wrote {path}" for path in new), f"next: casmopolitan run {study}"]))


def problems(
    name: Annotated[str | None, typer.Argument(help="One problem, in detail.")] = None,
    json: Json = False,
) -> None:
    """The benchmark problems that come with the library, or one of them in detail."""
    with handled():
        from casmopolitan import problems as shelf
        from casmopolitan.cli.live import print_pairs

        if name is None:
            emit(shelf.names()) if json else print("\n".join(shelf.names()))
            return
        one = shelf.get(name)
        kinds = {kind: sum(type(v).__name__ == kind for v in one.space.variables.values()) for kind in _KINDS}
        optimum = None if one.optimum is None else one.optimum.value
        data: dict[str, Any] = {
            "name": one.name,
            "direction": one.direction,
            "variables": {kind.lower(): count for kind, count in kinds.items() if count},
            "size": one.space.size if isinstance(one.space.size, int) else None,
            "optimum": optimum,
            "noise": one.noise,
            "source": one.source,
        }
        if json:
            emit(data)
        else:
            said = {**data, "variables": ", ".join(f"{n} {kind}" for kind, n in data["variables"].items())}
            print_pairs(console(), [(key, value) for key, value in said.items() if value is not None])


_KINDS = ("Categorical", "Ordinal", "Integer", "Real")
