import numpy as np
import pytest

from casmopolitan.problems.adversarial.resize import KINDS, enlarge, matrix


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("small", "large"), [(14, 32), (6, 8), (4, 8), (5, 5)])
def test_every_pixel_is_a_weighted_mean(kind, small, large):
    weights = matrix(kind, small, large)
    assert weights.shape == (large, small)
    assert weights.sum(axis=1) == pytest.approx(1)


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_size_is_the_same_image(kind):
    assert matrix(kind, 5, 5) == pytest.approx(np.eye(5))


def test_nearest_repeats_pixels():
    image = np.arange(4.0).reshape(2, 2, 1)
    assert enlarge(image, 4, 4, "nearest")[:, :, 0].tolist() == [[0, 0, 1, 1], [0, 0, 1, 1], [2, 2, 3, 3], [2, 2, 3, 3]]


@pytest.mark.parametrize("kind", ["bilinear", "bicubic"])
def test_a_slope_stays_a_slope_away_from_the_edge(kind):
    centres = (np.arange(32) + 0.5) * 14 / 32 - 0.5
    assert (matrix(kind, 14, 32) @ np.arange(14.0))[6:-6] == pytest.approx(centres[6:-6])


def test_bicubic_keeps_a_parabola_and_bilinear_does_not():
    centres = ((np.arange(32) + 0.5) * 14 / 32 - 0.5)[6:-6]
    parabola = np.arange(14.0) ** 2
    assert (matrix("bicubic", 14, 32) @ parabola)[6:-6] == pytest.approx(centres**2)
    assert (matrix("bilinear", 14, 32) @ parabola)[6:-6] != pytest.approx(centres**2)


def test_rows_and_columns_are_enlarged_independently():
    image = np.zeros((4, 4, 3))
    image[1, 2, 0] = 1.0
    large = enlarge(image, 8, 12, "bilinear")
    assert large.shape == (8, 12, 3)
    assert large[:, :, 0] == pytest.approx(np.outer(matrix("bilinear", 4, 8)[:, 1], matrix("bilinear", 4, 12)[:, 2]))
    assert not large[:, :, 1:].any()
