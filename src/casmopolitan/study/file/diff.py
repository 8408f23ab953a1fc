"""How a study file differs from the study that was begun with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from casmopolitan.errors import CasmopolitanError
from casmopolitan.space import Space
from casmopolitan.study.file.schema import Spec
from casmopolitan.study.storage.url import SECRET


class ChangedError(CasmopolitanError):
    """A study file no longer says what its study in the database was begun with; `differences` lists how."""

    def __init__(self, name: str, differences: Sequence[str]) -> None:
        self.differences = list(differences)
        lines = "\n  ".join(self.differences)
        super().__init__(
            f"study {name!r} was begun with another space or other settings:\n  {lines}\n"
            "Put the file back, give the study another name, or go on with `--accept-changes` (of `run` and `ask`): the study "
            "so far is kept under another name, and its trials that still fit are carried over as known results"
        )


def words_of(spec: Spec) -> dict[str, Any]:
    """What a file says about the algorithm and about what is evaluated, as it is recorded with its study.

    The words and not what they mean: a preset may mean something better in a later version, and a study that is under way
    goes on with the settings it was begun with.
    """
    return {**_settings_of(spec), "program": program_of(spec)}


def _settings_of(spec: Spec) -> dict[str, Any]:
    return {"seed": spec.seed, "preset": spec.preset, "noisy": spec.noisy, "settings": spec.settings}


def program_of(spec: Spec) -> str | None:
    """The function or command that is evaluated, secrets left out; None where people evaluate."""
    what = spec.objective
    return None if what is None else what.function or SECRET.sub(r"\1***", " ".join(what.command or []))


def program_change(recorded: Any, spec: Spec) -> str:
    """A note where a file names another program than when its study was begun; nothing where it does not, or nobody knows.

    A note and no refusal: a program that moved gives the same values. `recorded` is what is recorded of the beginning.
    """
    words = recorded.get("words") if isinstance(recorded, dict) else None
    before, now = words.get("program") if isinstance(words, dict) else None, program_of(spec)
    if before is None or now is None or before == now:
        return ""
    return (
        f"study {spec.name!r} was begun with the program `{before}`, and is now run with `{now}`. Should that give other "
        "values, give the study another name: its model takes all values for those of one program"
    )


def words_differences(recorded: Any, spec: Spec) -> list[str]:
    """Where a file says something else about the algorithm than when its study was begun."""
    before, now = recorded if isinstance(recorded, dict) else {}, _settings_of(spec)
    open_seed = {"seed"} if spec.seed is None else set()
    changed = [name for name in now if name in before and before[name] != now[name] and name not in open_seed]
    return [f"~ {name}: {before[name]} became {now[name]}" for name in changed]


def space_differences(recorded: Any, space: Space) -> list[str]:
    """A sentence for each variable or clause that differs between a recorded space and the file's."""
    now = space.to_dict()
    before = recorded if isinstance(recorded, dict) else {"variables": [], "forbid": []}
    old = {entry["name"]: entry for entry in before.get("variables", [])}
    new = {entry["name"]: entry for entry in now["variables"]}
    found = [f"- {name}: {_spelt(old[name])}" for name in old if name not in new]
    found += [f"+ {name}: {_spelt(new[name])}" for name in new if name not in old]
    found += [
        f"~ {name}: {_spelt(old[name])} became {_spelt(new[name])}" for name in new if name in old and old[name] != new[name]
    ]
    found += [f"- forbid: {clause}" for clause in before.get("forbid", []) if clause not in now["forbid"]]
    found += [f"+ forbid: {clause}" for clause in now["forbid"] if clause not in before.get("forbid", [])]
    if not found and list(old) != list(new):
        found.append("~ the order of the variables has changed")
    return found


def _spelt(entry: dict[str, Any]) -> str:
    fields = ", ".join(f"{name} {value}" for name, value in entry.items() if name not in ("name", "type") and value is not None)
    return f"{entry['type']} ({fields})"
