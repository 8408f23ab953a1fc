from __future__ import annotations

from dataclasses import replace

import pytest

from casmopolitan.core.extensions import extensions_for
from casmopolitan.core.extensions.balanced_design import BalancedDesign
from casmopolitan.core.extensions.failures import Failures
from casmopolitan.core.extensions.global_trials import GlobalTrials
from casmopolitan.core.extensions.sparse_trials import SparseTrials
from casmopolitan.presets import ABLATIONS, AUTHORS_CODE, DEFAULT, PAPER


@pytest.mark.parametrize("config", [PAPER, AUTHORS_CODE, *ABLATIONS.values()])
def test_the_paper_the_authors_code_and_the_ablations_have_no_extension(config):
    assert extensions_for(config) == ()


def test_the_default_is_balanced_at_first_searches_globally_and_learns_from_failures():
    assert extensions_for(DEFAULT) == (BalancedDesign, GlobalTrials, SparseTrials, Failures)
    assert extensions_for(replace(DEFAULT, global_every=0)) == (BalancedDesign, SparseTrials, Failures)
    assert extensions_for(replace(DEFAULT, acquisition="ucb")) == (BalancedDesign, GlobalTrials, SparseTrials)
    assert extensions_for(replace(DEFAULT, design="random")) == (GlobalTrials, SparseTrials, Failures)
