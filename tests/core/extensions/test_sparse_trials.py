from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from casmopolitan.core.ask import Ask
from casmopolitan.core.domain import Domain
from casmopolitan.core.extensions import extensions_for
from casmopolitan.core.extensions.global_trials import GlobalTrials
from casmopolitan.core.extensions.sparse_trials import MARGIN, SparseTrials, global_trials_lead, is_due, trials_tie
from casmopolitan.core.gp.model import SPARSE_NOTE
from casmopolitan.core.points import Points
from casmopolitan.core.region.neighbourhood import Neighbourhood
from casmopolitan.core.state import Asked, Provenance, Suggestion, Told, opening, tell
from casmopolitan.presets import ABLATIONS, AUTHORS_CODE, DEFAULT, PAPER
from runs import MIXED, ask, run


def switches(count):
    return Domain(np.full(count, 2), (None,) * count, ())


WIDE = switches(60)


def heard(sources, values, domain=WIDE, changes=0):
    """A state that was told these values at points from these sources; `changes`: how many variables differ from the first."""
    state = opening(domain, DEFAULT)
    for number, (source, value) in enumerate(zip(sources, values, strict=True)):
        h = np.array([[number >> bit & 1 for bit in range(domain.d_h)]])
        if changes and number:
            h = np.zeros((1, domain.d_h), dtype=int)
            h[0, np.arange(number * changes, (number + 1) * changes) % domain.d_h] = 1
        suggestion = Suggestion(Points(h, np.empty((1, 0))), Provenance(0, source))
        state = tell(tell(state, Asked(number, suggestion), domain, DEFAULT), Told(number, value), domain, DEFAULT)
    return state


LOCAL_LEADS = heard(["initial"] + ["acquisition", "global"] * 6, [20] + [v for k in range(6) for v in (19 - k, 30)])
GLOBAL_LEADS = heard(["initial"] + ["acquisition", "global"] * 6, [20] + [v for k in range(6) for v in (30, 19 - k)])


def test_trials_over_the_whole_space_lead_if_they_improve_on_the_best_value_more_often():
    assert not global_trials_lead(opening(WIDE, DEFAULT))
    assert not global_trials_lead(LOCAL_LEADS)
    assert global_trials_lead(GLOBAL_LEADS)


def test_one_trial_in_four_is_sparse_and_three_of_four_while_they_lead():
    def due(state):
        return [n for n in range(10, 40) if is_due(WIDE, DEFAULT, state, n)]

    assert due(LOCAL_LEADS) == [24, 28, 32, 36]
    assert due(GLOBAL_LEADS) == [n for n in range(24, 40) if n % 4 != 2]


def tied(values, changes, source="acquisition"):
    return heard(["initial"] + [source] * len(values), [5, *values], changes=changes)


def test_few_variables_matter_if_trials_that_change_many_have_exactly_the_best_value():
    assert trials_tie(tied([5, 7, 5, 7, 5], changes=8))
    assert not trials_tie(tied([5, 7, 5, 7, 7], changes=8)), "two ties are not enough"
    assert not trials_tie(tied([5, 7, 5, 7, 5], changes=7)), "few changes may have no effect by chance"
    assert not trials_tie(tied([5, 7, 5, 7, 5], changes=8, source="global")), "only trials of the region count"
    assert not trials_tie(tied([5, 5, 5, 7, 7, 7, 7, 7, 7], changes=8)), "one of the ties is more than eight trials ago"
    assert not trials_tie(tied([7, 7, 7, 7, 7], changes=8)), "ties with a worse value do not count"
    assert not trials_tie(opening(WIDE, DEFAULT))


def test_a_new_best_value_is_the_one_to_tie_with():
    better = heard(["initial"] + ["acquisition"] * 5, [5, 4, 5, 5, 5, 4], changes=8)
    assert not trials_tie(better)
    assert trials_tie(heard(["initial"] + ["acquisition"] * 20, [5, *range(4, -9, -1), *[-8] * 7], changes=8))


def test_three_of_four_trials_are_sparse_while_trials_tie_from_the_first_model_on():
    state = tied([4, 4, 4, 4], changes=8)
    assert not global_trials_lead(state)
    assert [n for n in range(10, 30) if is_due(WIDE, DEFAULT, state, n)] == [n for n in range(10, 30) if n % 4 != 1]


def test_one_trial_in_four_stays_in_the_region_after_it_has_shrunk_too():
    """Without such trials the region could neither shrink further nor restart."""
    state = tied([4, 4, 4, 4], changes=8)
    state = replace(state, lengths=replace(state.lengths, radius=3))
    asked = [Ask(WIDE, DEFAULT, 0, state, n, (GlobalTrials, SparseTrials)) for n in range(12, 16)]
    region = Neighbourhood.everywhere(WIDE, state.observations[0].point)
    local = Provenance(0, "acquisition", region.centre)
    assert [ask.areas((region,), local)[1].source for ask in asked] == ["global", "acquisition", "global", "global"]


@pytest.mark.parametrize("domain", [switches(59), switches(401), MIXED])
def test_no_trial_is_sparse_in_small_huge_or_mixed_spaces(domain):
    state = opening(domain, DEFAULT)
    assert not any(is_due(domain, DEFAULT, state, n) for n in range(100))


def test_the_paper_and_its_relatives_have_no_sparse_trials():
    for config in (PAPER, AUTHORS_CODE, *ABLATIONS.values(), replace(DEFAULT, sparse_every=0)):
        assert SparseTrials not in extensions_for(config)
    assert SparseTrials in extensions_for(DEFAULT)


def test_a_sparse_trial_searches_the_whole_space_says_so_and_leaves_the_usual_fit_its_start():
    config = replace(DEFAULT, n_initial=22)
    state, _ = run(WIDE, config, 0, 24)
    sparse, usual = (ask(WIDE, config, 0, state, number) for number in (24, 25))
    assert (sparse.provenance.source, sparse.provenance.note, sparse.prediction.theta) == ("global", SPARSE_NOTE, None)
    assert (usual.provenance.source, usual.provenance.note) == ("acquisition", "")
    assert usual.prediction.theta is not None


def test_a_sparse_trial_must_improve_on_the_best_value_by_a_margin():
    state = opening(WIDE, DEFAULT)
    due, not_due = (Ask(WIDE, DEFAULT, 0, state, number, (SparseTrials,)) for number in (24, 25))
    assert (due.to_beat(-1.0), not_due.to_beat(-1.0)) == (-1.0 - MARGIN, -1.0)
