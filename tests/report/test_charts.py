"""The charts of a report."""

from __future__ import annotations

import casmopolitan as cas
from casmopolitan.analysis.row import TrialRow
from casmopolitan.analysis.slices import Slice
from casmopolitan.report.charts import prediction, trust_region


def test_a_wild_prediction_does_not_flatten_the_picture():
    drawn = prediction(Slice("n", 1, [1, 2, 3], [1.0, 5.0, 1e87], [0.1, 0.1, 1e88]), cas.Integer(1, 3), (0.0, 10.0))
    assert "e+8" not in drawn


def test_the_panel_of_the_part_that_changed_is_marked_and_no_other():
    sizes = [(5, 0.8), (5, 1.2), (5, 1.2), (3, 0.8)]
    rows = [
        TrialRow(k, "complete", 1.0, {}, {"source": "acquisition", "region": 0, "radius": radius, "length": length})
        for k, (radius, length) in enumerate(sizes)
    ]
    radius, length = trust_region(rows).split("<svg")[1:]
    assert (radius.count('class="grew"'), radius.count('class="shrank"')) == (0, 1)
    assert (length.count('class="grew"'), length.count('class="shrank"')) == (1, 1)
