"""The format of a study file: what `study.toml` may contain, as pydantic models and as a JSON schema for editors."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from casmopolitan.config import Config
from casmopolitan.goals import LIMIT, Goals
from casmopolitan.past import PastStudy, fitting
from casmopolitan.presets import ABLATIONS, AUTHORS_CODE, DEFAULT, PAPER
from casmopolitan.space import Forbid, Space
from casmopolitan.space.serialisation import DESCRIPTIONS, KINDS, variables_from

PRESETS: dict[str, Config] = {"default": DEFAULT, "paper": PAPER, "authors-code": AUTHORS_CODE, **ABLATIONS}
"""The presets that a file can name."""

BYTES = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30}
MOST_MEMORY = 10**18

SCALAR: dict[str, Any] = {"type": ["string", "number", "boolean", "null"]}
RANGE = {"type": "object", "properties": {"from": {"type": "number"}, "to": {"type": "number"}}, "additionalProperties": False}
SCALARS = {"type": "array", "items": SCALAR, "minItems": 1}
WHEN = {
    "type": "object",
    "additionalProperties": {"anyOf": [SCALAR, SCALARS]},
    "minProperties": 1,
    "description": "the variable exists only if these variables have these values",
}
FIELDS: dict[str, Any] = {"choices": SCALARS, "values": SCALARS, "log": {"type": "boolean"}, "digits": {"type": "integer"}}
FIELDS |= {field: {"type": ["string", "array"]} for field in DESCRIPTIONS}


def _variable_schema(kind: str) -> dict[str, Any]:
    """Return the JSON schema of one kind of variable."""
    _, needed, optional = KINDS[kind]
    number = {"type": "integer" if kind == "integer" else "number"}
    fields = {field: FIELDS.get(field, number) for field in (*needed, *optional)} | {"when": WHEN}
    return {
        "type": "object",
        "properties": {"type": {"const": kind}, **fields},
        "required": ["type", *needed],
        "additionalProperties": False,
    }


Variables = Annotated[
    dict[str, Any],
    WithJsonSchema({"type": "object", "additionalProperties": {"oneOf": [_variable_schema(kind) for kind in KINDS]}}),
]
Assignment = Annotated[dict[str, Any], WithJsonSchema({"type": "object", "additionalProperties": SCALAR})]
Clause = Annotated[
    dict[str, Any],
    WithJsonSchema({"type": "object", "additionalProperties": {"anyOf": [SCALAR, {"type": "array", "items": SCALAR}, RANGE]}}),
]

DIRECTIONS = ["minimize", "maximize"]
Objectives = Annotated[
    dict[str, Any],
    WithJsonSchema({"type": "object", "additionalProperties": {"enum": DIRECTIONS}, "minProperties": 1}),
]
Limits = Annotated[
    dict[str, Any],
    WithJsonSchema({"type": "object", "additionalProperties": {"type": "string", "pattern": f"^{LIMIT.pattern}$"}}),
]


def memory_in_bytes(value: object) -> object:
    """Return '2 GB' or '512MiB' as bytes, and a number of bytes as it is; ValueError for other text."""
    if isinstance(value, str):
        match = re.fullmatch(r"\s*([0-9.]+)\s*([A-Za-z]*)\s*", value)
        if match and match[2].upper() in BYTES and match[1].count(".") <= 1 and match[1] != ".":
            amount = float(match[1]) * BYTES[match[2].upper()]
            if amount <= MOST_MEMORY:
                return int(amount)
        raise ValueError("write an amount such as '2 GB' or '512 MiB', or a number of bytes")
    return value


class Strict(BaseModel):
    """A frozen pydantic model that converts no types and refuses unknown keys."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class ObjectiveSpec(Strict):
    """What is evaluated, a Python function or a command, how its value is read, and its limits."""

    function: str | None = Field(None, description="'module:function'; it takes the configuration as a dict")
    command: list[str] | None = Field(
        None,
        description="the program and its arguments; {name} is a variable's value, and an argument without one is left out; "
        "{*} is one option per variable",
    )
    stdin: Literal["nothing", "json"] = Field("nothing", description="'json' passes the configuration on standard input")
    value: Literal["last line", "file"] = Field(
        "last line", description="'last line' of standard output, or the JSON 'file' named by {result_file}"
    )
    key: str = Field(
        "value", description="the key of the value, if the last line or the file is a JSON object; not with named outcomes"
    )
    folder: str = Field(".", description="the folder to run in, relative to the study file")
    environment: dict[str, str] = Field(default_factory=dict, description="environment variables to add")
    time_limit: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = Field(None, description="seconds per trial")
    memory_limit: Annotated[int, Field(ge=1_000_000), BeforeValidator(memory_in_bytes)] | None = Field(
        None,
        description="memory per trial and its child processes, e.g. '2 GB'",
        json_schema_extra={"type": ["string", "integer"]},
    )
    retries: Annotated[int, Field(ge=0, le=100)] = Field(0, description="how often a failed trial is repeated")


class PruningSpec(Strict):
    """When a trial that reports while it runs is ended early, because it is worse than others were at the same step."""

    pruner: Literal["wilcoxon", "median"] = Field(
        description="'wilcoxon': significantly worse than the best trial; 'median': worse than the median of earlier trials"
    )
    line: Annotated[str, Field(pattern=r"^\w+$")] = Field(
        "step", description="the first word of a line that reports, e.g. 'instance' for 'instance 3: 12.5'"
    )
    warmup_steps: Annotated[int, Field(ge=0)] = Field(2, description="steps of a trial before it may be ended")
    warmup_trials: Annotated[int, Field(ge=0)] = Field(5, description="for 'median': trials before any may be ended")
    p_threshold: Annotated[float, Field(gt=0, lt=1)] = Field(0.1, description="for 'wilcoxon': the significance level")


