"""The form of a study file: what may stand in `study.toml`, as pydantic models and as a JSON schema for editors."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from casmopolitan.config import Config
from casmopolitan.presets import ABLATIONS, AUTHORS_CODE, DEFAULT, PAPER
from casmopolitan.space import Categorical, Forbid, Integer, Ordinal, Real, Space, Variable

PRESETS: dict[str, Config] = {"default": DEFAULT, "paper": PAPER, "authors-code": AUTHORS_CODE, **ABLATIONS}
"""The settings that a file can name."""

SCALAR: dict[str, Any] = {"type": ["string", "number", "boolean", "null"]}
BYTES = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30}
RESERVED = ("trial", "result_file")
"""Placeholders of a command that are not variables: the trial's number, and the file its value is read from."""

Words = Annotated[Any, WithJsonSchema({"type": "array", "items": SCALAR, "minItems": 1})]
Assignment = Annotated[dict[str, Any], WithJsonSchema({"type": "object", "additionalProperties": SCALAR})]
Clause = Annotated[
    dict[str, Any],
    WithJsonSchema({"type": "object", "additionalProperties": {"anyOf": [SCALAR, {"type": "array", "items": SCALAR}]}}),
]


MOST_MEMORY = 10**18


def memory_in_bytes(value: object) -> object:
    """'2 GB', '512MiB' or a number of bytes, as bytes; what is none of these is refused in words."""
    if isinstance(value, str):
        match = re.fullmatch(r"\s*([0-9.]+)\s*([A-Za-z]*)\s*", value)
        if match and match[2].upper() in BYTES and match[1].count(".") <= 1 and match[1] != ".":
            amount = float(match[1]) * BYTES[match[2].upper()]
            if amount <= MOST_MEMORY:
                return int(amount)
        raise ValueError("write an amount such as '2 GB' or '512 MiB', or a number of bytes")
    return value


class Strict(BaseModel):
    """No conversions and no unknown names: what is written is what is meant."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class CategoricalSpec(Strict):
    """One of several choices without order."""

    type: Literal["categorical"]
    choices: Words

    def variable(self) -> Variable:
        """The variable of the space."""
        return Categorical(self.choices)


class OrdinalSpec(Strict):
    """One of several values in order; numbers are as far apart as their difference (their ratio with `log`)."""

    type: Literal["ordinal"]
    values: Words
    log: bool = False

    def variable(self) -> Variable:
        """The variable of the space."""
        return Ordinal(self.values, log=self.log)


class IntegerSpec(Strict):
    """A whole number from low to high, both included."""

    type: Literal["integer"]
    low: int
    high: int
    step: int = 1
    log: bool = False

    def variable(self) -> Variable:
        """The variable of the space."""
        return Integer(self.low, self.high, self.step, self.log)


class RealSpec(Strict):
    """A number from low to high, both included; on a grid with `step`."""

    type: Literal["real"]
    low: float
    high: float
    step: float | None = None
    log: bool = False

    def variable(self) -> Variable:
        """The variable of the space."""
        return Real(self.low, self.high, self.step, self.log)


VariableSpec = Annotated[CategoricalSpec | OrdinalSpec | IntegerSpec | RealSpec, Field(discriminator="type")]


class ObjectiveSpec(Strict):
    """What is evaluated: a Python function, or a command; how its value is read; and its limits."""

    function: str | None = Field(None, description="'module:function'; it takes the configuration as a dict")
    command: list[str] | None = Field(None, description="the program and its arguments; {name} stands for a variable's value")
    stdin: Literal["nothing", "json"] = Field("nothing", description="'json': the configuration on standard input")
    value: Literal["last line", "file"] = Field(
        "last line", description="'last line' of standard output, or the JSON 'file' named by {result_file}"
    )
    key: str = Field("value", description="where the value stands, when the last line or the file is a JSON object")
    folder: str = Field(".", description="where it runs, seen from the study file")
    environment: dict[str, str] = Field(default_factory=dict, description="environment variables to add")
    time_limit: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = Field(None, description="seconds a trial may take")
    memory_limit: Annotated[int, Field(ge=1_000_000), BeforeValidator(memory_in_bytes)] | None = Field(
        None, description="memory of a trial and its children, e.g. '2 GB'", json_schema_extra={"type": ["string", "integer"]}
    )
    retries: Annotated[int, Field(ge=0, le=100)] = Field(0, description="how often a failed trial is tried again")


class KnownSpec(Strict):
    """A result from before the study."""

    value: Annotated[float, Field(allow_inf_nan=False)]
    configuration: Assignment


class Spec(Strict):
    """A study: what is optimised, over which variables, with how many trials, and where it is kept."""

    name: Annotated[str, Field(min_length=1, max_length=200)] = Field(description="the study's name in the database")
    direction: Literal["minimize", "maximize"] = "minimize"
    budget: Annotated[int, Field(ge=1)] = Field(description="trials in all, failed ones included, known results not")
    seed: Annotated[int, Field(ge=0)] | None = Field(None, description="the same seed repeats the study")
    preset: Literal["default", "paper", "authors-code", "Naive", "TR", "Overlap", "CatKer", "CatKer+TR"] = "default"
    settings: dict[str, Any] = Field(default_factory=dict, description="single settings of the algorithm, over the preset's")
    noisy: bool | None = Field(None, description="whether the objective answers differently each time")
    storage: str = Field(
        "sqlite:///casmopolitan.db", description="database URL; ${NAME} is taken from the environment, for passwords"
    )
    parallel: Annotated[int, Field(ge=1, le=1000)] = Field(1, description="trials at a time, in one `casmopolitan run`")
    heartbeat: Annotated[int, Field(ge=1)] = Field(
        60, description="seconds between signs of life of a running trial; silent for twice as long, it is tried again"
    )
    variables: dict[str, VariableSpec] = Field(description="by name")
    forbid: list[Clause] = Field(default_factory=list, description="combinations that no trial may have")
    objective: ObjectiveSpec | None = Field(None, description="left out when experiments are run by hand (ask and tell)")
    initial: list[Assignment] = Field(default_factory=list, description="configurations to try first")
    known: str | list[KnownSpec] = Field(default_factory=list, description="past results, or the CSV file that holds them")

    _folder: Path = Path()
    _config: Config = DEFAULT
    _space: Space | None = None

    @property
    def folder(self) -> Path:
        """Where the study file lies: every path in it is seen from there."""
        return self._folder

    @property
    def config(self) -> Config:
        """Preset and settings together."""
        return self._config

    @property
    def space(self) -> Space:
        """The search space."""
        return self._space if self._space is not None else made_space(self.variables, self.forbid)

    def placed(self, folder: Path, config: Config, space: Space) -> Spec:
        """Return a copy of the study with the folder of its file, its settings and its space."""
        copy = self.model_copy()
        copy._folder, copy._config, copy._space = folder, config, space
        return copy


def made_space(variables: dict[str, VariableSpec], forbid: list[dict[str, Any]]) -> Space:
    """The search space of a file's variables and clauses; SpaceError lists what is wrong."""
    return Space({name: spec.variable() for name, spec in variables.items()}, [Forbid(clause) for clause in forbid])


def schema() -> dict[str, Any]:
    """The JSON schema of a study file, for editors."""
    made = Spec.model_json_schema()
    made["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    made["title"] = "casmopolitan study"
    return made
