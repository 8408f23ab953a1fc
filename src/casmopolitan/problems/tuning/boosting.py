"""Tuning XGBoost on handwritten digits (App. C.2, "XG-MNIST"; extra `bench`: xgboost and scikit-learn)."""

from __future__ import annotations

import gzip
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from casmopolitan.errors import DataError, MissingExtraError
from casmopolitan.problems.problem import Configuration, Problem
from casmopolitan.space import Categorical, Integer, Real, Space, Variable

TEST_SHARE = 0.3
MAGIC = {"images": 2051, "labels": 2049}
"""The first number of an IDX file of images (three dimensions of bytes) and of labels (one)."""


def xgboost_digits(*, seed: int = 0) -> Problem:
    """f = 1 − accuracy on a stratified 30 % of scikit-learn's bundled digits; the seed determines the split."""
    return _tuning("xgboost-digits" + (f"-seed{seed}" if seed else ""), None, seed)


def xgboost_mnist(path: str | Path, *, seed: int = 0) -> Problem:
    """Return the problem of tuning XGBoost on MNIST.

    f = 1 − accuracy on a stratified 30 % of the training images.

    Args:
        path: A folder with `train-images-idx3-ubyte` and `train-labels-idx1-ubyte`, plain or .gz.
        seed: The seed of the split and of XGBoost.

    Returns:
        The problem.

    Raises:
        DataError: If a file is missing.
    """
    folder = Path(path)
    for part in MAGIC:
        _idx_file(folder, part)
    return _tuning("xgboost-mnist" + (f"-seed{seed}" if seed else ""), str(folder), seed)


def _tuning(name: str, folder: str | None, seed: int) -> Problem:
    """Return the tuning problem on the digits in the folder, or on the bundled ones."""
    variables: dict[str, Variable] = {
        "booster": Categorical(["gbtree", "dart"]),
        "grow_policy": Categorical(["depthwise", "lossguide"]),
        "objective": Categorical(["multi:softmax", "multi:softprob"]),
        "learning_rate": Real(0, 1),
        "max_depth": Integer(1, 10),
        "min_split_loss": Real(0, 10),
        "subsample": Real(0.001, 1),
        "reg_lambda": Real(0, 5),
    }
    return Problem(
        name=name,
        space=Space(variables),
        function=partial(_test_error, folder=folder, seed=seed),
        source="Wan et al. 2021, App. C.2; Ru et al. 2020 (CoCaBO)",
    )


def _test_error(configuration: Configuration, folder: str | None, seed: int) -> float:
    """Return 1 − accuracy of XGBoost with this configuration, and otherwise its defaults."""
    try:
        import xgboost
    except ImportError as error:
        raise MissingExtraError("Tuning XGBoost", "xgboost", "bench") from error
    X_train, X_test, y_train, y_test = split(folder, seed)
    classifier = xgboost.XGBClassifier(**single_precision(configuration), random_state=seed, n_jobs=1)
    return 1 - float(np.mean(classifier.fit(X_train, y_train).predict(X_test) == y_test))


def single_precision(configuration: Configuration) -> dict[str, Any]:
    """Return the configuration with its floats in single precision, as XGBoost reads them.

    XGBoost rejects a number below the smallest single-precision number, such as 1e-60; here it becomes 0.
    """
    return {name: float(np.float32(value)) if isinstance(value, float) else value for name, value in configuration.items()}


@cache
def split(folder: str | None, seed: int) -> tuple[NDArray[Any], ...]:
    """Return (X_train, X_test, y_train, y_test), stratified."""
    try:
        from sklearn.datasets import load_digits
        from sklearn.model_selection import train_test_split
    except ImportError as error:
        raise MissingExtraError("Tuning XGBoost", "scikit-learn", "bench") from error
    X, y = load_digits(return_X_y=True) if folder is None else mnist(Path(folder))
    return tuple(train_test_split(X, y, test_size=TEST_SHARE, stratify=y, random_state=seed))


def mnist(folder: Path) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return MNIST's training images, one per row, and their labels."""
    images, labels = idx(_idx_file(folder, "images"), MAGIC["images"]), idx(_idx_file(folder, "labels"), MAGIC["labels"])
    if len(images) != len(labels):
        raise DataError(f"{folder}: {len(images)} images but {len(labels)} labels; the two files do not belong together")
    return images.reshape(len(images), -1), labels


def idx(path: Path, magic: int) -> NDArray[np.uint8]:
    """Return the array in an IDX file: magic number, sizes (big-endian, 4 bytes each), then the bytes."""
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    dimensions = magic % 256
    start = 4 + 4 * dimensions
    head = np.frombuffer(data[:start], dtype=">u4") if len(data) >= start else np.zeros(1, dtype=">u4")
    if head[0] != magic:
        raise DataError(f"{path}: is not an IDX file with {dimensions} dimensions of bytes; it should start with {magic}")
    shape = [int(size) for size in head[1:]]
    if len(data) - start != np.prod(shape):
        raise DataError(f"{path}: should have {'×'.join(map(str, shape))} bytes, but has {len(data) - start}; is it truncated?")
    return np.frombuffer(data, dtype=np.uint8, offset=start).reshape(shape)


def _idx_file(folder: Path, part: str) -> Path:
    """Return the training file of images or labels in the folder."""
    stem = f"train-{part}-idx{MAGIC[part] % 256}-ubyte"
    for name in (stem, f"{stem}.gz"):
        if (folder / name).is_file():
            return folder / name
    raise DataError(f"{folder}: holds neither {stem} nor {stem}.gz; give the folder of MNIST's four IDX files")
