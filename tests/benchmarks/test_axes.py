import casmopolitan as cas
from benchmarks.axes import axes_of, configuration_of, numbers_of

SPACE = cas.Space(
    {
        "kind": cas.Categorical([1, True, None, "1"]),
        "size": cas.Ordinal([32, 64, 256]),
        "layers": cas.Integer(2, 9),
        "even": cas.Integer(2, 10, step=2),
        "share": cas.Real(0.0, 1.0, step=0.1),
        "rate": cas.Real(1e-4, 1.0, log=True),
    }
)


def test_peers_see_whole_numbers_and_numbers_only():
    axes = axes_of(SPACE)
    assert [axis.kind for axis in axes] == ["choice", "integer", "integer", "integer", "integer", "real"]
    assert [(axis.low, axis.high) for axis in axes] == [(0, 3), (0, 2), (2, 9), (0, 4), (0, 10), (1e-4, 1.0)]
    assert [axis.size for axis in axes[:5]] == [4, 3, 8, 5, 11]


def test_a_configuration_survives_the_way_to_a_peer_and_back():
    axes = axes_of(SPACE)
    for configuration in SPACE.sample(50, 0):
        back = configuration_of(axes, numbers_of(axes, configuration))
        assert back == configuration
        assert [type(value) for value in back.values()] == [type(value) for value in configuration.values()]


def test_a_peer_that_rounds_badly_stays_inside_the_space():
    rate = axes_of(SPACE)[-1]
    assert rate.value(1.0000001) == 1.0
    assert rate.value(0.99e-4) == 1e-4
