import pytest

from benchmarks.report import write
from benchmarks.standings import compared, section_of


@pytest.fixture
def own(record):
    """A run of 100 evaluations on a table whose values are maximised, with the method's own first points."""

    def make(**changes):
        base = {"problem": "table:x264", "start": "own", "initial": 0, "direction": "maximize", "optimum": 10.0, "budget": 100}
        return record(**base | {"evaluations": 100, "best": [[1, 1.0], [40, 5.0]]} | changes)

    return make


def page(records, tmp_path, timed=()):
    write(records, tmp_path / "benchmarks", timed=timed)
    return (tmp_path / "benchmarks.md").read_text()


def runs(own, method, values, **changes):
    return [own(method=method, seed=s, best=[[1, 1.0], [40, value]], **changes) for s, value in enumerate(values)]


def test_every_result_has_its_section(own):
    headings = {
        "table:x264": "Tables of real measurements",
        "planted:sparse-120-2-12#100": "Planted functions",
        "table:lipid-particles:drug_loading": "Tables that no setting was chosen on",
        "table:gb1": "A protein's variants in plates of 96",
    }
    assert {problem: section_of(own(problem=problem)).heading for problem in headings} == headings
    assert section_of(own(start="shared")) is None
    assert section_of(own(problem="pest-25", start="own")) is None


def test_tables_have_means_ranks_and_verdicts_and_stay_out_of_the_test_problems(own, record, tmp_path):
    ours, theirs = runs(own, "default", [8.0, 9.0] * 8), runs(own, "optuna-tpe", [6.0, 7.0] * 8)
    text = page([record(), *ours, *theirs], tmp_path)
    tables, rest = text.split("## Test problems")
    assert "| x264 | 100 | **8.5 ± 0.13** | 6.5 ± 0.13 |" in tables
    assert "| x264 | 25 | **1 ± 0** | **1 ± 0** |" in tables
    assert "| problem | at | casmopolitan default (16 seeds) | Optuna TPE (16 seeds) |" in tables
    assert "| casmopolitan default | 1.50 | 1.00 | 1.00 |" in tables
    assert "| Optuna TPE | 0 / 1 / 0 | 1 / 0 / 0 | 1 / 0 / 0 |" in tables
    assert "**Behind: nowhere.** Level, but with the worse mean: nowhere." in tables
    assert (tmp_path / "images" / "bench-tables.png").exists()
    assert "x264" not in rest.split("## How these results were made")[0]


def test_losses_are_named(own, tmp_path):
    ours = runs(own, "default", [8.0, 9.0, 8.0, 9.0])
    ahead, level = runs(own, "paper", [9.0, 9.5, 9.0, 9.5]), runs(own, "optuna-gp", [8.0, 9.0, 8.5, 9.0])
    text = page([*ours, *ahead, *level], tmp_path)
    worse = "casmopolitan paper on x264 at 50 (9.25 against 8.5); casmopolitan paper on x264 at 100 (9.25 against 8.5)"
    assert f"**Behind: {worse}.** Level, but with the worse mean: Optuna GPSampler on x264 at 50 (8.625 against 8.5)" in text
    assert "| casmopolitan paper | 0 / 1 / 0 | 0 / 0 / 1 | 0 / 0 / 1 |" in text
    assert "ahead / level / behind" not in page([*ours, ahead[0]], tmp_path), "one seed has no standard error"


def test_a_method_with_few_seeds_is_ranked_on_the_seeds_that_all_ran(own, tmp_path):
    many = runs(own, "default", [8.0] * 16) + runs(own, "optuna-tpe", [7.0] * 16)
    few = runs(own, "smac", [9.0] * 2, evaluations=50, budget=50)
    text = page(many + few, tmp_path)
    assert "| method | at 25 (16 seeds) | at 25 (2 seeds) | at 50 (16 seeds) | at 50 (2 seeds) | at 100 (16 seeds) |" in text
    assert "| casmopolitan default | 1.50 | 2.00 | 1.00 | 2.00 | 1.00 |" in text
    assert "| SMAC3 (random forest) | – | 2.00 | – | 1.00 | – |" in text


def test_plates_show_the_share_of_the_best(own, tmp_path):
    best = [[1, 1.0], [150, 5.0], [300, 8.0]]
    plates = [own(problem="table:gb1", start="96", batch=96, evaluations=480, initial=96, best=best, seed=s) for s in range(2)]
    single = [own(problem="table:gb1", start="96", evaluations=192, initial=96, best=best[:2])]
    text = page(plates + single, tmp_path)
    assert "| gb1 | 192 | **0.5** | **0.5 ± 0** |" in text
    assert "| gb1 | 480 | – | **0.8 ± 0** |" in text
    assert "casmopolitan default (96 random points, batches of 96) (2 seeds)" in text
    assert "Behind:" not in text
    assert "![" not in text, "no figure"


def test_seconds_are_compared_within_one_command_only(own, record, tmp_path):
    ours, fast = own(command="first"), own(method="optuna-gp", command="first", seconds={"mean": 1.2})
    elsewhere = own(method="optuna-gp", command="second", seconds={"mean": 9.0}, problem="table:berkeleydb")
    slow = [record(command="third"), record(method="optuna-gp", command="third", seconds={"mean": 0.5})]
    text = page([ours, fast, elsewhere], tmp_path, timed=slow).split("## Speed against the GPSampler")[1]
    assert "1 of 2 ratios are 10 or more; the smallest is 5." in text
    assert "| x264 | 100 | 0.1 | 1.2 | 12 |" in text
    assert "| pest-25 | 200 | 0.1 | 0.5 | 5 |" in text
    assert "| berkeleydb |" not in text


@pytest.mark.parametrize(
    ("ours", "theirs", "verdict"),
    [
        ([1.0, 2.0], [4.0, 5.0], 0),
        ([1.0, 2.0], [1.5, 2.5], 1),
        ([4.0, 5.0], [1.0, 2.0], 2),
        ([1.0, 1.0], [1.0, 1.0], 1),
    ],
)
def test_level_means_within_one_standard_error_of_the_difference(ours, theirs, verdict):
    assert compared(ours, theirs) == verdict
