from __future__ import annotations

import json

import numpy as np
import pytest

from benchmarks.ledger import read
from benchmarks.outcomes import methods, quadratics, seconds, shortfall
from benchmarks.outcomes.__main__ import main
from benchmarks.outcomes.problems import PROBLEMS
from benchmarks.outcomes.table import page
from benchmarks.page import markdown


@pytest.mark.parametrize("method", ["default", "random", "optuna-tpe", "optuna-nsga2"])
@pytest.mark.parametrize("problem", ["cat-cstrs-12", "re25"])
def test_every_method_returns_the_outcomes_of_its_trials(method, problem):
    chosen = PROBLEMS[problem]()
    found = methods.run(method, chosen, 12, seed=0)
    assert len(found) == 12
    assert all(set(row) == set(chosen.objectives) | set(chosen.limits) for row in found)


def test_the_command_records_each_run_once_and_prints_the_table(tmp_path, capsys):
    out = tmp_path / "outcomes.jsonl"
    arguments = ["--problems", "re36", "--methods", "random", "--seeds", "2", "--budget", "25", "--out", str(out)]
    main(arguments)
    main(arguments)
    records = [json.loads(line) for line in out.read_text().splitlines()]
    assert [record["seed"] for record in records] == [0, 1]
    assert records[0]["command"] == f"python -m benchmarks.outcomes {' '.join(arguments)}"
    assert 0.0 < records[0]["scores"]["25"] < 1.0
    assert "Several objectives" in capsys.readouterr().out


def test_an_unknown_name_is_named(capsys):
    with pytest.raises(SystemExit):
        main(["--problems", "re99"])
    assert "re99: unknown" in capsys.readouterr().err


def test_a_field_of_the_default_can_be_changed_and_a_field_of_a_rival_cannot(tmp_path, capsys):
    changed, out = 'default:mean="zero"', tmp_path / "outcomes.jsonl"
    main(["--problems", "re36", "--methods", changed, "--seeds", "1", "--budget", "25", "--out", str(out)])
    assert read(out)[0]["method"] == changed
    assert changed not in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["--methods", "random:mean=1"])


@pytest.mark.parametrize("place", quadratics.PLACES)
def test_the_functions_of_a_seed_have_their_best_values_inside_the_ranges_or_at_their_ends(place):
    measure, at = quadratics.functions(place, 3), np.linspace(0, 1, 101)
    base = quadratics.SPACE.sample(1, 0)[0]
    best = [at[np.argmin([measure(base | {f"x{k}": v})[f"f{j}"] for v in at])] for j in range(2) for k in range(4)]
    assert all((v in (0, 1)) == (place == "ends") for v in best)


def test_the_means_are_compared_in_one_table(monkeypatch, capsys):
    monkeypatch.setattr(quadratics, "AT", (8, 12))
    quadratics.main(["--seeds", "2"])
    rows = [line for line in capsys.readouterr().out.splitlines() if line.startswith(("| inside", "| ends"))]
    assert [row.split(" | ")[1] for row in rows] == ["clear-bowl", "zero"] * 2


@pytest.mark.parametrize("flags", [[], ["--together"]])
def test_the_shortfall_of_the_search_is_shown(flags, monkeypatch, capsys):
    for name, value in {"EVERY": 3, "RANDOM": 200, "BESIDE": 5, "STARTS": 4}.items():
        monkeypatch.setattr(shortfall, name, value)
    shortfall.main(["--problem", "pressure-vessel", "--seeds", "1", "--trials", "20", *flags])
    row = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("| pressure-vessel"))
    searches, mean = row.split(" | ")[1:3]
    assert int(searches) == 3
    assert 0 <= float(mean.split(" ± ")[0]) < shortfall.LARGEST


def record(problem, method, seed, scores):
    return {"problem": problem, "method": method, "seed": seed, "scores": scores, "status": "done", "processor_seconds": 2.0}


def test_the_table_shows_means_runs_without_a_feasible_trial_and_who_is_behind():
    found = {"default": [1.0, 2.0], "random": [5.0, None]}
    records = [
        record("cat-cstrs-12", method, seed, {"50": score and score + seed / 100})
        for method in found
        for seed in range(8)
        for score in [found[method][seed % 2]]
    ]
    text = markdown(list(page(records)), "images")
    assert "| cat-cstrs-12, at 50 | **1.535 ± 0.19** | 5.03 ± 0.013 (4 none) |" in text
    assert "| Random search | 1 / 0 / 0 |" in text
    assert "Better means than the default's, with the number of seeds: none." in text


def test_the_table_names_rivals_with_a_better_mean_and_fewer_seeds():
    records = [record("re25", "default", seed, {"50": 0.5}) for seed in range(2)]
    records.append(record("re25", "optuna-gp", 1, {"50": 0.75}))
    text = markdown(list(page(records)), "images")
    assert "| re25, at 50 | 0.5 ± 0 | **0.75** (1 of 2 seeds) |" in text
    assert "Optuna GPSampler on re25 at 50 (0.75 of 1 against 0.5 of 2)" in text
    assert "The command can also run BoTorch, Optuna TPE, Optuna NSGA-II, Random search" in text


def test_seconds_are_measured_in_turn_and_shown_with_their_ratios(tmp_path, capsys, monkeypatch):
    def slow(problem, objectives):
        return lambda: float(len(objectives))

    monkeypatch.setattr(seconds, "ours", slow)
    monkeypatch.setattr(seconds, "gp_sampler", lambda problem: lambda: 30.0)
    monkeypatch.setattr(seconds.importlib.util, "find_spec", lambda name: True)
    out = tmp_path / "outcomes.jsonl"
    seconds.main(["--problem", "re25", "--trials", "25", "--out", str(out)])
    row = "| re25 | 2 | 25 | 1 | 2 | 30 | 2 | 15 |"
    assert row in capsys.readouterr().out
    assert row in markdown(list(page(read(out))), "images")


def test_seconds_are_those_of_suggestions():
    step = seconds.ours(PROBLEMS["re25"](), {"volume": "minimize"})
    assert 0.0 <= step() < 60.0


def test_runs_that_ended_with_an_error_are_counted():
    failed = {"problem": "re25", "method": "botorch", "seed": 0, "status": "failed", "error": "..."}
    assert "BoTorch on re25 (1)" in markdown(list(page([failed])), "images")
    changed = failed | {"method": "default:no_such_field=1"}
    assert "default:no_such_field=1 on re25 (1)" in markdown(list(page([changed])), "images")
