import json
from collections import defaultdict
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest

from benchmarks import ledger
from benchmarks.ledger import Cell
from benchmarks.paper import regret, reproduction, variance
from benchmarks.paper.catalogue import EXPERIMENTS
from benchmarks.paper.claims import AGREES, DIFFERS
from benchmarks.paper.data import Data, newest
from benchmarks.paper.drawing import MARK
from benchmarks.paper.reproduction import write_page

ROOT = Path(__file__).parents[2]


@pytest.fixture
def filled(record, tmp_path):
    """Write made-up results for every cell of an experiment."""

    def fill(name, scale, methods=None):
        experiment = EXPERIMENTS[name]
        for cell in experiment.cells(scale, range(8) if scale != "quick" else None):
            if methods and cell.method not in methods:
                continue
            end = {"default": 1.0, "paper": 1.1}.get(cell.method, 2.0) + 0.01 * (cell.seed % 10)
            goal = experiment.panels[0].goal if cell.problem.startswith("attack") else None
            best = [[1, 9.0], [15, goal if goal is not None and cell.method == "paper" else end]]
            fields = {"problem": cell.problem, "method": cell.method, "seed": cell.seed, "batch": cell.batch, "best": best}
            made = record(**fields, budget=cell.budget, evaluations=cell.budget, start=cell.start, regions=[3.0, 2.0, 1.0])
            ledger.append(tmp_path / f"{name}-{scale}.jsonl", made)
        return newest(tmp_path, experiment)

    return fill


def texts(figure):
    return [text.get_text() for text in figure.texts]


@pytest.mark.parametrize("name", [n for n, e in EXPERIMENTS.items() if not e.exact and n != "fig-attack"])
def test_a_quick_figure_is_marked(filled, name):
    data = filled(name, "quick")
    figure = data.experiment.draw(data)
    assert MARK in texts(figure)
    plt.close(figure)


@pytest.mark.parametrize("name", ["fig-branin", "table-time", "fig-regret"])
def test_a_larger_figure_is_not_marked_and_takes_the_place_of_the_quick_one(filled, name):
    filled(name, "quick")
    data = filled(name, "half")
    assert data.scale == "half"
    figure = data.experiment.draw(data)
    assert MARK not in texts(figure)
    plt.close(figure)


def test_the_attacks_are_drawn_with_their_images(filled):
    pytest.importorskip("sklearn")
    data = filled("fig-attack", "quick")
    figure = data.experiment.draw(data)
    assert MARK in texts(figure)
    shown = [text.get_text() for part in figure.subfigs for axes in part.axes for text in axes.texts]
    assert "9 of 9 targets" in shown
    plt.close(figure)


def test_without_runs_of_the_usual_image_the_attacks_of_another_one_are_drawn(filled, tmp_path):
    pytest.importorskip("sklearn")
    filled("fig-attack", "half")
    path = tmp_path / "fig-attack-half.jsonl"
    path.write_text("".join(line for line in path.read_text().splitlines(keepends=True) if "attack-digits-0-" in line))
    data = newest(tmp_path, EXPERIMENTS["fig-attack"])
    figure = data.experiment.draw(data)
    assert "9 of 9 targets" in [text.get_text() for axes in figure.subfigs[0].axes for text in axes.texts]
    assert len(figure.subfigs[1].axes) == 10
    plt.close(figure)


def test_every_run_with_a_changed_setting_is_inside_its_panel_and_every_panel_has_numbers_below(filled):
    data = filled("fig-sensitivity", "quick")
    ends = {cell: 1.0 + 0.5 * k for k, cell in enumerate(data.pool)}
    pool = {cell: record | {"best": [[1, 99.0], [15, ends[cell]]]} for cell, record in data.pool.items()}
    figure = data.experiment.draw(Data(data.experiment, "quick", pool))
    figure.canvas.draw()
    for axes in figure.axes:
        (low, high), points = axes.get_ylim(), np.concatenate([line.get_ydata() for line in axes.lines])
        assert low < points.min()
        assert points.max() < high
        assert any(label.get_text() for label in axes.get_xticklabels())
    plt.close(figure)


def test_the_page_gives_claim_verdict_numbers_seeds_and_command(filled, tmp_path):
    filled("fig-categorical", "half", {"paper", "default", "smac", "turbo", "combo"})
    experiment = EXPERIMENTS["fig-categorical"]
    page = tmp_path / "docs" / "page.md"
    page.parent.mkdir()
    paths = write_page([experiment], tmp_path, page)
    text = page.read_text()
    assert (page.parent / "images" / "paper-fig-categorical.png") in paths
    assert "**Claim.** At the end of the budget CASMOPOLITAN is better" in text
    assert "**Verdict: agrees.** Holds: Contamination: paper against smac (1.135 against 2.035, p = " in text
    assert "Not run: Contamination: paper against hyperopt" in text
    assert "| CASMOPOLITAN (paper) | 1.135 ± 0.0087 (8) |" in text
    assert "Not run: random, hyperopt, bo, bocs, released-code." in text
    assert "`python -m benchmarks paper fig-categorical --scale half`" in text


