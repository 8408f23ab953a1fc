"""Commands that look: status, best, trials."""

from __future__ import annotations


def test_before_the_first_trial_nothing_is_made_and_the_way_is_said(quick):
    for command in ("status", "report"):
        assert "`casmopolitan run` or `casmopolitan ask` creates it" in quick.light(command, code=1).stderr
    assert not (quick.folder / "casmopolitan.db").exists()


def test_a_study_is_looked_at_from_every_side(quick):
    quick.write(
        "study.toml", (quick.folder / "study.toml").read_text().replace("print(len", "assert sys.argv[2] != '4'; print(len")
    )
    quick.light("run", "study.toml", "--budget", 7, "--no-report")
    status = quick.light_data("status")
    assert (status["study"], status["counted"], status["budget"]) == ("quick", 7, 6)
    assert "best" in quick.light("status").stdout
    best = quick.light_data("best")
    values = [row["value"] for row in quick.rows() if row["value"] is not None]
    assert best["value"] == min(values)
    assert f"value  {min(values)}" in quick.light("best").stdout
    assert [row["value"] for row in quick.light_data("best", "--top", 3)] == sorted(values)[:3]
    assert len(quick.light_data("trials", "--last", 2)) == 2
    table = quick.light("trials", "--state", "complete").stdout
    assert table.split()[:5] == ["trial", "state", "value", "a", "b"]
    page = quick.light_data("report", "--output", "page.html")["report"]
    assert (quick.folder / page).read_text().startswith("<!doctype html>")


def test_status_counts_what_counts(lab):
    lab.write("past.csv", "solvent,temperature,value\nwater,30,1\nethanol,40.5,failed\n")
    lab.light("import", "past.csv")
    lab.light("ask")
    lab.light("tell", "--trial", 2, "--value", 1)
    assert "trials  1 complete, 0 failed, of 30" in lab.light("status").stdout


def test_status_says_what_the_model_of_the_latest_suggestion_has_learnt(lab):
    lines = [f"{solvent},{t},{t / 40}" for solvent in ("water", "ethanol") for t in range(30, 90, 10)]
    lab.write("past.csv", "\n".join(["solvent,temperature,value", *lines]) + "\n")
    lab.light("import", "past.csv")
    assert "structure" not in lab.light("status").stdout
    lab.light("ask")
    (asked,) = [row for row in lab.rows() if row["state"] == "asked"]
    assert f"structure  {asked['structure']}" in lab.light("status").stdout


def test_status_says_why_a_trial_leaves_the_trust_region(lab):
    lines = [f"water,{t},{t / 40}" for t in range(30, 90, 5)]
    lab.write("past.csv", "\n".join(["solvent,temperature,value", *lines]) + "\n")
    lab.light("import", "past.csv")
    reasons = [row["reason"] for row in lab.light_data("ask", "-n", 6) if row["source"] == "global"]
    assert reasons
    assert lab.light("status").stdout.count("explore the whole space") == len(reasons)


def test_the_best_of_a_noisy_study_is_the_models_choice_and_says_so(lab):
    lab.write("study.toml", (lab.folder / "study.toml").read_text().replace("budget = 30", "budget = 30\nnoisy = true"))
    noise = [3.0, -2.0, 1.0, -4.0, 2.0, -1.0, 4.0, -3.0, 0.5, -0.5, 9.0, -1.5]
    lines = [f"water,{25 + 8 * k},{-0.05 * (25 + 8 * k) + e}" for k, e in enumerate(noise)]
    lab.write("past.csv", "\n".join(["solvent,temperature,value", *lines]) + "\n")
    lab.light("import", "past.csv")
    best = lab.light_data("status")["best"]
    assert best["value"] != max(row["value"] for row in lab.rows())
    assert "by the model's mean" in lab.light("status").stdout
    assert lab.light("best").stdout.startswith("model's mean")
    lab.light("report")
    page = (lab.folder / "study-report.html").read_text()
    assert "best by the model&#39;s mean" in page
    assert f"<b>{best['predicted']:.6g}</b>" in page


def test_the_best_few_of_a_noisy_study_are_different_configurations(lab):
    lab.write("study.toml", (lab.folder / "study.toml").read_text().replace("budget = 30", "budget = 30\nnoisy = true"))
    lines = [f"{solvent},{t},{k + t / 40}" for solvent, t in (("water", 30), ("ethanol", 60)) for k in range(3)]
    lab.write("past.csv", "\n".join(["solvent,temperature,value", *lines, "water,90,1"]) + "\n")
    lab.light("import", "past.csv")
    best = lab.light_data("best", "--top", 5)
    assert sorted((row["configuration"]["temperature"], row["evaluations"]) for row in best) == [(30, 3), (60, 3), (90, 1)]
    assert lab.light("best", "--top", 5).stdout.split()[:6] == ["trial", "state", "value", "model's", "mean", "evaluations"]
    assert "evaluations   3" in lab.light("best").stdout


def test_the_best_with_a_given_value_is_shown(quick):
    quick.write("known.csv", "a,b,value\np,5,1\nq,7,2\nq,9,3\n").light("import", "known.csv")
    assert quick.light_data("best")["value"] == 1.0
    assert quick.light_data("best", "--fixed", "a=q")["configuration"] == {"a": "q", "b": 7}
    assert quick.light_data("best", "--fixed", "a=q", "--fixed", "b=9")["value"] == 3.0
    assert "no trial with a=r has been completed yet" in quick.light("best", "--fixed", "a=r", code=1).output
    said = quick.light("best", "--fixed", "c=1", "--fixed", "a=z", code=1).output
    assert "'c' is not a variable of the space" in said
    assert "'a' got 'z'" in said
