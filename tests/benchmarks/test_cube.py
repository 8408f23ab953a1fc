import numpy as np

import casmopolitan as cas
from benchmarks.cube import points_in


def test_each_level_of_a_discrete_variable_has_an_equal_part_of_its_interval():
    space = cas.Space({"a": cas.Categorical(["p", "q", "r"]), "n": cas.Integer(0, 100), "x": cas.Real(0.0, 2.0)})
    cube = np.array([[0.0, 0.0, 0.0], [0.34, 0.504, 0.25], [1.0, 1.0, 1.0]])
    decoded = space.decode(points_in(space.domain, cube))
    assert decoded == [{"a": "p", "n": 0, "x": 0.0}, {"a": "q", "n": 50, "x": 0.5}, {"a": "r", "n": 100, "x": 2.0}]
