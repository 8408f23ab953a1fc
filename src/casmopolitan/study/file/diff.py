"""How a study file differs from the space and settings that its study has recorded."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from casmopolitan.errors import CasmopolitanError
from casmopolitan.execution.objective import without_secrets
from casmopolitan.formatting import counted
from casmopolitan.space import Space
from casmopolitan.space.candidates import digest
from casmopolitan.study.file.messages import in_toml
from casmopolitan.study.file.schema import Spec


class ChangedError(CasmopolitanError):
    """A study file differs from the record in the database; `differences` lists how."""

    def __init__(self, name: str, differences: Sequence[str]) -> None:
        self.differences = list(differences)
        lines = "\n  ".join(self.differences)
        super().__init__(
            f"study {name!r} was created with another space or other settings:\n  {lines}\n"
            "Restore the file, give the study another name, or continue with `--accept-changes` (of `run` and `ask`): every "
            "trial is kept, and those outside the new space are not used by the model"
        )


def record_of(spec: Spec) -> dict[str, Any]:
    """Return what a study records of its file: the space, the settings as they are written, and the program.

    The names of presets are recorded, not their settings: a preset may change in a later version, and a study keeps the
    settings that it was created with.
    """
    return {
        "space": recorded_space(spec.space),
        "words": {**_settings_of(spec), **_named_goals(spec), "program": program_of(spec)},
        **({"past": recorded_past(spec)} if spec.past_studies else {}),
    }


def recorded_space(space: Space) -> dict[str, Any]:
    """Return a space as it is recorded with a study: the number and a hash of its candidates, if it is a list."""
    record = space.to_dict()
    candidates = record.pop("candidates", None)
    return record if candidates is None else {**record, "listed": digest(candidates)}


def recorded_past(spec: Spec) -> dict[str, Any]:
    """Return the earlier studies as they are recorded with a study: for each the number of its trials, and a hash of them."""
    found = {}
    for study in spec.past_studies:
        text = json.dumps([[*sorted(c.items()), value] for c, value in study.trials])
        found[study.name] = {"trials": len(study.trials), "sha256": hashlib.sha256(text.encode()).hexdigest()[:16]}
    return found


def past_differences(record: Any, spec: Spec) -> list[str]:
    """Return a line for each earlier study that differs between a record and the file."""
    before = record.get("past", {}) if isinstance(record, dict) else {}
    now = recorded_past(spec)
    found = [f"- past {name!r}: {counted(before[name]['trials'], 'trial')}" for name in before if name not in now]
    found += [f"+ past {name!r}: {counted(now[name]['trials'], 'trial')}" for name in now if name not in before]
    changed = [name for name in now if name in before and now[name] != before[name]]
    return found + [f"~ past {n!r}: {counted(before[n]['trials'], 'trial')} became {now[n]['trials']} others" for n in changed]


def _settings_of(spec: Spec) -> dict[str, Any]:
    return {"seed": spec.seed, "preset": spec.preset, "noisy": spec.noisy, "settings": spec.settings}


def _goals_of(spec: Spec) -> dict[str, Any]:
    """Return the objectives and limits of a file; the order of objectives does not matter."""
    objectives = None if spec.objectives is None else dict(sorted(spec.objectives.items()))
    return {"objectives": objectives, "limits": dict(sorted(spec.limits.items()))}


def _named_goals(spec: Spec) -> dict[str, Any]:
    """Return the objectives and limits of a file that has any."""
    return {name: part for name, part in _goals_of(spec).items() if part}


def recorded_goals(record: Any) -> dict[str, Any]:
    """Return the objectives and limits in a record; those of one objective without limits if it has none."""
    words = _settings_in(record)
    return {"objectives": words.get("objectives"), "limits": words.get("limits", {})}


def goal_differences(record: Any, spec: Spec) -> list[str]:
    """Return a line for each objective and limit that differs between a record and the file."""
    found = []
    for part, now in _goals_of(spec).items():
        before, after = recorded_goals(record)[part] or {}, now or {}
        kind = part.removesuffix("s")
        found += [f"- {kind} {name}: {before[name]}" for name in before if name not in after]
        found += [f"+ {kind} {name}: {after[name]}" for name in after if name not in before]
        both = [name for name in after if name in before and before[name] != after[name]]
        found += [f"~ {kind} {name}: {before[name]} became {after[name]}" for name in both]
    return found


def _settings_in(record: Any) -> dict[str, Any]:
    """Return the settings in a record; an empty dict if there are none."""
    settings = record.get("words") if isinstance(record, dict) else None
    return settings if isinstance(settings, dict) else {}


def program_of(spec: Spec) -> str | None:
    """Return the function or command that is evaluated, without secrets; None if experiments are run by hand."""
    objective = spec.objective
    return None if objective is None else objective.function or " ".join(without_secrets(objective.command or []))


def program_change(record: Any, spec: Spec) -> str:
    """Return a note if a file names another program than the record; an empty string if not, or if none is recorded.

    It is not an error: a program that has moved gives the same values.
    """
    before, now = _settings_in(record).get("program"), program_of(spec)
    if before is None or now is None or before == now:
        return ""
    return (
        f"study {spec.name!r} was created with the program `{before}`, and now runs `{now}`. If that gives other values, give "
        "the study another name: the model assumes that all values come from one program"
    )


def settings_differences(record: Any, spec: Spec) -> list[str]:
    """Return a line for each setting of the algorithm that differs between a record and the file."""
    before, now = _settings_in(record), _settings_of(spec)
    open_seed = {"seed"} if spec.seed is None else set()
    changed = [name for name in now if name in before and before[name] != now[name] and name not in open_seed]
    return [f"~ {name}: {_setting(before[name])} became {_setting(now[name])}" for name in changed]


def _setting(value: Any) -> str:
    return "not set" if value is None else in_toml(str(value))


def space_differences(record: Any, space: Space) -> list[str]:
    """Return a line for each variable, clause or rule that differs between a record and the file."""
    now = recorded_space(space)
    recorded = record.get("space") if isinstance(record, dict) else None
    before = recorded if isinstance(recorded, dict) else {"variables": [], "forbid": []}
    old = {entry["name"]: entry for entry in before.get("variables", [])}
    new = {entry["name"]: entry for entry in now["variables"]}
    found = [f"- {name}: {_spelt(old[name])}" for name in old if name not in new]
    found += [f"+ {name}: {_spelt(new[name])}" for name in new if name not in old]
    found += [
        f"~ {name}: {_spelt(old[name])} became {_spelt(new[name])}" for name in new if name in old and old[name] != new[name]
    ]
    found += [f"- forbid: {in_toml(str(clause))}" for clause in before.get("forbid", []) if clause not in now["forbid"]]
    found += [f"+ forbid: {in_toml(str(clause))}" for clause in now["forbid"] if clause not in before.get("forbid", [])]
    rules = [part.get("rules", []) for part in (before, now)]
    found += [f"- rule: {rule}" for rule in rules[0] if rule not in rules[1]]
    found += [f"+ rule: {rule}" for rule in rules[1] if rule not in rules[0]]
    if before.get("listed") != now.get("listed"):
        rows = [part["listed"]["rows"] if part.get("listed") else "no" for part in (before, now)]
        found.append(f"~ candidates: a list of {rows[0]} rows became one of {rows[1]} other rows")
    if not found and list(old) != list(new):
        found.append("~ the order of the variables has changed")
    return found


def _spelt(entry: dict[str, Any]) -> str:
    given = {name: value for name, value in entry.items() if name not in ("name", "type") and value is not None}
    fields = ", ".join(f"{name} {in_toml(str(value))}" for name, value in given.items())
    return f"{entry['type']} ({fields})"
