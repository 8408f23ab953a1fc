"""Reading a study file, with one list of everything that is wrong with it."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from casmopolitan.config import Config
from casmopolitan.errors import CasmopolitanError, ConfigError, SpaceError
from casmopolitan.execution.objective import EVERY, PLACEHOLDER, RESERVED, names_in, without_secrets
from casmopolitan.formatting import did_you_mean, first_few, short_repr
from casmopolitan.goals import Goals
from casmopolitan.presets import DEFAULT
from casmopolitan.space import Forbid, Space
from casmopolitan.space.descriptors import kernel_problems
from casmopolitan.space.serialisation import KINDS, variables_from
from casmopolitan.space.variables import is_described
from casmopolitan.study.file.descriptions import read_descriptions
from casmopolitan.study.file.goals import outcome_problems, read_goals
from casmopolitan.study.file.messages import field_problem, in_toml, syntax_problem, variable_problem
from casmopolitan.study.file.past import read_past_studies
from casmopolitan.study.file.schema import PRESETS, ObjectiveSpec, PruningSpec, Spec, Strict, made_space
from casmopolitan.study.sampler.search_space import distributions_of
from casmopolitan.study.storage.url import KNOWN, in_memory

LARGEST = 20_000_000
"""The largest study file that is read, in bytes."""
PARTS: dict[str, type[Strict]] = {"objective": ObjectiveSpec, "pruning": PruningSpec}
"""The tables of a file that have a model of their own."""
SYNONYMS = {"int": "integer", "float": "real", "choice": "categorical", "bool": "categorical"}


class SpecError(CasmopolitanError, ValueError):
    """A study file cannot be used; `problems` lists everything wrong with it, each with its path in the file."""

    def __init__(self, path: Path, problems: list[str]) -> None:
        self.path, self.problems = path, list(problems)
        count = "1 problem" if len(self.problems) == 1 else f"{len(self.problems)} problems"
        super().__init__("\n  ".join([f"{path}: {count}", *self.problems]))


def load(path: str | os.PathLike[str], *, whole: bool = True) -> Spec:
    """Return the study that a file describes; SpecError lists everything wrong with it. Nothing in the file is executed.

    `whole` also checks that the files, folders and earlier studies exist that are needed only to run trials.
    """
    file = Path(path)
    raw = read(file)
    inner = {name: raw[name] for name in PARTS if isinstance(raw.get(name), Mapping)}
    parts, problems = read_fields(Spec, {**raw, **dict.fromkeys(inner)})
    for name, entries in inner.items():
        fields, found = read_fields(PARTS[name], entries, f"{name}.")
        parts[name] = PARTS[name].model_construct(**fields)
        problems += found
    if isinstance(parts.get("variables"), Mapping):
        parts["variables"], found = read_descriptions(parts["variables"], file.parent)
        problems += found
    unsound, found = _variable_problems(parts.get("variables", {}))
    problems += found
    if "variables" not in raw and "candidates" not in raw:
        problems.append("variables: is missing")
        parts.pop("variables", None)
    space = _space(parts, unsound, problems, file.parent)
    config = _config(parts, problems)
    if space is not None and config is not None:
        described = [name for name, variable in space.variables.items() if is_described(variable)]
        problems += [f"settings: {text}" for text in kernel_problems(described, config.kernel)]
    goals = read_goals(parts, raw, config, problems)
    problems += _cross_problems(parts, space, goals)
    past, found = read_past_studies(parts, space, goals, file.parent)
    problems += found if whole else []
    problems += _missing(parts, file.parent) if whole else []
    if problems or space is None or config is None:
        raise SpecError(file, list(map(in_toml, problems)))
    return Spec.model_construct(**parts).placed(file.parent.resolve(), config, space, past)


def read(file: Path) -> dict[str, Any]:
    """Return the plain data of a TOML file."""
    if file.suffix.lower() in (".yaml", ".yml"):
        raise SpecError(file, ["study files are TOML, not YAML; write the same keys in TOML. `casmopolitan init` shows how"])
    try:
        if file.stat().st_size > LARGEST:
            raise SpecError(file, [f"the file is larger than {LARGEST // 10**6} MB; is it a study file?"])
        text = file.read_text("utf-8")
        return tomllib.loads(text)
    except OSError as error:
        hint = "; `casmopolitan init` writes an example" if isinstance(error, FileNotFoundError) else ""
        raise SpecError(file, [f"cannot be read: {error.strerror}{hint}"]) from None
    except UnicodeDecodeError as error:
        raise SpecError(file, [f"is not UTF-8 text (byte {error.start}); save it as UTF-8"]) from None
    except tomllib.TOMLDecodeError as error:
        raise SpecError(file, [syntax_problem(text, error)]) from None
    except RecursionError:
        raise SpecError(file, ["is nested too deeply"]) from None


def read_fields(model: type[Strict], raw: Mapping[str, Any], path: str = "") -> tuple[dict[str, Any], list[str]]:
    """Validate each field of a model on its own; return the valid ones, defaults included, and all problems.

    The valid fields of a broken file are needed for checks between fields, so that all problems are listed at once.
    """
    fields = model.model_fields
    parts: dict[str, Any] = {}
    problems = [f"{path}{name}: unknown; remove it.{did_you_mean(name, fields)}" for name in raw if name not in fields]
    for name, field in fields.items():
        if name not in raw:
            if field.is_required():
                problems.append(f"{path}{name}: is missing")
            else:
                parts[name] = field.get_default(call_default_factory=True)
            continue
        try:
            parts[name] = _adapter(field).validate_python(raw[name], strict=True)
        except ValidationError as error:
            details = error.errors(include_url=False)
            if isinstance(raw[name], list | Mapping):  # of a field that may also be a text, only the other problems are meant
                details = [detail for detail in details if detail["type"] != "string_type" or detail["loc"] != ("str",)]
            problems += [field_problem(f"{path}{name}", detail, field.description) for detail in details]
    return parts, problems


def _adapter(field: FieldInfo) -> TypeAdapter[Any]:
    annotation: Any = field.annotation
    return TypeAdapter(Annotated[annotation, *field.metadata] if field.metadata else annotation)


def _variable_problems(variables: Mapping[str, Any]) -> tuple[set[str], list[str]]:
    """Return the names of malformed variables, and what is wrong with them."""
    unsound: set[str] = set()
    problems: list[str] = []
    for name, entry in variables.items():
        if not isinstance(entry, Mapping) or not isinstance(entry.get("type"), str) or entry["type"] not in KINDS:
            given = entry.get("type") if isinstance(entry, Mapping) else entry
            meant = SYNONYMS.get(str(given))
            near = f" Did you mean {meant!r}?" if meant else did_you_mean(given, KINDS)
            what = "is missing" if isinstance(entry, Mapping) and "type" not in entry else f"got {short_repr(given)}"
            found = [f"variables.{name}.type: {what}; a type is one of {', '.join(KINDS)}.{near}"]
        elif "name" in entry:
            found = [f"variables.{name}.name: unknown; remove it"]
        else:
            try:
                variables_from({"variables": [{"name": name, **entry}]})
                continue
            except SpaceError as error:
                texts = [variable_problem(name, text, entry, Spec.model_fields) for text in error.problems]
                found = [text for text in texts if text is not None]
        problems += found
        unsound.add(name)
    return unsound, problems


def _space(parts: dict[str, Any], unsound: set[str], problems: list[str], folder: Path) -> Space | None:
    """Return the space, or None if variables, candidates or clauses are malformed."""
    listed = folder / parts["candidates"] if isinstance(parts.get("candidates"), str) else None
    if "variables" not in parts or (unsound and listed is not None):
        return None
    sound = {name: entry for name, entry in parts["variables"].items() if name not in unsound}
    if unsound and not sound:  # an empty space would be a second problem with the same cause
        return None
    try:
        clauses = [clause for clause in parts.get("forbid", []) if unsound.isdisjoint(clause)]
        space = made_space(sound, clauses, [] if unsound else parts.get("rules", []), listed)
    except SpaceError as error:
        places = {"Forbid": "forbid", "the rule": "rules"}
        other = "variables" if listed is None else "candidates"
        where = [next((place for word, place in places.items() if text.startswith(word)), other) for text in error.problems]
        problems += [_placed(place, text, clauses) for place, text in zip(where, error.problems, strict=True)]
        return None
    return None if unsound else space


def _placed(place: str, text: str, clauses: Sequence[dict[str, Any]]) -> str:
    """Return a problem of the space with its place in the file; a forbidden combination is named by its position."""
    at = next((i for i, clause in enumerate(clauses) if text.startswith(repr(Forbid(clause)))), None)
    if at is None:
        return f"{place}: {text}"
    return f"forbid.{at}: {text.removeprefix(repr(Forbid(clauses[at]))).lstrip(': ')}"


def _config(parts: dict[str, Any], problems: list[str]) -> Config | None:
    """Return the preset with the file's settings; None, with all problems listed, if they are not valid."""
    preset, given = PRESETS.get(parts.get("preset", "")), dict(parts.get("settings", {}))
    if parts.get("noisy") is not None:
        given["noisy"] = parts["noisy"]
    try:
        config = Config.from_dict({**(preset or DEFAULT).to_dict(), **given})
    except ConfigError as error:
        problems += [f"settings: {text}" for text in error.problems]
        return None
    return None if preset is None or "settings" not in parts else config


