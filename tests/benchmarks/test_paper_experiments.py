import pytest

from benchmarks import arena
from benchmarks.paper import attack, available
from benchmarks.paper.catalogue import EXPERIMENTS
from benchmarks.paper.claims import MISSING, SMALL
from benchmarks.paper.data import Data
from benchmarks.paper.experiment import SCALES, Line, Panel, Quick
from benchmarks.peers.released_code import FOLDER

RIVALS = {"bo", "turbo", "cocabo", "combo", "bocs", "mvrsm", "rembo", "alebo"}
"""Methods that may be absent; the command then names them."""


@pytest.mark.parametrize("experiment", EXPERIMENTS.values(), ids=EXPERIMENTS)
def test_every_method_and_problem_exists_or_is_a_rival_named_as_unknown(experiment):
    for method in experiment.methods:
        why = available.obstacle_of_method(method)
        assert why is None or method in RIVALS | {"smac", "hyperopt", "released-code"}, why
    problems = {cell.problem for cell in experiment.cells("full", [0])}
    for why in filter(None, map(available.obstacle_of_problem, problems)):
        assert "not installed" in why, why


@pytest.mark.parametrize("experiment", [e for e in EXPERIMENTS.values() if not e.exact], ids=lambda e: e.name)
def test_every_claim_names_lines_of_the_experiment_and_is_not_judged_without_results(experiment):
    for claim in experiment.claims:
        verdict = claim.verdict(Data(experiment, "full", {}))
        assert verdict.comparisons, claim.text
        assert verdict.word == SMALL
        assert {comparison.outcome for comparison in verdict.comparisons} == {MISSING}


@pytest.mark.parametrize("experiment", EXPERIMENTS.values(), ids=EXPERIMENTS)
def test_scales_grow_and_every_cell_is_run_once(experiment):
    counts = [len(experiment.cells(scale)) for scale in SCALES]
    assert counts == sorted(counts, reverse=True)
    for scale in SCALES:
        assert len(set(experiment.cells(scale))) == len(experiment.cells(scale))


def test_the_full_scale_has_the_papers_seeds_and_the_default_is_one_more_line():
    for name in ("fig-categorical", "fig-ablation", "fig-parallel", "fig-func3c", "fig-branin"):
        experiment = EXPERIMENTS[name]
        assert {cell.seed for cell in experiment.cells("full")} == set(range(20))
        assert "default" in experiment.methods


def test_half_the_budget_and_ten_seeds_at_half_scale():
    panel = Panel("func2c", "Func2C", (Line("paper"),), 200)
    assert [(cell.seed, cell.budget) for cell in panel.cells("half")] == [(seed, 100) for seed in range(10)]
    assert [(cell.seed, cell.budget) for cell in panel.cells("quick")] == [(0, 40), (1, 40)]


def test_a_line_may_have_fewer_seeds_and_a_panel_fewer_first_points():
    panel = Panel("func2c", "Func2C", (Line("paper", seeds=1),), 200, quick=Quick(16, 3, "8"))
    (cell,) = panel.cells("quick")
    assert (cell.seed, cell.budget, cell.start) == (0, 16, "8")


def test_every_attack_is_a_run_of_its_own():
    assert [len(attack.instances(scale)) for scale in SCALES] == [450, 90, 9]
    assert {attack.image_of(name) for _, name in attack.instances("quick")} == {attack.SHOWN_IMAGE}
    panel = EXPERIMENTS["fig-attack"].panels[0]
    assert len({(cell.seed, cell.problem) for cell in panel.cells("quick")}) == 9


def test_an_unknown_method_or_setting_or_problem_is_named():
    assert available.obstacle_of_method("no-such") == "no method is called 'no-such'"
    assert available.obstacle_of_method("paper:no_such_field=1") == "no method is called 'paper:no_such_field=1'"
    assert available.obstacle_of_problem("no-such-7") == "no problem is called 'no-such-7'"
    assert available.absent("smac", ("no_such_package",)) == "smac needs no_such_package, not installed here"
    assert available.obstacle_of_method("random") is None


def test_the_released_code_needs_its_folder_and_torch(tmp_path, monkeypatch):
    def obstacle():
        available.obstacle_of_method.cache_clear()
        return available.obstacle_of_method("released-code")

    monkeypatch.delenv(FOLDER, raising=False)
    monkeypatch.setattr(arena, "TORCH_PYTHON", tmp_path / "python")
    assert obstacle() == "released-code needs the authors' code; pass its folder with --released FOLDER"
    (tmp_path / "bo").mkdir()
    (tmp_path / "bo" / "optimizer.py").touch()
    monkeypatch.setenv(FOLDER, str(tmp_path))
    assert obstacle() == "released-code needs torch; run make bench-env"
    arena.TORCH_PYTHON.touch()
    assert obstacle() is None
    available.obstacle_of_method.cache_clear()
