from __future__ import annotations

import json

import numpy as np
import pytest

from casmopolitan import journal
from casmopolitan.core.domain import Domain
from casmopolitan.core.points import Axis, Points
from casmopolitan.core.state import Asked, Cancelled, Given, Prediction, Provenance, Suggestion, Told
from casmopolitan.errors import DataError

DOMAIN = Domain(np.array([3, 2]), (None, None), (Axis(0.0, 1.0),))
POINT = Points(np.array([[2, 1]]), np.array([[0.1 + 0.2]]))
CENTRE = Points(np.array([[0, 0]]), np.array([[1 / 3]]))
PREDICTED = Prediction(1e-300, -0.1, 3.0, None, (0.1, 2.5e-7))
SEVERAL = Prediction(
    -2.0, theta=(0.5,), feasible=0.25, means=(1.0, -2.0), deviations=(0.1, 3.0), thetas={1: (0.5, 2.0), 3: (1.0,)}
)
EVENTS = [
    Asked(0, Suggestion(POINT, Provenance(0, "initial"))),
    Asked(1, Suggestion(POINT, Provenance(1, "acquisition", CENTRE, 2, 0.8, "jitter"), PREDICTED)),
    Asked(2, Suggestion(POINT, Provenance(1, "acquisition", CENTRE, 2, 0.8), Prediction(-3.5, -0.1, 3.0, 0.25))),
    Told(0, 1e300),
    Told(0, None),
    Given(2, POINT, -0.0),
    Given(3, POINT, None),
    Told(0, (0.1 + 0.2, None, -3.0)),
    Given(4, POINT, (None, 2.5)),
    Asked(3, Suggestion(POINT, Provenance(0, "global", CENTRE), SEVERAL)),
    Cancelled(1),
]


def plain(thing):
    """Nested tuples of everything a record holds, comparable with ==."""
    if isinstance(thing, Points):
        return thing.h.tolist(), thing.x.tolist()
    fields = getattr(thing, "__dataclass_fields__", None)
    return (type(thing).__name__, *(plain(getattr(thing, name)) for name in fields)) if fields else thing


@pytest.mark.parametrize("event", EVENTS, ids=lambda e: type(e).__name__)
def test_an_event_survives_json_to_the_last_bit(event):
    entry = json.loads(json.dumps(journal.event_to_dict(event), allow_nan=False))
    assert plain(journal.event_from_dict(entry, DOMAIN)) == plain(event)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"event": "dreamt"}, "unknown kind 'dreamt'"),
        ({"trial": "one"}, "whole numbers"),
        ({"trial": True}, "whole numbers"),
        ({"h": [2]}, "coordinates"),
        ({"h": [3, 0]}, "outside the space"),
        ({"h": [-1, 0]}, "outside the space"),
        ({"x": [1.5]}, "outside the space"),
        ({"x": [float("nan")]}, "outside the space"),
        ({"source": "elsewhere"}, "source is one of"),
        ({"mean": "low"}, "finite number"),
        ({"theta": [float("inf")]}, "finite number"),
    ],
)
def test_a_wrong_entry_is_named(change, said):
    entry = {**journal.event_to_dict(EVENTS[1]), **change}
    with pytest.raises(DataError, match=said):
        journal.event_from_dict(entry, DOMAIN)


@pytest.mark.parametrize("value", ["1", True, float("nan"), float("inf"), {"error": 1}, ["1"], [[1]]])
def test_a_recorded_value_is_a_finite_number_or_null(value):
    with pytest.raises(DataError, match="finite number"):
        journal.event_from_dict({"event": "told", "trial": 0, "value": value}, DOMAIN)


@pytest.mark.parametrize(
    "event",
    [
        Asked(5, EVENTS[0].suggestion),
        Given(2, POINT, 1.0),
        Told(1, 1.0),
        Cancelled(9),
        Asked(3, Suggestion(POINT, Provenance(7, "initial"))),
    ],
)
def test_an_event_out_of_order_is_refused(event):
    with pytest.raises(DataError, match="damaged"):
        journal.checked(event, 3, {0}, 0)


@pytest.mark.parametrize("text", ["", "  ", "{", "{}", '{"format": "x"}', "{" * 100_000, '{"a":' * 5000])
def test_text_that_is_no_record_is_refused(text):
    with pytest.raises(DataError, match="not a saved optimiser"):
        journal.read(text)


def test_an_unknown_version_says_what_to_do():
    text = json.dumps({"format": journal.FORMAT, "version": 99})
    with pytest.raises(DataError, match=r"version 99; this casmopolitan reads version 1\. Update casmopolitan"):
        journal.read(text)


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", b"[1, 2]", b"null", b"\x80abc", b"{"])
def test_a_file_that_is_no_record_is_refused(content, tmp_path):
    (tmp_path / "saved").write_bytes(content)
    with pytest.raises(DataError, match="not a saved optimiser"):
        journal.read(tmp_path / "saved")
    with pytest.raises(DataError, match="not a saved optimiser"):
        journal.read(str(tmp_path / "saved"))


def test_a_missing_file_is_a_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        journal.read(tmp_path / "nowhere")


@pytest.mark.parametrize("radius", [-(2**70), -1, 3, 1.5, True, "2"])
def test_a_radius_that_no_region_can_have_is_refused(radius):
    domain = Domain(np.array([2, 2]), (None, None), ())
    entry = {"source": "acquisition", "region": 0, "h": [0, 1], "x": [], "radius": radius}
    with pytest.raises(DataError, match="a radius is a whole number from 0 to 2"):
        journal.suggestion_from_dict(entry, domain)