class KnownSpec(Strict):
    """A result from before the study."""

    value: Annotated[float, Field(allow_inf_nan=False)] | None = None
    outcomes: dict[str, Any] | None = Field(None, description="every outcome by name, instead of the value")
    configuration: Assignment


class PastSpec(Strict):
    """An earlier study of a related task: a CSV file, or a study in a database."""

    name: Annotated[str, Field(min_length=1, max_length=200)] = Field(description="any name; each is used once")
    file: str | None = Field(None, description="a CSV file with one column per variable, and the column value")
    study: str | None = Field(None, description="the name of a study in a database, instead of a file")
    storage: str | None = Field(None, description="the database URL of that study; the study file's own by default")


class Spec(Strict):
    """A study: what is optimised, over which variables, with how many trials, and where the trials are stored."""

    name: Annotated[str, Field(min_length=1, max_length=200)] = Field(description="the study's name in the database")
    description: str = Field("", description="what the study is about, for its report")
    direction: Literal["minimize", "maximize"] = Field("minimize", description="of the only objective, if it has no name")
    objectives: Objectives | None = Field(None, description="objectives by name: 'minimize' or 'maximize'")
    limits: Limits = Field(default_factory=dict, description="limits on outcomes by name, e.g. '<= 512'")
    budget: Annotated[int, Field(ge=1)] = Field(description="total number of trials: failed ones count, known results do not")
    seed: Annotated[int, Field(ge=0)] | None = Field(None, description="the same seed repeats the study")
    preset: Literal["default", "paper", "authors-code", "Naive", "TR", "Overlap", "CatKer", "CatKer+TR"] = "default"
    settings: dict[str, Any] = Field(default_factory=dict, description="settings of the algorithm that differ from the preset")
    noisy: bool | None = Field(None, description="whether the same configuration may give different values")
    storage: str = Field(
        "sqlite:///casmopolitan.db", description="database URL; ${NAME} is replaced by an environment variable, e.g. a password"
    )
    parallel: Annotated[int, Field(ge=1, le=1000)] = Field(1, description="trials at a time in one `casmopolitan run`")
    heartbeat: Annotated[int, Field(ge=1)] = Field(
        60, description="seconds between the heartbeats of a running trial; after twice that time without one, it is repeated"
    )
    variables: Variables = Field(default_factory=dict, description="the variables by name")
    candidates: str | None = Field(None, description="a CSV file with one column per variable: only its rows are tried")
    forbid: list[Clause] = Field(default_factory=list, description="combinations that no trial may have")
    rules: list[str] = Field(default_factory=list, description="linear rules that every trial satisfies, e.g. 'a + 2 * b <= 1'")
    objective: ObjectiveSpec | None = Field(None, description="omitted if trials are evaluated by hand (ask and tell)")
    pruning: PruningSpec | None = Field(None, description="ends bad trials early, if the program reports while it runs")
    initial: list[Assignment] = Field(default_factory=list, description="configurations to try first")
    known: str | list[KnownSpec] = Field(default_factory=list, description="past results, or the name of a CSV file of them")

    past: list[PastSpec] = Field(default_factory=list, description="earlier studies of related tasks, to learn from")

    _folder: Path = Path()
    _config: Config = DEFAULT
    _space: Space | None = None
    _past: tuple[PastStudy, ...] = ()

    @property
    def folder(self) -> Path:
        """The folder of the study file; paths in the file are relative to it."""
        return self._folder

    @property
    def goals(self) -> Goals:
        """The objectives and limits."""
        return Goals.of(self.direction if self.objectives is None else "minimize", self.objectives, self.limits)

    @property
    def _rows(self) -> Path | None:
        return None if self.candidates is None else self._folder / self.candidates

    @property
    def config(self) -> Config:
        """The preset with the file's settings."""
        return self._config

    @property
    def space(self) -> Space:
        """The search space."""
        return self._space if self._space is not None else made_space(self.variables, self.forbid, self.rules, self._rows)

    @property
    def past_studies(self) -> tuple[PastStudy, ...]:
        """The earlier studies, with their trials that fit the space."""
        return self._past

    def placed(self, folder: Path, config: Config, space: Space, past: Sequence[PastStudy] | None = None) -> Spec:
        """Return a copy of the study with the folder of its file, its settings, its space and earlier studies that fit it."""
        copy = self.model_copy()
        copy._folder, copy._config, copy._space = folder, config, space
        copy._past = tuple(fitting(space, self._past) if past is None else past)
        return copy


def made_space(
    variables: Mapping[str, Any], forbid: list[dict[str, Any]], rules: Sequence[str] = (), candidates: Path | None = None
) -> Space:
    """Return the search space of a file's variables, clauses, rules and candidates; SpaceError lists all problems."""
    entries = [{**entry, "name": name} for name, entry in variables.items()]
    if candidates is not None:
        return Space.of(
            candidates, variables=dict(variables_from({"variables": entries})), constraint=[*map(Forbid, forbid), *rules]
        )
    return Space.from_dict({"variables": entries, "forbid": forbid, "rules": list(rules)})


def schema() -> dict[str, Any]:
    """Return the JSON schema of a study file, for editors."""
    made = Spec.model_json_schema()
    made["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    made["title"] = "casmopolitan study"
    return made