def test_runs_of_another_experiment_are_enough_if_they_have_every_line(filled, tmp_path):
    filled("fig-mixed", "half", {"default", "paper", "turbo"})
    assert newest(tmp_path, EXPERIMENTS["fig-attack"]).seeds == (0, 0)
    filled("fig-mixed", "half", {"mvrsm"})
    assert newest(tmp_path, EXPERIMENTS["fig-attack"]).scale == "half"
    assert newest(tmp_path, EXPERIMENTS["fig-embeddings"]).seeds == (0, 0)


def test_runs_of_one_batch_size_do_not_take_the_place_of_a_smaller_figure_with_all(filled, tmp_path):
    filled("fig-parallel", "quick")
    filled("fig-categorical", "half")
    filled("fig-mixed", "half")
    assert newest(tmp_path, EXPERIMENTS["fig-parallel"]).scale == "quick"


def test_a_method_without_runs_on_some_problems_is_named_with_them(filled, tmp_path):
    data = filled("fig-categorical", "half")
    smac = next(cell for cell in data.pool if cell.method == "smac" and cell.problem == "maxsat-60")
    few = {cell: record for cell, record in data.pool.items() if cell.method != "smac" or cell == smac}
    assert list(reproduction.not_run(Data(data.experiment, "half", few))) == ["smac on Contamination and Pest control"]
    assert reproduction.scale_of(Data(data.experiment, "half", few)) == "half, 1 to 8 seeds"


def test_the_table_of_batches_names_their_sizes(filled, tmp_path):
    filled("fig-parallel", "half")
    write_page([EXPERIMENTS["fig-parallel"]], tmp_path, tmp_path / "docs" / "reproduction.md")
    page = (tmp_path / "docs" / "reproduction.md").read_text()
    assert [f"CASMOPOLITAN (paper), b = {size} |" in page for size in (1, 2, 4, 8)] == [True] * 4


def test_an_experiment_without_results_says_so(tmp_path):
    page = tmp_path / "page.md"
    write_page([EXPERIMENTS["fig-branin"]], tmp_path / "none", page)
    assert "Not run yet." in page.read_text()
    assert not list((tmp_path / "images").iterdir())


def test_the_table_of_times_has_ratios(filled, tmp_path):
    filled("table-time", "half")
    path = tmp_path / "table-time-half.jsonl"
    slow = [
        line | {"seconds": line["seconds"] | {"mean": 0.4}} if line["method"] == "combo" else line for line in ledger.read(path)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in slow))
    page = tmp_path / "page.md"
    write_page([EXPERIMENTS["table-time"]], tmp_path, page)
    assert "| Pest control | COMBO | 8 | 0.4 ± 0 | 4× |" in page.read_text()
    assert "two to three times faster than COMBO. **Verdict: agrees.**" in page.read_text()


def test_the_posterior_variance_is_as_the_paper_says():
    (claim,) = EXPERIMENTS["fig-variance"].claims
    assert claim.verdict(Data(EXPERIMENTS["fig-variance"], "quick", {})).word == AGREES
    nominal, ordinal = (variance.field(kind) for kind in variance.KERNELS.values())
    assert (nominal.seen == ordinal.seen).all()
    assert nominal.apart().sum() > 1000


def test_the_regret_is_that_of_the_regions_that_ended():
    cell = Cell(regret.PROBLEM, regret.UCB, 0, 60)
    record = regret.measure(cell)
    assert record["evaluations"] == cell.budget
    assert len(record["regions"]) >= 2
    assert min(record["regions"]) >= record["optimum"] - 1e-9
    assert record["best"][-1][1] <= min(record["regions"])


@pytest.mark.parametrize(("last", "word"), [(1.0, AGREES), (5.0, DIFFERS)])
def test_the_claim_on_regret_needs_a_paired_test_over_the_seeds(filled, tmp_path, last, word):
    """The last region of half of the seeds is changed; with 5.0 the average regret rises for them."""
    data = filled("fig-regret", "half")
    path = tmp_path / "fig-regret-half.jsonl"
    lines = [line | {"regions": [3.0, 2.0, last if line["seed"] % 2 else 1.0]} for line in ledger.read(path)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    (claim,) = data.experiment.claims
    assert claim.verdict(newest(tmp_path, data.experiment)).word == word


def test_the_documentation_shows_the_results_that_are_committed():
    page = ROOT / "docs" / "reproduction.md"
    found = [newest(ROOT / "benchmarks/results/paper", experiment) for experiment in EXPERIMENTS.values()]
    for data in found:
        for claim in data.experiment.claims:
            word = claim.verdict(data).word
            assert f"**Claim.** {claim.text} **Verdict: {word}.**" in page.read_text(), "python -m benchmarks paper page"
    assert reproduction.RULES in page.read_text()


@pytest.mark.parametrize("path", sorted((ROOT / "benchmarks/results/paper").glob("*.jsonl")), ids=lambda path: path.stem)
def test_all_methods_of_a_seed_were_given_first_points_of_the_same_values(path):
    """Else the runs were made with different versions of the problem, and their figure compares nothing."""
    firsts = defaultdict(set)
    for record in ledger.read(path):
        if record["start"] == "shared" and record["evaluations"] >= record["initial"]:
            first = tuple(value for step, value in record["best"] if step <= record["initial"])
            firsts[record["problem"], record["seed"]].add(first)
    assert {key: curves for key, curves in firsts.items() if len(curves) > 1} == {}
