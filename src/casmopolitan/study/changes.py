"""How a study file differs from the study that was begun with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from casmopolitan.errors import CasmopolitanError
from casmopolitan.space import Space
from casmopolitan.study.spec import Spec


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
    """What a file says about the algorithm, as it is recorded with its study.

    The words and not what they mean: a preset may mean something better in a later version, and a study that is under way
    goes on with the settings it was begun with.
    """
    return {"seed": spec.seed, "preset": spec.preset, "noisy": spec.noisy, "settings": spec.settings}


def words_differences(recorded: Any, spec: Spec) -> list[str]:
    """Where a file says something else about the algorithm than when its study was begun."""
    before, now = recorded if isinstance(recorded, dict) else {}, words_of(spec)
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
