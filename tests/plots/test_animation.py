"""The animated GIF."""

from __future__ import annotations

import sys

import pytest

import casmopolitan as cas
from casmopolitan.plots import animation
from docs import figures


@pytest.mark.parametrize("name", ["run.mp4", "run", "run.gif.png"])
def test_a_file_that_is_no_gif_is_refused_before_a_frame_is_drawn(name, graph, monkeypatch, tmp_path):
    module = sys.modules["casmopolitan.plots.animation"]
    monkeypatch.setattr(module, "_draw", lambda *args: pytest.fail("a frame was drawn"))
    with pytest.raises(cas.DataError, match=r"ends in \.gif"):
        animation(graph, tmp_path / name)


def test_the_animation_is_a_small_gif(tmp_path):
    from PIL import Image

    path = animation(figures.graph(7), tmp_path / "run.gif")
    with Image.open(path) as image:
        assert image.size == (640, 380)
        assert image.n_frames >= 7
    assert path.stat().st_size < 1_500_000
