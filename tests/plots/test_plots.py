"""Every picture is drawn from a real run, and says what the run recorded."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import casmopolitan as cas
from casmopolitan.errors import MissingExtraError
from casmopolitan.plots import acquisition, animation, convergence, region, relevance, relevances, runs, trust_region
from casmopolitan.plots.acquisition import RANKED, WEIGHED
from casmopolitan.plots.series import events, running_best


@pytest.fixture(scope="module")
def graph():
    return runs.graph(24)


@pytest.fixture(scope="module")
def tuned():
    return runs.tuned(20)


def saved(figure, folder):
    figure.savefig(folder / "picture.png")
    return (folder / "picture.png").stat().st_size


@pytest.mark.parametrize("draw", [convergence, trust_region])
def test_a_picture_is_drawn_from_a_result_an_optimizer_or_a_list(draw, tuned, tmp_path):
    result = cas.minimize(lambda c: 1.0, tuned.space, 1, optimizer=runs.tuned(8))
    for source in (tuned, tuned.trials, result):
        assert saved(draw(source), tmp_path) > 5000


def test_convergence_shows_the_running_best(tuned):
    line = convergence(tuned).axes[0].lines[0]
    assert list(line.get_ydata()) == running_best(tuned.trials, "minimize")


def test_convergence_of_a_maximisation_climbs():
    trials = [cas.Trial(k, {}, {"source": "initial"}, "complete", float(v)) for k, v in enumerate([1, 3, 2])]
    assert list(convergence(trials, direction="maximize").axes[0].lines[0].get_ydata()) == [1.0, 3.0, 3.0]


@pytest.mark.parametrize(("direction", "sign"), [("minimize", 1.0), ("maximize", -1.0)])
def test_one_wild_value_does_not_flatten_convergence(direction, sign):
    values = [1e6, 9.0, 8.0, 7.0, 5.0, 6.0, 4.0, 3.0]
    trials = [cas.Trial(k, {"a": 1}, {"source": "initial"}, "complete", sign * value) for k, value in enumerate(values)]
    axes = convergence(trials, direction=direction).axes[0]
    low, high = sorted(sign * bound for bound in axes.get_ylim())
    assert low < 3.0 < 9.0 < high < 12.0
    assert "far worse" in [text.get_text() for text in axes.get_legend().get_texts()]
    ordinary = convergence(trials[1:], direction=direction).axes[0]
    assert "far worse" not in [text.get_text() for text in ordinary.get_legend().get_texts()]


def test_convergence_marks_failures():
    trials = [cas.Trial(0, {}, {}, "complete", 1.0), cas.Trial(1, {}, {}, "failed")]
    labels = [text.get_text() for text in convergence(trials).axes[0].get_legend().get_texts()]
    assert "failed" in labels


def test_the_lengths_drawn_are_the_lengths_recorded(tuned):
    first = [t for t in tuned.trials if t.explanation["source"] == "acquisition" and t.explanation["region"] == 0]
    drawn = trust_region(tuned).axes[0].lines[0]
    assert list(drawn.get_ydata()) == [t.explanation["radius"] for t in first]


def test_events_are_read_off_the_record(graph):
    told = {event.number: event.happening for event in events(graph.trials)}
    for before, after in zip(graph.trials, graph.trials[1:], strict=False):
        if before.explanation["source"] == after.explanation["source"] == "acquisition":
            change = after.explanation["radius"] - before.explanation["radius"]
            assert told.get(after.number) == (None if change == 0 else "grew" if change > 0 else "shrank")
    assert {"grew", "shrank", "restarted"} == set(told.values())


def test_a_random_point_of_the_whole_space_says_nothing_of_the_region():
    """A search of the whole space that found nothing is recorded as a fallback without lengths."""
    lengths = [(4, 0.8), (None, None), (4, 0.8), (2, 0.4)]
    trials = [
        cas.Trial(
            number,
            {},
            {"source": "fallback" if radius is None else "acquisition", "region": 0, "radius": radius, "length": length},
            "complete",
            float(number),
        )
        for number, (radius, length) in enumerate(lengths)
    ]
    assert [(event.number, event.happening) for event in events(trials)] == [(3, "shrank")]
    assert [list(axes.lines[0].get_ydata()) for axes in trust_region(trials).axes] == [[4, 4, 2], [0.8, 0.8, 0.4]]


def test_the_region_is_drawn_at_its_turning_points(graph, tmp_path):
    figure = region(graph)
    assert len(figure.axes) == 4
    assert saved(figure, tmp_path) > 20000
    assert len(region(graph, at=[4, 5]).axes) == 2


def test_every_point_is_on_the_ring_of_its_distance(graph):
    from casmopolitan.core.region.hamming import distance
    from casmopolitan.plots.rings import places, vertices

    h = vertices(graph)
    xy = places(h, h[40], graph.space.domain.levels)
    assert (xy**2).sum(axis=1).tolist() == pytest.approx((distance(h, h[40]) ** 2).tolist())
    assert len({tuple(p) for p in xy.round(6).tolist()}) == len(h) == 81


def test_a_large_or_continuous_space_has_no_region_picture(tuned):
    with pytest.raises(cas.DataError, match="discrete variables only"):
        region(tuned)


def test_a_region_picture_of_a_trial_that_never_ended_is_refused(graph):
    with pytest.raises(cas.DataError, match="trial 99 has no value"):
        region(graph, at=[99])


def test_the_slice_shows_posterior_and_acquisition(tuned, tmp_path):
    figure = acquisition(tuned, "learning rate")
    assert saved(figure, tmp_path) > 10000
    assert figure.axes[1].get_xscale() == "log"
    assert len(acquisition(tuned, "dropout").axes) == 2


def test_a_slice_needs_a_continuous_variable(tuned, graph):
    with pytest.raises(cas.DataError, match="'optimiser' is not a continuous variable of the space; those are 'learning rate'"):
        acquisition(tuned, "optimiser")
    with pytest.raises(cas.DataError, match="no continuous variable"):
        acquisition(graph)


@pytest.mark.parametrize("ard", [True, False])
def test_relevance_finds_the_variable_that_decides(ard):
    space = cas.Space({"idle": cas.Categorical(["a", "b", "c"]), "x": cas.Real(0, 1), "busy": cas.Categorical(["u", "v", "w"])})
    config = cas.Config(kernel="heat", priors="freed", fit="lbfgs", n_initial=25, ard=ard)
    optimizer = cas.Optimizer(space, seed=0, config=config)
    for _ in range(25):
        trial = optimizer.ask()
        optimizer.tell(trial, {"u": 0.0, "v": 2.0, "w": 5.0}[trial.configuration["busy"]])
    found = relevances(optimizer)
    assert list(found) == ["idle", "x", "busy"]
    assert found["busy"] > 3 * found["idle"]
    assert all(0 <= value <= 1 for value in found.values())


def test_relevance_is_a_part_of_the_variance_also_where_the_function_is_a_plain_sum():
    """Total effects: 16 / (16 + 4 + 1 + 1) of the variance and so on, whatever rates the smooth kernel needs for them."""
    weights = [4.0, 2.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0]
    space = cas.Space({f"b{i}": cas.Categorical([0, 1]) for i in range(8)})
    optimizer = cas.Optimizer(space, seed=0)
    for configuration in space.sample(60, 1):
        optimizer.tell(configuration, sum(weight * configuration[f"b{i}"] for i, weight in enumerate(weights)))
    found = list(relevances(optimizer).values())
    assert found[:2] == pytest.approx([16 / 22, 4 / 22], abs=0.15)
    assert max(found[4:]) < 0.05


def test_numbers_that_decide_all_are_relevant_though_the_model_sees_a_bowl():
    space = cas.Space({"c": cas.Categorical(["a", "b"]), **{f"x{i}": cas.Real(0, 1) for i in range(6)}})
    optimizer = cas.Optimizer(space, seed=0)
    for configuration in space.sample(40, 1):
        value = sum((configuration[f"x{i}"] - 0.5) ** 2 for i in range(6)) + 0.02 * (configuration["c"] == "a")
        optimizer.tell(configuration, value)
    found = relevances(optimizer)
    assert max(found, key=found.get) != "c"
    assert 6 * found["c"] < sum(found[f"x{i}"] for i in range(6))


def test_relevance_is_drawn_longest_first(tuned, tmp_path):
    figure = relevance(tuned, most=3)
    widths = [bar.get_width() for bar in figure.axes[0].patches]
    assert widths == sorted(widths, reverse=True)
    assert len(widths) == 3
    assert saved(figure, tmp_path) > 5000


@pytest.mark.parametrize("draw", [convergence, trust_region])
@pytest.mark.parametrize("source", [None, 3, {"a": 1}, iter([])])
def test_what_holds_no_trials_is_refused_by_name(draw, source):
    with pytest.raises(cas.DataError, match=f"a Result, an Optimizer or a list of trials; got a {type(source).__name__}"):
        draw(source)


def test_a_direction_that_is_none_is_refused(tuned):
    with pytest.raises(cas.DataError, match="direction is 'up'; it must be 'minimize' or 'maximize'"):
        convergence(tuned.trials, direction="up")


@pytest.mark.parametrize("name", ["run.mp4", "run", "run.gif.png"])
def test_a_file_that_is_no_gif_is_refused_before_a_frame_is_drawn(name, graph, monkeypatch, tmp_path):
    module = sys.modules["casmopolitan.plots.animation"]
    monkeypatch.setattr(module, "_picture", lambda *args: pytest.fail("a frame was drawn"))
    with pytest.raises(cas.DataError, match=r"ends in \.gif"):
        animation(graph, tmp_path / name)


def test_the_animation_is_a_small_gif(tmp_path):
    from PIL import Image

    path = animation(runs.graph(7), tmp_path / "run.gif")
    with Image.open(path) as image:
        assert image.size == (640, 380)
        assert image.n_frames >= 7
    assert path.stat().st_size < 1_500_000


def test_pictures_of_nothing_say_what_is_missing():
    fresh = cas.Optimizer(cas.Space({"x": cas.Real(0, 1)}), seed=0)
    with pytest.raises(cas.DataError, match="no trial has been completed"):
        convergence(fresh)
    with pytest.raises(cas.DataError, match="beyond the initial points"):
        trust_region(fresh)
    with pytest.raises(cas.DataError, match="nothing is relevant"):
        relevance(fresh)
    with pytest.raises(cas.DataError, match="no observation yet"):
        acquisition(fresh)
    with pytest.raises(cas.DataError, match="give a Result or an Optimizer"):
        relevances([])
    with pytest.raises(cas.DataError, match="drawn from a Result"):
        convergence(["trial"])


def test_without_matplotlib_the_extra_is_named(monkeypatch, tuned):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'casmopolitan\[plots\]'"):
        convergence(tuned)


def test_importing_the_pictures_loads_no_matplotlib():
    code = "import sys, casmopolitan.plots; print('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


def test_the_command_draws_every_picture_of_the_documentation(tmp_path, monkeypatch, capsys):
    from casmopolitan.plots import __main__ as command

    graph, tuned, sliced = runs.graph, runs.tuned, runs.sliced
    monkeypatch.setattr(runs, "graph", lambda: graph(7))
    monkeypatch.setattr(runs, "tuned", lambda budget=8, config=runs.LIVELY: tuned(8, config))
    monkeypatch.setattr(runs, "sliced", lambda: sliced(10))
    assert command.main([str(tmp_path / "images")]) == 0
    drawn = {path.name for path in (tmp_path / "images").iterdir()}
    shown = {path.name for path in (Path(__file__).parents[2] / "docs" / "images").iterdir()}
    assert drawn == {name for name in shown if name != "report.png" and not name.startswith("bench-")}
    assert len(capsys.readouterr().out.splitlines()) == len(drawn)


def test_the_command_wants_one_folder(capsys):
    from casmopolitan.plots.__main__ import main

    assert main([]) == 2
    assert "usage" in capsys.readouterr().err


def test_the_slice_says_that_it_is_weighed_once_a_trial_has_failed():
    space = cas.Space({"kind": cas.Categorical(["a", "b", "c"]), "x": cas.Real(0.0, 1.0)})
    opt = cas.Optimizer(space, seed=0, config=replace(cas.DEFAULT, n_initial=4))
    for number in range(7):
        trial = opt.ask()
        opt.tell(trial, cas.FAILED if number == 5 else trial.configuration["x"])
        if number >= 4:
            assert acquisition(opt).axes[1].get_ylabel() == ("log expected\nimprovement" if number < 5 else WEIGHED)


def test_the_slice_of_ranks_has_no_mean_to_show(tmp_path):
    space = cas.Space({"x": cas.Real(0.0, 1.0), "kind": cas.Categorical(["a", "b"])})
    ranked = cas.minimize(lambda c: c["x"] + (c["kind"] == "a"), space, 23, seed=0, config=cas.AUTHORS_CODE)
    figure = acquisition(ranked)
    assert saved(figure, tmp_path) > 5000
    assert RANKED in [text.get_text() for text in figure.axes[0].get_legend().get_texts()]


def test_log_ei_is_cut_off_below_its_peak(tmp_path):
    space = cas.Space({"x": cas.Real(0.0, 1.0)})
    settled = cas.minimize(lambda c: 1e4 * (c["x"] - 0.4) ** 2, space, 25, seed=0)
    low, high = acquisition(settled).axes[1].get_ylim()
    assert high - low < 80


def test_nothing_is_relevant_while_all_values_are_equal():
    space = cas.Space({"kind": cas.Categorical(["a", "b", "c"]), "x": cas.Real(0.0, 1.0)})
    assert relevances(cas.minimize(lambda c: 5.0, space, 14, seed=0)) == {"kind": 0.0, "x": 0.0}


def test_a_region_without_a_completed_trial_is_an_error_in_words(graph, tmp_path):
    fresh = cas.Optimizer(cas.Space({name: cas.Categorical([0, 1, 2]) for name in "abc"}))
    with pytest.raises(cas.DataError, match="no trial has been completed"):
        region(fresh)
    with pytest.raises(cas.DataError, match="no trial has been completed"):
        animation(fresh, tmp_path / "a.gif")
    with pytest.raises(cas.DataError, match="none was named"):
        region(graph, at=[])


def test_the_acquisition_function_of_a_noisy_objective_is_called_augmented():
    space = cas.Space({"x": cas.Real(0, 1), "c": cas.Categorical(["a", "b"])})
    for noisy, name in ((False, "log expected\nimprovement"), (True, "log augmented EI")):
        opt = cas.Optimizer(space, seed=0, noisy=noisy)
        for k in range(6):
            opt.tell({"x": k / 6, "c": "ab"[k % 2]}, (k - 2) ** 2)
        assert acquisition(opt).axes[1].get_ylabel() == name
