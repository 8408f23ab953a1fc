"""Reading a study file: TOML or YAML as plain data, then everything wrong with it in one list."""

from __future__ import annotations

import math
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from casmopolitan.config import Config
from casmopolitan.errors import CasmopolitanError, ConfigError, MissingExtraError, SpaceError
from casmopolitan.formatting import did_you_mean, short_repr
from casmopolitan.space import Space
from casmopolitan.study.file.schema import PRESETS, RESERVED, ObjectiveSpec, Spec, made_space
from casmopolitan.study.sampler.search_space import distributions_of
from casmopolitan.study.storage.url import in_memory

LARGEST = 20_000_000
"""Bytes of a study file beyond which it is refused unread."""

PLACEHOLDER = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")


class SpecError(CasmopolitanError, ValueError):
    """A study file cannot be used; `problems` lists everything found at once, each with its path in the file."""

    def __init__(self, path: Path, problems: list[str]) -> None:
        self.path, self.problems = path, list(problems)
        count = "1 problem" if len(self.problems) == 1 else f"{len(self.problems)} problems"
        super().__init__("\n  ".join([f"{path}: {count}", *self.problems]))


def load(path: str | os.PathLike[str], *, whole: bool = True) -> Spec:
    """The study that a file describes; SpecError lists everything wrong with it. Nothing in the file is executed.

    `whole`: with the files and folders that it names and that only trials need.
    """
    file = Path(path)
    raw = read(file)
    parts, unsound, problems = validated(raw)
    space = _space(parts, unsound, problems)
    config = _config(parts, problems)
    problems += _cross_problems(parts, unsound, space)
    problems += _missing(parts, file.parent) if whole else []
    if problems or space is None or config is None:
        raise SpecError(file, problems)
    return Spec.model_construct(**parts).placed(file.parent.resolve(), config, space)


def read(file: Path) -> dict[str, Any]:
    """The plain data in a TOML or YAML file."""
    try:
        if file.stat().st_size > LARGEST:
            raise SpecError(file, [f"the file is larger than {LARGEST // 10**6} MB; is it a study file?"])
        text = file.read_text("utf-8")
    except OSError as error:
        hint = "; `casmopolitan init` writes an example" if isinstance(error, FileNotFoundError) else ""
        raise SpecError(file, [f"cannot be read: {error.strerror}{hint}"]) from None
    except UnicodeDecodeError as error:
        raise SpecError(file, [f"is not UTF-8 text (byte {error.start}); save it as UTF-8"]) from None
    try:
        raw: object = _yaml(text, file) if file.suffix.lower() in (".yaml", ".yml") else tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        other = "" if file.suffix.lower() == ".toml" else "; a study file is TOML, or YAML where its name ends in .yaml"
        raise SpecError(file, [f"is not TOML: {error}{other}"]) from None
    except RecursionError:
        raise SpecError(file, ["is nested too deeply"]) from None
    if not isinstance(raw, dict):
        raise SpecError(file, ["is not a table of names and values; `casmopolitan init` writes an example"])
    return raw


def _yaml(text: str, file: Path) -> object:
    """YAML without tags, aliases or repeated keys: plain data only."""
    try:
        import yaml
    except ImportError:
        raise MissingExtraError("a study file in YAML", "pyyaml", "study") from None

    wrong: list[str] = []

    def truth(loader: Any, node: Any) -> Any:
        if node.value.lower() not in ("true", "false"):
            where = f"line {node.start_mark.line + 1}"
            wrong.append(
                f"{where}: YAML takes {node.value} for true or false; write '{node.value}', in quotes, if it is a word"
            )
        return loader.construct_yaml_bool(node)

    class Loader(yaml.SafeLoader):
        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            keys = [key.value for key, _ in node.value]
            wrong.extend(
                f"line {key.start_mark.line + 1}: the name {key.value} is no text to YAML; put it in quotes"
                for key, _ in node.value
                if key.tag != "tag:yaml.org,2002:str"
            )
            wrong.extend(
                f"line {key.start_mark.line + 1}: {key.value!r} stands twice in one table; keep one"
                for i, (key, _) in enumerate(node.value)
                if key.value in keys[:i]
            )
            return super().construct_mapping(node, deep)

    Loader.add_constructor("tag:yaml.org,2002:bool", truth)
    try:
        for token in yaml.scan(text, Loader=yaml.SafeLoader):
            if isinstance(token, yaml.AliasToken):
                line = token.start_mark.line + 1
                raise SpecError(file, [f"line {line}: the alias *{token.value} is not accepted; write the value out"])
        raw = yaml.load(text, Loader=Loader)  # Loader is a SafeLoader
    except yaml.YAMLError as error:
        raise SpecError(file, [f"is not plain YAML: {' '.join(str(error).split())}"]) from None
    if wrong:
        raise SpecError(file, wrong)
    return raw


