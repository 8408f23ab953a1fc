"""The figure of the lengths of the trust region."""

from __future__ import annotations

import casmopolitan as cas
from casmopolitan.analysis.lengths import events
from casmopolitan.plots import trust_region


def test_the_lengths_drawn_are_the_lengths_recorded(tuned):
    first = [t for t in tuned.trials if t.explanation["source"] == "acquisition" and t.explanation["region"] == 0]
    drawn = trust_region(tuned).axes[0].lines[0]
    assert list(drawn.get_ydata()) == [t.explanation["radius"] for t in first]


def test_a_random_point_of_the_whole_space_says_nothing_of_the_region():
    """A search of the whole space that found nothing is recorded as a fallback without lengths."""
    lengths = [(4, 0.8), (None, None), (4, 0.8), (2, 0.4)]
    trials = [
        cas.Trial(
            number,
            {},
            {"source": "fallback" if radius is None else "acquisition", "region": 0, "radius": radius, "length": length},
            "complete",
            float(number),
        )
        for number, (radius, length) in enumerate(lengths)
    ]
    assert [(event.number, event.happening) for event in events(trials)] == [(3, "shrank")]
    assert [list(axes.lines[0].get_ydata()) for axes in trust_region(trials).axes] == [[4, 4, 2], [0.8, 0.8, 0.4]]
