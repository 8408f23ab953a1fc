"""Every experiment by name, in the order of the paper."""

from __future__ import annotations

from benchmarks.paper import appendix, main_text
from benchmarks.paper.experiment import Experiment

EXPERIMENTS: dict[str, Experiment] = {
    experiment.name: experiment
    for experiment in (
        main_text.CATEGORICAL,
        main_text.MIXED,
        main_text.PARALLEL,
        main_text.ABLATION,
        appendix.TIMES,
        appendix.FUNC3C,
        appendix.NOISY,
        appendix.BRANIN,
        appendix.VARIANCE,
        appendix.ATTACK,
        appendix.SENSITIVITY,
        appendix.EMBEDDINGS,
        appendix.RESTARTS,
        appendix.REGRET,
    )
}
