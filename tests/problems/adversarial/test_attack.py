import numpy as np
import pytest

from casmopolitan import problems
from casmopolitan.errors import DataError
from casmopolitan.problems.adversarial.attack import attack_space


class Recorder:
    """A victim that answers with fixed probabilities and keeps what it was shown."""

    def __init__(self, *probabilities: float) -> None:
        self.probabilities = probabilities
        self.shown = []

    def __call__(self, image):
        self.shown.append(image)
        return self.probabilities


IMAGE = np.random.default_rng(0).uniform(-0.5, 0.5, (32, 32, 3))


def still(problem, **values):
    """The configuration that changes no pixel, but for the values given."""
    columns = {name: 0 for name in problem.space.names if name.startswith("column")}
    changes = {name: 0.0 for name in problem.space.names if name.startswith("change")}
    return {**columns, "upsampling": "nearest", **changes, **values}


def test_at_cifars_size_the_space_is_the_papers():
    space = attack_space(14, 3)
    kinds = [(type(v).__name__, v.count) for v in space.variables.values()]
    assert kinds == [("Categorical", 14)] * 42 + [("Categorical", 3)] + [("Real", np.inf)] * 42
    assert len(space) == 85
    assert sum(v.count for v in space.variables.values() if v.count < np.inf) + 42 == 633


def test_an_unchanged_image_is_only_scaled():
    victim = Recorder(0.7, 0.3)
    problem = problems.attack(IMAGE, victim, 1)
    problem(still(problem))
    assert victim.shown[0] == pytest.approx(IMAGE / 1.6)


def test_one_pixel_a_row_and_channel_is_changed_channel_by_channel():
    victim = Recorder(0.7, 0.3)
    image = np.zeros((14, 14, 3))
    problem = problems.attack(image, victim, 1)
    problem(still(problem, column_1_2=5, change_1_2=-0.5))
    changed = np.argwhere(victim.shown[0])
    assert changed.tolist() == [[2, 5, 1]]
    assert victim.shown[0][2, 5, 1] == pytest.approx(-0.5 * 0.3 / 1.6)


@pytest.mark.parametrize("kind", ["bilinear", "nearest", "bicubic"])
def test_the_way_of_enlarging_is_the_one_chosen(kind):
    from casmopolitan.problems.adversarial.resize import enlarge

    victim = Recorder(0.7, 0.3)
    problem = problems.attack(np.zeros((32, 32, 3)), victim, 1)
    problem(still(problem, column_0_7=3, change_0_7=1.0, upsampling=kind))
    delta = np.zeros((14, 14, 3))
    delta[7, 3, 0] = 0.3
    assert victim.shown[0] == pytest.approx(enlarge(delta, 32, 32, kind) / 1.6)


def test_the_loss_compares_the_target_with_all_others_until_it_wins():
    failing = problems.attack(IMAGE, Recorder(0.5, 0.3, 0.2), 1)
    value = failing(still(failing))
    assert value == pytest.approx(np.log(0.7) - np.log(0.3))
    assert not failing.solved(value)
    winning = problems.attack(IMAGE, Recorder(0.3, 0.4, 0.3), 1)
    assert winning(still(winning)) == -1.0
    assert winning.solved(-1.0)


def test_with_the_label_the_loss_is_the_papers():
    problem = problems.attack(IMAGE, Recorder(0.5, 0.3, 0.2), 1, label=0)
    value = problem(still(problem))
    assert value == pytest.approx(np.log(0.5) - np.log(0.3))
    assert not problem.solved(value)
    assert not problem.solved(0.0)
    assert problem.solved(-1e-12)


def test_a_probability_of_zero_stays_finite():
    problem = problems.attack(IMAGE, Recorder(1.0, 0.0), 1)
    assert np.isfinite(problem(still(problem)))


@pytest.mark.parametrize(
    "image", [np.zeros((8, 8)), np.full((8, 8, 1), 200.0), np.full((8, 8, 1), np.nan), np.zeros((0, 8, 1))]
)
def test_an_image_of_the_wrong_shape_or_range_is_refused(image):
    with pytest.raises(DataError, match=r"\[−0.5, 0.5\]"):
        problems.attack(image, Recorder(1.0, 0.0), 1)
