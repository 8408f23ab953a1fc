import gzip
import struct
import sys

import numpy as np
import pytest

from casmopolitan import problems
from casmopolitan.errors import DataError, MissingExtraError
from casmopolitan.problems.tuning.boosting import mnist, single_precision, split

SMALL = {
    "booster": "gbtree",
    "grow_policy": "depthwise",
    "objective": "multi:softmax",
    "learning_rate": 0.3,
    "max_depth": 2,
    "min_split_loss": 0.0,
    "subsample": 0.5,
    "reg_lambda": 1.0,
}


@pytest.fixture
def folder(tmp_path):
    """Thirty images of 4 × 4 bytes in MNIST's files, the labels gzipped."""
    labels = np.arange(30, dtype=np.uint8) % 3
    images = (labels[:, None] * 80 + np.arange(16)).astype(np.uint8)
    (tmp_path / "train-images-idx3-ubyte").write_bytes(struct.pack(">IIII", 2051, 30, 4, 4) + images.tobytes())
    packed = gzip.compress(struct.pack(">II", 2049, 30) + labels.tobytes())
    (tmp_path / "train-labels-idx1-ubyte.gz").write_bytes(packed)
    return tmp_path


def test_idx_files_are_read_plain_and_gzipped(folder):
    X, y = mnist(folder)
    assert X.shape == (30, 16)
    assert X[4].tolist() == [80 + k for k in range(16)]
    assert y.tolist() == [0, 1, 2] * 10


def test_a_missing_cut_or_foreign_file_is_named(folder, tmp_path):
    images = folder / "train-images-idx3-ubyte"
    whole = images.read_bytes()
    images.write_bytes(whole[:-3])
    with pytest.raises(DataError, match=r"train-images.*30×4×4.*truncated"):
        mnist(folder)
    images.write_bytes(b"GIF89a")
    with pytest.raises(DataError, match="not an IDX file"):
        mnist(folder)
    images.unlink()
    with pytest.raises(DataError, match="neither train-images-idx3-ubyte nor"):
        problems.xgboost_mnist(folder)


def test_images_and_labels_must_be_as_many(folder):
    (folder / "train-labels-idx1-ubyte.gz").unlink()
    (folder / "train-labels-idx1-ubyte").write_bytes(struct.pack(">II", 2049, 2) + b"\0\1")
    with pytest.raises(DataError, match="30 images but 2 labels"):
        mnist(folder)


def test_the_split_is_seven_to_three_and_stratified():
    pytest.importorskip("sklearn", reason="scikit-learn (extra 'bench') is not installed")
    X_train, X_test, y_train, y_test = split(None, 0)
    assert (len(X_train), len(X_test)) == (1257, 540)
    assert np.bincount(y_test) / 540 == pytest.approx(np.bincount(y_train) / 1257, abs=0.003)


def test_a_forest_reads_most_digits_and_repeats_its_value(folder):
    pytest.importorskip("xgboost", reason="xgboost (extra 'bench') is not installed")
    problem = problems.xgboost_mnist(folder)
    assert problem(SMALL) == problem(SMALL)
    assert 0 <= problem(SMALL) < 0.7


def test_the_digits_are_learnt_by_a_small_forest():
    pytest.importorskip("xgboost", reason="xgboost (extra 'bench') is not installed")
    assert 0 < problems.get("xgboost-digits")(SMALL) < 0.1


def test_floats_are_rounded_to_single_precision():
    values = single_precision({**SMALL, "min_split_loss": 1.9e-60, "subsample": 0.1})
    assert values["min_split_loss"] == 0
    assert np.float32(values["subsample"]) == np.float32(0.1)
    assert {**values, "min_split_loss": 0.0, "subsample": 0.5, "learning_rate": 0.3} == SMALL


def test_a_tiny_value_is_not_rejected_by_xgboost(folder):
    pytest.importorskip("xgboost", reason="xgboost (extra 'bench') is not installed")
    problem = problems.xgboost_mnist(folder)
    assert problem({**SMALL, "min_split_loss": 1.9e-60}) == problem(SMALL)


def test_without_xgboost_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "xgboost", None)
    with pytest.raises(MissingExtraError, match=r"'xgboost'.*casmopolitan\[bench\]"):
        problems.get("xgboost-digits")(SMALL)
