import sys

import numpy as np
import pytest

from casmopolitan import problems
from casmopolitan.errors import DataError, MissingExtraError
from casmopolitan.problems.adversarial.digits import network_and_images


def test_there_are_nine_targets_for_each_of_fifty_images():
    names = problems.attack_instances()
    assert len(set(names)) == 450
    assert problems.get(names[123]).name == names[123]


def test_the_victim_reads_every_image_rightly_and_is_trained_once():
    pytest.importorskip("sklearn", reason="scikit-learn (extra 'bench') is not installed")
    victim, images = network_and_images()
    assert [int(victim(image).argmax()) for image in images] == [i % 10 for i in range(50)]
    assert sum(victim(images[0])) == pytest.approx(1)
    assert network_and_images()[0] is victim
    assert max(np.abs(image).max() for image in images) <= 0.5


def test_the_image_of_an_attack_is_what_the_victim_sees():
    pytest.importorskip("sklearn", reason="scikit-learn (extra 'bench') is not installed")
    victim, images = network_and_images()
    name = "attack-digits-3-7"
    assert np.array_equal(problems.attacked_image(name), images[3])
    (configuration,) = problems.get(name).space.sample(1, np.random.default_rng(0))
    p = victim(problems.attacked_image(name, configuration))
    loss = np.log(np.delete(p, 7).sum()) - np.log(p[7])
    assert problems.get(name)(configuration) == pytest.approx(loss if p.argmax() != 7 else -1.0)


def test_climbing_from_random_points_succeeds_where_the_attack_can():
    pytest.importorskip("sklearn", reason="scikit-learn (extra 'bench') is not installed")
    problem = problems.get("attack-digits")
    rng = np.random.default_rng(0)
    best, value = None, np.inf
    for k in range(2000):
        fresh = problem.space.sample(1, rng)[0]
        name = problem.space.names[k % len(problem.space)]
        trial = fresh if best is None else {**best, name: fresh[name]}
        found = problem(trial)
        if found < value:
            best, value = trial, found
        if problem.solved(value):
            break
    assert problem.solved(value)
    assert value == -1.0


@pytest.mark.parametrize("name", ["attack-digits-50", "attack-digits-3-3", "attack-digits-3-10"])
def test_an_instance_that_does_not_exist_is_refused(name):
    with pytest.raises(DataError, match="modulo 10"):
        problems.get(name)


def test_without_scikit_learn_the_error_names_the_extra(monkeypatch):
    problem = problems.get("attack-digits")
    monkeypatch.setitem(sys.modules, "sklearn.datasets", None)
    network_and_images.cache_clear()
    with pytest.raises(MissingExtraError, match="bench"):
        problem(problem.space.sample(1, 0)[0])