STAND_INS: dict[str, Any] = {"name": "?", "budget": 1, "variables": {}}
"""For the parts that every file must have, while the others are being checked."""


def validated(raw: Mapping[str, Any]) -> tuple[dict[str, Any], set[str], list[str]]:
    """The parts that are well formed, defaults included; the variables that are not; and everything wrong so far.

    A part that is malformed is left out, so that the laws that hold between parts can still be checked on the others.
    """
    found: list[Any] = []
    left = {name: dict(value) if isinstance(value, dict) else value for name, value in raw.items()}
    missing: set[str] = set()
    unsound: set[str] = set()
    while True:
        try:
            parts = _parts(Spec.model_validate(left))
            return {name: value for name, value in parts.items() if name not in missing}, unsound, [_said(d) for d in found]
        except ValidationError as error:
            new = error.errors(include_url=False)
        found += new
        for first, *rest in {tuple(map(str, detail["loc"][:2])) for detail in new}:
            if first in ("variables", "objective") and rest and isinstance(left.get(first), dict):
                left[first].pop(rest[0], None)
                unsound |= {rest[0]} if first == "variables" else set()
                continue
            left.pop(first, None)
            missing.add(first)
            if first in STAND_INS:
                left[first] = STAND_INS[first]


def _parts(spec: Spec) -> dict[str, Any]:
    return {name: getattr(spec, name) for name in Spec.model_fields}


def _said(detail: Any) -> str:
    """One of pydantic's findings, with its path, in our words."""
    kinds = ("categorical", "ordinal", "integer", "real", "str", "list[KnownSpec]")
    where = [str(step) for step in detail["loc"] if str(step) not in kinds and not str(step).startswith("function-")]
    path = ".".join(where)
    kind, got = detail["type"], detail["input"]
    if kind == "missing":
        return f"{path}: is missing"
    if kind == "extra_forbidden":
        near = did_you_mean(path, Spec.model_fields) if len(where) == 1 else ""
        return f"{path}: unknown; drop it.{near}"
    if kind in ("union_tag_invalid", "union_tag_not_found"):
        given = got.get("type") if isinstance(got, Mapping) else got
        known = ("categorical", "ordinal", "integer", "real")
        meant = {"int": "integer", "float": "real", "choice": "categorical", "bool": "categorical"}.get(str(given))
        near = f" Did you mean {meant!r}?" if meant else did_you_mean(given, known)
        return f"{path}.type: got {short_repr(given)}; a type is one of {', '.join(known)}.{near}"
    hint = ""
    if isinstance(got, str) and kind in ("float_type", "int_type"):
        hint = _number_hint(got)
    message = detail["msg"].removeprefix("Value error, ")
    return f"{path}: got {short_repr(got)}; {message[:1].lower()}{message[1:]}{hint}"


def _number_hint(text: str) -> str:
    try:
        number = float(text)
    except ValueError:
        return ""
    if not math.isfinite(number):
        return ""
    written = int(number) if number.is_integer() and "." not in text and "e" not in text.lower() else number
    return f". Did you mean {written!r}, without quotes? (YAML reads 1e-3 as text: write 1.0e-3)"


def _space(parts: dict[str, Any], unsound: set[str], problems: list[str]) -> Space | None:
    """The space, when variables and clauses are well formed and sound."""
    if "variables" not in parts:
        return None
    try:
        space = made_space(parts["variables"], [c for c in parts.get("forbid", []) if unsound.isdisjoint(c)])
    except SpaceError as error:
        if parts["variables"] or not unsound:  # of a space whose every variable is unsound nothing more is to be said
            problems += [f"{'forbid' if text.startswith('Forbid') else 'variables'}: {text}" for text in error.problems]
        return None
    return None if unsound else space


def _config(parts: dict[str, Any], problems: list[str]) -> Config | None:
    """Preset and settings together."""
    if "preset" not in parts or "settings" not in parts:
        return None
    given = dict(parts["settings"])
    if parts.get("noisy") is not None:
        given["noisy"] = parts["noisy"]
    try:
        return Config.from_dict({**PRESETS[parts["preset"]].to_dict(), **given})
    except ConfigError as error:
        problems += [f"settings: {text}" for text in error.problems]
        return None


