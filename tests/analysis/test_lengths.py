"""The lengths of the trust region, and when they changed."""

from __future__ import annotations

import casmopolitan as cas
from casmopolitan.analysis.lengths import events, restarts, segments


def test_events_are_read_off_the_record(graph):
    told = {event.number: event.happening for event in events(graph.trials)}
    for before, after in zip(graph.trials, graph.trials[1:], strict=False):
        if before.explanation["source"] == after.explanation["source"] == "acquisition":
            change = after.explanation["radius"] - before.explanation["radius"]
            assert told.get(after.number) == (None if change == 0 else "grew" if change > 0 else "shrank")
    assert {"grew", "shrank", "restarted"} == set(told.values())


def test_the_part_of_the_region_that_changed_is_marked_and_no_other():
    sizes = [(5, 0.8), (5, 1.2), (5, 1.2), (3, 0.8)]
    trials = [
        cas.Trial(k, {}, {"source": "acquisition", "region": 0, "radius": radius, "length": length}, "complete", 1.0)
        for k, (radius, length) in enumerate(sizes)
    ]
    assert [segment.changes for segment in segments(trials, "radius")] == [{3: "shrank"}]
    assert [segment.changes for segment in segments(trials, "length")] == [{1: "grew", 3: "shrank"}]


def test_each_region_has_a_segment_and_each_restart_a_trial(graph):
    found = segments(graph.trials, "radius")
    assert [segment.region for segment in found] == list(range(len(found)))
    first = {trial.explanation["region"]: trial.number for trial in reversed(graph.trials)}
    assert restarts(graph.trials) == [first[region] for region in sorted(first) if region > 0] != []
    assert segments(graph.trials, "length") == []