def _missing(parts: Mapping[str, Any], folder: Path) -> Iterator[str]:
    """Yield the files and folders that a study names and that do not exist."""
    known, objective = parts.get("known"), parts.get("objective")
    if isinstance(known, str) and not (folder / known).is_file():
        yield f"known: the file {known!r} does not exist in {folder}; give a CSV file, relative to the study file"
    if objective is not None and not (folder / objective.folder).is_dir():
        yield f"objective.folder: {objective.folder!r} is not a folder; give one relative to the study file"


def _cross_problems(parts: Mapping[str, Any], space: Space | None, goals: Goals | None) -> list[str]:
    """Return the contradictions between parts of a file."""
    problems = list(_storage_problems(parts["storage"])) if "storage" in parts else []
    if parts.get("objective") is not None:
        names = set(space) if space is not None else set(parts["variables"]) if parts.get("variables") else None
        problems += _objective_problems(parts["objective"], names)
    for name in space if space is not None else parts.get("variables") or {}:
        if name in (*RESERVED, EVERY) or re.search(r"[{}]", name):
            problems.append(f"variables.{name}: the name is a reserved placeholder or contains braces; rename it")
    known = parts.get("known", [])
    if goals is not None:
        problems += outcome_problems(parts, goals)
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
            yield f"storage: the environment variable {name} is not set; set it before you start"
    if not storage.startswith("${") and "://" not in storage:
        yield "storage: is not a database URL; e.g. sqlite:///study.db or postgresql://user:${PASSWORD}@host/name"
    elif not storage.startswith("${") and (kind := re.split(r"[+:]", storage)[0]) not in (*KNOWN, "postgres"):
        yield f"storage: {kind!r} is not a supported database; write sqlite:///study.db or postgresql://user:${{PASSWORD}}@host/name"
    elif in_memory(storage):
        yield "storage: an in-memory database is lost when the command ends; name a file, e.g. sqlite:///study.db"


