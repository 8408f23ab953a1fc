"""The layout of a small discrete space around its centre."""

from __future__ import annotations

import pytest

from casmopolitan.analysis.rings import places, span_of, vertices, views
from casmopolitan.core.region.hamming import distance


def test_every_point_is_on_the_ring_of_its_distance(graph):
    h = vertices(graph)
    xy = places(h, h[40], graph.space.domain.levels)
    assert (xy**2).sum(axis=1).tolist() == pytest.approx((distance(h, h[40]) ** 2).tolist())
    assert len({tuple(p) for p in xy.round(6).tolist()}) == len(h) == 81


def test_each_completed_trial_has_a_view_of_what_was_known_then(graph):
    seen = views(graph, vertices(graph))
    assert len(seen) == len(graph.trials)
    assert [len(view.values) for view in seen] == sorted(len(view.values) for view in seen)
    assert span_of(seen) == (min(t.value for t in graph.trials), max(t.value for t in graph.trials))
    assert all(view.values[view.best] == min(view.values.values()) for view in seen)