def _missing(parts: Mapping[str, Any], folder: Path) -> Iterator[str]:
    """What a file names and is not there, seen from its folder."""
    known, objective = parts.get("known"), parts.get("objective")
    if isinstance(known, str) and not (folder / known).is_file():
        yield f"known: the file {known!r} does not exist in {folder}; give a CSV file, seen from the study file"
    if objective is not None and not (folder / objective.folder).is_dir():
        yield f"objective.folder: {objective.folder!r} is no folder, seen from the study file"


def _cross_problems(parts: Mapping[str, Any], unsound: set[str], space: Space | None) -> list[str]:
    """What one part says against another."""
    problems = list(_storage_problems(parts["storage"])) if "storage" in parts else []
    if parts.get("objective") is not None:
        names = {*parts["variables"], *unsound} if "variables" in parts else None
        problems += _objective_problems(parts["objective"], names)
    for name in parts.get("variables") or {}:
        if name in RESERVED or re.search(r"[{}]", name):
            problems.append(f"variables.{name}: the name is taken by a placeholder, or has braces in it; rename it")
    known = parts.get("known", [])
    if space is not None:
        try:
            distributions_of(space)
        except CasmopolitanError as error:
            problems.append(f"variables: {error}")
        for i, configuration in enumerate(parts.get("initial", [])):
            problems += [f"initial.{i}: {text}" for text in space.problems(configuration)]
        for i, entry in enumerate(known if isinstance(known, list) else []):
            problems += [f"known.{i}.configuration: {text}" for text in space.problems(entry.configuration)]
    return problems


def _storage_problems(storage: str) -> Iterator[str]:
    for name in re.findall(r"\$\{(\w+)\}", storage):
        if name not in os.environ:
            yield f"storage: the environment has no {name}; set it before you start"
    if not storage.startswith("${") and "://" not in storage:
        yield "storage: is no database URL; e.g. sqlite:///study.db or postgresql://user:${PASSWORD}@host/name"
    elif in_memory(storage):
        yield "storage: a database in memory is gone when the command ends; name a file, e.g. sqlite:///study.db"


def _objective_problems(objective: ObjectiveSpec, variables: set[str] | None) -> Iterator[str]:
    """What is wrong with the objective itself, or with the variables it names."""
    if (objective.function is None) == (objective.command is None):
        yield "objective: give either function = 'module:function' or command = ['program', ...], one of the two"
    if objective.function is not None and re.search(r"\.py:", objective.function):
        plain = objective.function.replace(".py:", ":").replace("/", ".")
        yield f"objective.function: got {objective.function!r}; a module, not a file: {plain!r}"
    elif objective.function is not None and not re.fullmatch(r"[\w.]+:[\w.]+", objective.function):
        yield f"objective.function: got {objective.function!r}; write 'module:function', e.g. 'train:score' for train.py"
    for name, value in objective.environment.items():
        if not name or "=" in name or "\0" in name + value:
            yield f"objective.environment: {name!r} is no variable's name, or its value holds a null character"
    if objective.command is None:
        return
    if not objective.command or not objective.command[0].strip():
        yield "objective.command: is empty; give the program and its arguments, each a string of its own"
        return
    if len(objective.command) == 1 and " " in objective.command[0]:
        words = ", ".join(repr(word) for word in objective.command[0].split())
        yield f"objective.command: is one string; no shell splits it. Write [{words}]"
    named = {m[1] for argument in objective.command for m in PLACEHOLDER.finditer(argument) if m[1] is not None}
    stray = [argument for argument in objective.command for m in PLACEHOLDER.finditer(argument) if m[0] in ("{", "}")]
    if stray:
        yield f"objective.command: {stray[0]!r} has a single brace; write {{{{ or }}}} for a brace that is meant"
    if variables is not None:
        for name in sorted(named - variables - set(RESERVED)):
            yield f"objective.command: {{{name}}} is no variable.{did_you_mean(name, [*variables, *RESERVED])}"
        unused = sorted(variables - named)
        if unused and objective.stdin == "nothing":
            yield (
                f"objective.command: does not get {', '.join(unused[:5])}; name each as {{{unused[0]}}}, or set stdin = 'json'"
            )
    if objective.value == "file" and "result_file" not in named:
        yield "objective.command: value = 'file' needs {result_file} among the arguments: the program writes its value there"