def _objective_problems(objective: ObjectiveSpec, variables: set[str] | None) -> Iterator[str]:
    """Yield the problems of the objective, and of the variables that it names."""
    function, command = objective.function, objective.command
    wellformed = {"function", "command"} <= objective.model_fields_set
    if wellformed and (function is None) == (command is None):
        yield "objective: give either function = 'module:function' or command = ['program', ...], not both"
    if function is not None and re.search(r"\.py:", function):
        module = function.replace(".py:", ":").replace("/", ".")
        yield f"objective.function: got {function!r}; name a module, not a file: {module!r}"
    elif function is not None and not re.fullmatch(r"[\w.]+:[\w.]+", function):
        yield f"objective.function: got {function!r}; write 'module:function', e.g. 'train:score' for train.py"
    for name, value in objective.environment.items():
        if not name or "=" in name or "\0" in name + value:
            yield f"objective.environment: {name!r} is not a valid name of a variable, or its value contains a null character"
    if command is not None:
        yield from _command_problems(objective, command, variables)


def _command_problems(objective: ObjectiveSpec, command: list[str], variables: set[str] | None) -> Iterator[str]:
    if not command or not command[0].strip():
        yield "objective.command: is empty; give the program and its arguments, each as its own string"
        return
    if len(command) == 1 and " " in command[0]:
        arguments = ", ".join(repr(argument) for argument in without_secrets(command[0].split()))
        yield f"objective.command: is one string, and no shell splits it. Write [{arguments}]"
    named = {name for argument in command for name in names_in(argument)}
    stray = [argument for argument in command for m in PLACEHOLDER.finditer(argument) if m[0] in ("{", "}")]
    if stray:
        yield f"objective.command: {stray[0]!r} has a single brace; write {{{{ or }}}} for a literal brace"
    whole = [argument == f"{{{EVERY}}}" for argument in command if EVERY in names_in(argument)]
    if whole != [True][: len(whole)] or names_in(command[0]) == {EVERY}:
        yield "objective.command: {*} stands for several arguments; write it once, after the program, as a string of its own"
    if variables is not None:
        for name in sorted(named - variables - {*RESERVED, EVERY}):
            yield f"objective.command: {{{name}}} is not a variable.{did_you_mean(name, [*variables, *RESERVED])}"
        unused = sorted(variables - named)
        if unused and objective.stdin == "nothing" and not whole:
            named_first = ", ".join(first_few(unused, "{} more"))
            yield (
                f"objective.command: does not use {named_first}; add {{{unused[0]}}} to the arguments, "
                "or {*} for all variables, or set stdin = 'json'"
            )
    if objective.value == "file" and "result_file" not in named:
        yield "objective.command: value = 'file' needs {result_file} among the arguments: the program writes its value there"
