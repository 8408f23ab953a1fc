from dataclasses import replace

import casmopolitan as cas
from benchmarks.designs import cell, correlation, measured
from benchmarks.planted import planted


def test_more_points_of_a_design_say_more_about_an_additive_function():
    problem = planted("additive-6-2-6#0")
    few, many = (correlation(problem, replace(cas.DEFAULT, n_initial=n), 0) for n in (3, 20))
    assert many > 0.9 > few


def test_each_method_has_a_row_and_each_seed_a_column():
    rows = measured("additive-4-2-4", ["default:n_initial=3", 'default:n_initial=3:design="random"'], 2)
    assert [len(row) for row in rows] == [2, 2]


def test_a_cell_has_the_mean_and_the_difference_to_the_first_method():
    assert cell([0.5, 0.7], [0.4, 0.4]) == "0.600 (+0.200 ± 0.100)"
