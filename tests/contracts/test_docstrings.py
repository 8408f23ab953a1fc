"""Public functions and methods explain every argument and what they return, in Google style."""

from __future__ import annotations

import ast
import inspect
import itertools
import re
from collections.abc import Iterator
from importlib import import_module

import pytest

MODULES = ("casmopolitan", "casmopolitan.plots", "casmopolitan.problems", "casmopolitan.study")
"""Modules whose public names are held to it."""


def public_callables() -> Iterator[tuple[str, object]]:
    """Every public function, class with a constructor, and public method, by its dotted name."""
    for module_name in MODULES:
        module = import_module(module_name)
        for name in module.__all__:
            thing = getattr(module, name)
            if inspect.isfunction(thing):
                yield f"{module_name}.{name}", thing
            elif inspect.isclass(thing):
                yield f"{module_name}.{name}", thing
                for method_name, method in inspect.getmembers(thing, lambda it: inspect.isfunction(it) or inspect.ismethod(it)):
                    if not method_name.startswith("_") and not is_foreign(thing, method_name):
                        yield f"{module_name}.{name}.{method_name}", method


def is_foreign(kind: type, method: str) -> bool:
    """Whether another package declares the method, which is then explained there: Optuna's samplers, Python's exceptions."""
    return any(method in vars(base) for base in kind.__mro__ if not base.__module__.startswith("casmopolitan"))


CALLABLES = dict(public_callables())


def section(doc: str, title: str) -> str:
    """The indented text under a title such as `Args:`."""
    found = re.search(rf"^{title}:\n((?:[ ]+.*\n?|\n)+)", doc, flags=re.MULTILINE)
    return found[1] if found else ""


def explained(thing: object) -> str:
    """The docstring; of a class, with that of its constructor, and the fields that have one of their own."""
    doc = inspect.getdoc(thing) or ""
    if not inspect.isclass(thing):
        return doc
    constructor = vars(thing).get("__init__")
    own = inspect.cleandoc(constructor.__doc__) if constructor and constructor.__doc__ else ""
    return f"{doc}\n\n{own}"


def documented_fields(kind: type) -> set[str]:
    """Fields of a dataclass with a docstring under them."""
    body = ast.parse(inspect.getsource(kind)).body[0].body
    return {
        field.target.id
        for field, text in itertools.pairwise(body)
        if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant)
    }


def parameters(thing: object) -> list[str]:
    if inspect.isclass(thing) and "__init__" not in vars(thing):
        return []  # inherited, and explained there
    found = inspect.signature(thing).parameters.values()
    return [f"{'*' * (p.kind is p.VAR_POSITIONAL) or '**' * (p.kind is p.VAR_KEYWORD)}{p.name}" for p in found]


@pytest.mark.parametrize("name", CALLABLES)
def test_every_argument_is_explained(name):
    thing = CALLABLES[name]
    wanted = [parameter for parameter in parameters(thing) if parameter != "self"]
    listed = set(re.findall(r"^    (\*{0,2}\w+):", section(explained(thing), "Args"), flags=re.MULTILINE))
    if inspect.isclass(thing):
        listed |= documented_fields(thing)
    assert set(wanted) <= listed, f"{name} does not explain {sorted(set(wanted) - listed)} under Args"


@pytest.mark.parametrize("name", [name for name, thing in CALLABLES.items() if not inspect.isclass(thing)])
def test_what_is_returned_is_explained(name):
    returned = inspect.signature(CALLABLES[name]).return_annotation
    if returned not in (None, "None"):
        assert section(explained(CALLABLES[name]), "Returns"), f"{name} has no Returns"


@pytest.mark.parametrize("name", CALLABLES)
def test_the_first_line_is_one_sentence(name):
    first, *rest = explained(CALLABLES[name]).strip().splitlines()
    assert first
    assert not rest or not rest[0].strip(), f"{name}: a blank line follows the first"
