"""The state of a trial as it is recorded."""

from __future__ import annotations

from casmopolitan.study.sampler.records import NOTE


def test_a_damaged_note_is_no_disaster(opened):
    trial = opened.study.ask()
    trial.set_user_attr(NOTE, ["not", "a", "note"])
    other = opened.study.ask()
    other.set_user_attr(NOTE, {"seconds": "soon", "error": 3, "attempts": None, "worker": 7})
    assert [row.state for row in opened.rows()] == ["running", "running"]
