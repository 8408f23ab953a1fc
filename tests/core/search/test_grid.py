from dataclasses import replace

import numpy as np

import casmopolitan as cas
from casmopolitan.core.domain import Domain
from casmopolitan.core.points import Axis, Points
from casmopolitan.core.region.neighbourhood import Neighbourhood
from casmopolitan.core.search.eligibility import Eligibility
from casmopolitan.core.search.grid import Climb, stepped

LINE = Domain(np.empty(0, dtype=np.int64), (), (Axis(0, 1000, 1.0),))


class Towards:
    """An acquisition function that is highest at one value of the only axis."""

    def __init__(self, goal: int) -> None:
        self.goal = goal

    def __call__(self, points: Points) -> np.ndarray:
        return -np.abs(LINE.axes[0].index(points.x[:, 0]) - self.goal).astype(float)


def at(*values: int) -> Points:
    return Points(np.empty((len(values), 0), dtype=np.int64), LINE.axes[0].at(np.array(values))[:, None])


def index(points: Points) -> int:
    return int(LINE.axes[0].index(points.x[:, 0])[0])


def climbed(start: int, goal: int, around: Neighbourhood | None = None, taken: tuple[int, ...] = ()) -> int:
    around = Neighbourhood.everywhere(LINE, at(start)) if around is None else around
    score = Towards(goal)
    eligibility = Eligibility(LINE, frozenset(at(*taken).identities()) if taken else frozenset())
    return index(stepped(Climb(at(start), score(at(start))), score, around, eligibility).points)


def test_a_geometric_step_covers_a_long_way():
    assert abs(climbed(100, 356) - 356) == 0
    assert climbed(700, 700 - 128) == 700 - 128


def test_a_single_step_reaches_the_next_integer():
    assert climbed(41, 42) == 42
    assert climbed(43, 42) == 42


def test_a_taken_value_is_passed_over():
    assert climbed(41, 42, taken=(42,)) in (41, 43)


def test_a_costly_constraint_is_asked_about_better_values_only_and_the_best_of_them_first():
    asked = []

    def odd(points):
        asked.extend(LINE.axes[0].index(points.x[:, 0]).tolist())
        return LINE.axes[0].index(points.x[:, 0]) % 2 == 1

    line = replace(LINE, feasible=odd, costly=True)
    score, start = Towards(1000), at(8)
    found = stepped(Climb(start, score(start)), score, Neighbourhood.everywhere(line, start), Eligibility(line, frozenset()))
    assert index(found.points) == 9
    assert asked == [520, 264, 136, 72, 40, 24, 16, 12, 10, 9]


def test_steps_stay_inside_the_region():
    centre = at(100)
    around = Neighbourhood(LINE, centre, 0, centre.x[0] - 0.05, centre.x[0] + 0.05)
    assert climbed(100, 900, around=around) == 132


def test_the_papers_search_takes_steps_along_a_grid_too():
    space = cas.Space({"n": cas.Integer(0, 10_000), "kind": cas.Categorical(["a", "b"])})
    optimizer = cas.Optimizer(space, seed=1, config=replace(cas.PAPER, n_initial=6))
    for _ in range(30):
        trial = optimizer.ask()
        optimizer.tell(trial, (trial.configuration["n"] - 4321) ** 2 / 1e6 + (trial.configuration["kind"] == "b"))
    assert all(trial.explanation["source"] != "fallback" for trial in optimizer.trials)
    assert abs(optimizer.best_configuration["n"] - 4321) < 500


def test_climbers_that_step_together_end_where_each_ends_alone():
    starts, score, rule = (100, 700, 43, 5), Towards(333), Eligibility(LINE, frozenset(at(333, 43).identities()))
    around = Neighbourhood.everywhere(LINE, at(100))
    together = stepped(Climb(at(*starts), score(at(*starts))), score, around, rule)
    alone = [climbed(start, 333, around, taken=(333, 43)) for start in starts]
    assert LINE.axes[0].index(together.points.x[:, 0]).tolist() == alone


def test_all_steps_along_a_coordinate_are_scored_at_once():
    counted = []

    def score(points):
        counted.append(len(points))
        return Towards(333)(points)

    start = at(100, 700, 43)
    stepped(Climb(start, Towards(333)(start)), score, Neighbourhood.everywhere(LINE, at(100)), Eligibility(LINE, frozenset()))
    assert len(counted) == 1
