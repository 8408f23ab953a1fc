from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from casmopolitan.core.ask import Ask
from casmopolitan.core.domain import Domain
from casmopolitan.core.extensions import extensions_for
from casmopolitan.core.extensions.sparse_trials import MARGIN, SparseTrials, global_trials_lead, is_due
from casmopolitan.core.gp.model import SPARSE_NOTE
from casmopolitan.core.points import Points
from casmopolitan.core.state import Asked, Provenance, Suggestion, Told, opening, tell
from casmopolitan.presets import ABLATIONS, AUTHORS_CODE, DEFAULT, PAPER
from runs import MIXED, ask, run


def switches(count):
    return Domain(np.full(count, 2), (None,) * count, ())


WIDE = switches(60)


def heard(sources, values, domain=WIDE):
    """A state that was told these values at points from these sources, in this order."""
    state = opening(domain, DEFAULT)
    for number, (source, value) in enumerate(zip(sources, values, strict=True)):
        h = np.array([[number >> bit & 1 for bit in range(domain.d_h)]])
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
