"""What a sampler remembers of one study to be quick: nothing that it could not work out again from the storage."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import optuna
from optuna.distributions import BaseDistribution
from optuna.study import Study
from optuna.trial import FrozenTrial, TrialState

from casmopolitan.study.sampler.prefix_cache import Prefixes
from casmopolitan.study.sampler.replay import History, completed, direction_of, finished_key
from casmopolitan.study.sampler.search_space import Border, Distributions, carried
from casmopolitan.study.sampler.settings import Settings, agreed, warned
from casmopolitan.trial import sign_of

_log = optuna.logging.get_logger("optuna.casmopolitan")
"""Below Optuna's own loggers, so that what is said looks like the rest and `optuna.logging.set_verbosity` governs it."""

Common = Mapping[str, BaseDistribution] | None


@dataclass
class Memory:
    """One study as one sampler knows it."""

    trials: list[FrozenTrial] | None = None
    """All trials as the sampler last read them."""
    current_for: int | None = None
    """The number of the trial for which `trials` were read, until this process changes a trial."""

    _common: Prefixes[Common] = field(default_factory=lambda: Prefixes(None))
    _carried: tuple[Common, Distributions] = (None, {})
    _border: tuple[Distributions, tuple[str, ...], Border] | None = None
    _history: History | None = None
    _settings: tuple[int, Settings, int] | None = None
    _said: set[str] = field(default_factory=set)

    @property
    def modelled(self) -> bool:
        """Whether any parameter has been modelled yet."""
        return self._history is not None

    def intersection(self, trials: Sequence[FrozenTrial]) -> Distributions:
        """The parameters that all completed and pruned trials have with equal distributions, by name."""
        done = [trial for trial in completed(trials) if trial.state != TrialState.FAIL]
        common = self._common.fold([finished_key(trial) for trial in done], done, _shared)
        if common is not self._carried[0]:
            kept, refused = carried(dict(sorted((common or {}).items())))
            self._carried = (common, kept)
            for problem in refused:
                self.say(f"a parameter cannot be modelled and is drawn at random: {problem}")
        return dict(self._carried[1])

    def settings(self, study: Study, own: Settings, number: int) -> tuple[Settings, int]:
        """The study's recorded settings and seed, read once a trial; the first time, what differs is said."""
        if self._settings is None or self._settings[0] != number:
            first = self._settings is None
            recorded, seed = agreed(study, own)
            self._settings = (number, recorded, seed)
            if first:
                warned(study, own, recorded)
        return self._settings[1], self._settings[2]

    def border(
        self, search_space: Distributions, ordinal: tuple[str, ...], made: Callable[[Distributions, Sequence[str]], Border]
    ) -> Border:
        """The border for a search space; made anew when the space has changed."""
        if self._border is None or self._border[:2] != (search_space, ordinal):
            self._border = (search_space, ordinal, made(search_space, ordinal))
        return self._border[2]

    def history(self, study: Study, border: Border, settings: Settings) -> History:
        """The study's history in a space."""
        known = self._history
        if known is None or known.border is not border or known.writer != settings.fingerprint:
            self._history = known = History(border, settings.config, sign_of(direction_of(study)), settings.fingerprint)
        return known

    def say(self, sentence: str, level: int = logging.WARNING) -> None:
        """Log a sentence, once."""
        if sentence not in self._said:
            self._said.add(sentence)
            _log.log(level, sentence)


def _shared(common: Common, trial: FrozenTrial) -> Common:
    """What the parameters so far have in common with one more trial's; the same object when nothing changes."""
    own = trial.distributions
    if common is None:
        return own
    if all(own.get(name) == distribution for name, distribution in common.items()):
        return common
    return {name: distribution for name, distribution in common.items() if own.get(name) == distribution}
