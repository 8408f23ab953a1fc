"""What a run hands back."""

from __future__ import annotations

import csv
import io
import sys
from dataclasses import replace

import pytest

import casmopolitan as cas

SPACE = cas.Space({"kind": cas.Categorical(["a", "b"]), "value": cas.Integer(0, 9)})


def half_broken(configuration):
    if configuration["kind"] == "b":
        raise ArithmeticError("b does not add up")
    return configuration["value"]


def run():
    return cas.minimize(half_broken, SPACE, 8, seed=1)


def test_rows_are_flat_and_complete():
    result = run()
    rows = result.to_rows()
    assert len({tuple(row) for row in rows}) == 1
    for row, trial in zip(rows, result.trials, strict=True):
        assert (row["number"], row["status"], row["value"]) == (trial.number, trial.status, trial.value)
        assert row["kind"] == trial.configuration["kind"]
        assert row["source"] == "initial"
        assert row["seconds"] >= 0
        assert (row["error"] is None) == (trial.status == "complete")


def test_a_variable_named_like_a_column_does_not_hide_it():
    result = run()
    assert [row["variable.value"] for row in result.to_rows()] == [t.configuration["value"] for t in result.trials]


def test_no_two_variables_share_a_column():
    names = ["value", "variable.value", "variable.variable.value", "variable.a", "a"]
    space = cas.Space({name: cas.Integer(0, 3) for name in names})
    result = cas.minimize(lambda c: sum(c.values()), space, 3, seed=0)
    columns = ["variable.value", "variable.variable.value", "variable.variable.variable.value", "variable.a", "a"]
    for row, trial in zip(result.to_rows(), result.trials, strict=True):
        assert [row[column] for column in columns] == list(trial.configuration.values())
        assert row["value"] == trial.value


def test_rows_go_into_a_csv_file():
    rows = run().to_rows()
    file = io.StringIO()
    writer = csv.DictWriter(file, rows[0])
    writer.writeheader()
    writer.writerows(rows)
    assert len(file.getvalue().splitlines()) == 9


def test_the_repr_says_what_matters():
    text = repr(run())
    assert text.startswith("Result: best value ")
    assert "kind   'a'" in text
    assert "failed" in text
    assert "stopped because the budget is spent" in text
    assert "most often: " in text


def test_a_result_stays_as_it_was_when_the_optimiser_goes_on():
    result = run()
    cas.minimize(half_broken, SPACE, 3, optimizer=result.optimizer)
    assert len(result.trials) == 8


def test_the_best_configuration_is_a_copy():
    result = run()
    result.best_configuration.clear()
    assert result.best_configuration


def test_changing_the_configuration_of_a_trial_changes_nothing_in_the_result():
    result = run()
    before = result.to_rows()
    result.trials[0].configuration["kind"] = "changed"
    result.best_trial.configuration.clear()
    assert result.to_rows() == before


def test_a_row_gives_the_probability_of_success_where_trials_failed():
    space = cas.Space({f"c{i}": cas.Categorical(list("abc")) for i in range(4)})
    failing = {"a": 0.0, "b": 1.0, "c": cas.FAILED}
    config = replace(cas.DEFAULT, n_initial=4)
    rows = cas.minimize(lambda c: failing[c["c0"]], space, budget=8, seed=0, config=config).to_rows()
    assert [row["success"] for row in rows[:4]] == [None] * 4
    assert 0 <= rows[-1]["success"] <= 1


def test_an_error_keeps_its_traceback_and_rows_and_repr_show_its_first_line():
    result = run()
    text = next(iter(result.errors.values()))
    first, _, trace = text.partition("\nTraceback (most recent call last):\n")
    assert ", in half_broken" in trace
    assert "evaluate" not in trace
    assert first in [row["error"] for row in result.to_rows()]
    assert "Traceback" not in repr(result)


def test_a_data_frame_has_one_row_per_trial():
    pd = pytest.importorskip("pandas")
    result = cas.minimize(lambda c: c["n"], cas.Space({"n": cas.Integer(1, 9)}), 5, seed=0)
    frame = result.to_dataframe()
    assert isinstance(frame, pd.DataFrame)
    assert frame.index.name == "number"
    assert frame["value"].tolist() == [trial.value for trial in result.trials]
    assert frame["n"].tolist() == [trial.configuration["n"] for trial in result.trials]


def test_without_pandas_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    result = cas.minimize(lambda c: c["n"], cas.Space({"n": cas.Integer(1, 9)}), 2, seed=0)
    with pytest.raises(cas.MissingExtraError, match=r"casmopolitan\[dataframe\]"):
        result.to_dataframe()


def test_notebooks_show_tables_with_escaped_names():
    space = cas.Space({"<b>": cas.Categorical(["<script>", "y"]), "n": cas.Integer(1, 9)}, constraint=cas.Forbid({"n": 3}))
    result = cas.minimize(lambda c: c["n"], space, 3, seed=0)
    for shown in (result, space, result.best_trial):
        html = shown._repr_html_()
        assert html.count("<table>") == 1
        assert "&lt;b&gt;" in html
        assert "<script>" not in html
    assert "Forbid" in space._repr_html_()
    front = cas.optimize(
        lambda c: {"a": c["n"], "b": -c["n"]}, space, objectives={"a": "minimize", "b": "minimize"}, budget=4, seed=0
    )
    assert front._repr_html_().count("<tr>") == 1 + len(front.pareto_front)
