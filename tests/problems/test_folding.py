import sys

import pytest

from casmopolitan import problems
from casmopolitan.errors import DataError, MissingExtraError
from casmopolitan.problems.folding import STRUCTURES


@pytest.mark.parametrize("target", ["", "((.)", "(.))", "(x)", ")("])
def test_a_target_whose_brackets_do_not_match_is_refused(target):
    with pytest.raises(DataError, match="target structure"):
        problems.rna(target)


def test_without_viennarna_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "RNA", None)
    problem = problems.get("rna-hairpin")
    with pytest.raises(MissingExtraError, match=r"casmopolitan\[bench\]"):
        problem(problem.optimum.configuration)


@pytest.mark.parametrize("structure", STRUCTURES)
def test_the_stored_sequences_fold_into_their_targets(structure):
    pytest.importorskip("RNA", reason="ViennaRNA (extra 'bench') is not installed")
    problem = problems.get(f"rna-{structure}")
    assert problem(problem.optimum.configuration) == 0
    assert len(problem.space) == len(STRUCTURES[structure][0])


def test_the_value_counts_the_positions_that_differ():
    pytest.importorskip("RNA", reason="ViennaRNA (extra 'bench') is not installed")
    problem = problems.get("rna-hairpin")
    assert problem(dict.fromkeys(problem.space.names, "A")) == 12
    assert problem.optimum.exact
    assert not problems.rna("((((....))))").optimum.exact
