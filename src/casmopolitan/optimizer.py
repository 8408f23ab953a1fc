"""Optimizer: ask for points to evaluate, tell their values."""

from __future__ import annotations

import math
import os
import secrets
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, overload

import numpy as np

from casmopolitan import journal
from casmopolitan.blas import one_thread
from casmopolitan.config import Config, config_problems, seed_problems
from casmopolitan.core.algorithm import ask
from casmopolitan.core.extensions import extensions_for
from casmopolitan.core.extensions.partial_trials import complete
from casmopolitan.core.front import hypervolume, reference_point
from casmopolitan.core.gp.model import Model
from casmopolitan.core.gp.objective_models import overall_models
from casmopolitan.core.gp.structure import Structure, structure_of
from casmopolitan.core.partial import Fixed
from casmopolitan.core.points import Array
from casmopolitan.core.state import Asked, Provenance, State, Suggestion
from casmopolitan.data_frame import paired, split
from casmopolitan.errors import DataError, ExhaustedError, SpaceError
from casmopolitan.files import write_atomically
from casmopolitan.formatting import counted
from casmopolitan.goals import Goals, acquisition_problems, goal_problems
from casmopolitan.past import fitting, read_past, to_core
from casmopolitan.presets import DEFAULT
from casmopolitan.scalars import Scalar, is_whole
from casmopolitan.space import Constraint, Space
from casmopolitan.space.constraint import rules_of
from casmopolitan.space.descriptors import kernel_problems
from casmopolitan.space.variables import columns, is_described
from casmopolitan.trial import Configuration, Direction, Failed, Trial, sign_of
from casmopolitan.trial_log import Extended, TrialLog, read_initial


class Optimizer:
    """Ask-and-tell interface; `minimize` and `maximize` are loops around it.

    Every call to `ask`, `tell` or `cancel` appends an event to a log, and everything else follows from the log. Saving
    writes it, loading replays it. Methods may be called from several threads.

    Attributes:
        space: The search space.
        seed: The seed, given or drawn.
        config: The settings of the algorithm.
        direction: Either "minimize" or "maximize"; "minimize" if there are several objectives.
        goals: The objectives and limits.
        initial: The configurations to evaluate first.
        past: The earlier studies of related tasks.
    """

    def __init__(
        self,
        space: Space,
        *,
        seed: int | None = None,
        config: Config = DEFAULT,
        direction: Direction = "minimize",
        objectives: Mapping[str, Direction] | None = None,
        limits: Mapping[str, str] | None = None,
        reference: Mapping[str, float] | None = None,
        noisy: bool | None = None,
        initial: Iterable[Mapping[str, Any]] = (),
        past: Mapping[str, Any] | None = None,
    ) -> None:
        """Create an optimiser without trials.

        With several objectives or with limits, a trial is told a dict of outcomes. An objective may have a limit too. The
        acquisition function is then the logarithm of the expected improvement, of one objective or of the hypervolume.

        Args:
            space: The search space.
            seed: The same seed and the same calls give the same trials. None draws a seed.
            config: A preset or your own settings.
            direction: Either "minimize" or "maximize", for one objective without a name. With limits, its name is "value".
            objectives: Names and directions of the objectives, e.g. {"error": "minimize", "speed": "maximize"}.
            limits: Limits on outcomes, e.g. {"memory": "<= 512"}: "<=" or ">=" and a number.
            reference: The reference point of the hypervolume: one number per objective, by name. None computes it from the
                front: the worst values plus a tenth of the range.
            noisy: Whether repeated evaluations of a configuration differ. None keeps the value in `config`.
            initial: Configurations to evaluate first. One that is listed twice is evaluated once, unless `noisy`.
            past: Earlier studies of related tasks, by name: each is a list of trials or of pairs (configuration, value), an
                optimiser, a result or an Optuna study. The model learns how much each of them says about the present task.
                Related ones replace the initial design, and their configurations may be suggested again. The attribute `past`
                holds what was read, and in `left_out` why trials do not fit the space. Needs a single objective without limits.

        Raises:
            DataError: If an argument has the wrong type or value, or no trial of an earlier study fits the space.
            SpaceError: If an initial configuration does not fit the space.
        """
        problems = [*seed_problems(seed), *config_problems(config), *_type_problems(space, initial)]
        problems += goal_problems(direction, objectives, limits, reference)
        if not problems:
            self.goals = Goals.of(direction, objectives, limits, reference)
            problems += acquisition_problems(config, self.goals.outcomes)
            problems += kernel_problems([name for name, v in space.variables.items() if is_described(v)], config.kernel)
        if problems:
            raise DataError("\n  ".join(problems))
        self.space = space
        self.seed = secrets.randbits(32) if seed is None else int(seed)
        self.config = config if noisy is None else replace(config, noisy=noisy)
        self.direction: Direction = self.goals.direction
        self.initial = read_initial(space, initial)
        self.past = read_past(space, past or {})
        if self.past and not self.goals.outcomes.plain:
            raise DataError("past needs a single objective without limits; drop it, or the limits and other objectives")
        self._lock = threading.RLock()
        self._log = TrialLog(space, self.config, self.goals, to_core(space, self.past, self.goals.signs[0]))
        self._models: tuple[int, tuple[Model, ...] | None] = (-1, None)

    @overload
    def ask(self, n: None = None, *, fixed: Mapping[str, Any] | None = None) -> Trial: ...
    @overload
    def ask(self, n: int, *, fixed: Mapping[str, Any] | None = None) -> list[Trial]: ...
    def ask(self, n: int | None = None, *, fixed: Mapping[str, Any] | None = None) -> Trial | list[Trial]:
        """Return the next trial to evaluate, or a list of trials; pending trials are taken into account.

        Args:
            n: How many trials to return in a list. None returns a single trial.
            fixed: Values that you have decided, by variable. The model learns from all trials and chooses the other values,
                to improve on the best trial with these values.

        Returns:
            A trial, or a list of up to `n` trials. The list is shorter if the space is exhausted first.

        Raises:
            ExhaustedError: If a finite space has no point left, or none with the `fixed` values.
            InfeasibleError: If the constraint allows no point with the `fixed` values.
            DataError: If `n` is not a whole number of at least 1.
            SpaceError: If `fixed` has unknown names or values that do not fit.
        """
        held = None if fixed is None else self.space.fixed(fixed)
        if n is None:
            return self._ask(held, fixed)
        if not is_whole(n) or n < 1:
            raise DataError(f"ask({n!r}): the number of trials is a whole number of at least 1")
        with self._lock:
            trials = [self._ask(held, fixed)]
            while len(trials) < n:
                try:
                    trials.append(self._ask(held, fixed))
                except ExhaustedError:
                    break
            return trials

    def _ask(self, held: Fixed | None, fixed: Mapping[str, Any] | None) -> Trial:
        with self._lock:
            number, state = len(self._log), self._log.state
            requested = self._log.first_untried(self.initial, held) if self.initial else None
            if requested is not None:
                suggestion = Suggestion(requested, Provenance(state.current, "initial", note="requested"))
            elif held is not None and fixed:
                with one_thread():
                    suggestion = complete(self.space.domain, self.config, self.seed, state, number, held)
                note = f"fixed in advance: {', '.join(fixed)}"
                suggestion = replace(suggestion, provenance=replace(suggestion.provenance, note=note))
            else:
                with one_thread():
                    extensions = extensions_for(self.config, state.outcomes, new_choices=bool(state.added))
                    suggestion = ask(self.space.domain, self.config, self.seed, state, number, extensions)
            return self._log.append(Asked(number, suggestion))

    def tell(
        self,
        trial: Trial | int | Mapping[str, Any],
        value: float | Failed | Mapping[str, float | None],
        *,
        as_run: Mapping[str, Any] | None = None,
    ) -> Trial:
        """Record the value of a trial.

        Telling a trial the same value again has no effect. A configuration that belongs to no pending trial is past
        data and becomes a new trial. Unless the objective is noisy, each configuration has one value; one that has only
        failed may still get a value. The value of a cancelled trial is recorded as past data.

        Args:
            trial: The trial, its number, or its configuration.
            value: A number. NaN, ±inf or `FAILED` marks the trial as failed. With several objectives or with limits, a dict
                of all outcomes: None for one that was not measured, `FAILED` instead of the dict for a failed trial.
            as_run: Values that were run instead of the suggested ones, if they differ by more than the digits of a variable.
                The configuration that was run becomes a new trial, and the pending one is cancelled.

        Returns:
            The trial with its new status and value.

        Raises:
            DataError: If the trial was told another value, was never asked for, belongs to another optimiser, or the
                value is not a number; if an outcome is missing, unknown or not finite.
            SpaceError: If the configuration does not fit the space.
        """
        outcome = self.goals.read(value)
        with self._lock:
            return self._log.tell(trial, outcome) if as_run is None else self._log.tell_as_run(trial, outcome, as_run)

    def tell_many(self, trials: Any, values: Any = None) -> list[Trial]:
        """Record the values of many trials at once: all of them, or none if something is wrong.

        Args:
            trials: A list of trials, numbers or configurations, or a data frame with one column per variable, e.g.
                `frame[list(space)]`. Its empty cells stand for variables that do not exist in a row.
            values: One value per trial, as in `tell`: a list, an array or a column of a data frame. With several objectives or
                with limits, a list of dicts or a data frame with one column per outcome, empty where one was not measured.
                May be left out if `trials` is a data frame that also has the column 'value', or one column per outcome.

        Returns:
            The trials, in the given order.

        Raises:
            DataError: If trials or values are wrong, or not equally many; the message lists all problems.
        """
        if values is None:
            trials, values = split(trials, self.goals.order)
        pairs = paired(self.space, trials, values)
        problems: list[str] = []
        told: list[Trial] = []
        with self._lock:
            log = self._log.copied()
            for i, (trial, value) in enumerate(pairs):
                outcome = None
                try:
                    outcome = self.goals.read(value)
                except DataError as error:
                    problems.append(f"values[{i}]: {error}")
                try:
                    told.append(log.tell(trial, outcome))
                except SpaceError as error:
                    problems += [f"trials[{i}]: {text}" for text in error.problems]
                except DataError as error:
                    problems.append(f"trials[{i}]: {error}")
            if problems:
                raise DataError("\n  ".join(problems))
            self._log = log
        return told

    def extend(self, space: Space, *, values: Mapping[str, Scalar] | None = None) -> list[Trial]:
        """Continue in another space: with more or fewer choices, wider or narrower ranges, other rules, other variables.

        Trials keep their numbers, and pending trials stay pending. Those that do not fit the new space are kept, marked as
        `outside` and not modelled. They count again if a later change makes them fit. New choices are tried soon.

        Args:
            space: The new space.
            values: The value that all trials so far had, those of earlier studies included, for each new variable. If one is
                missing, these trials do not fit. Values of earlier extensions stay known.

        Returns:
            The trials that do not fit the new space.

        Raises:
            DataError: If `space` is not a Space.
            SpaceError: If one of the values does not fit its variable.
        """
        if problems := _type_problems(space, ()):
            raise DataError("\n  ".join(problems))
        space.fix(**(values or {}))
        with self._lock:
            whole = {**self._log.values, **(values or {})}
            past = to_core(space, fitting(space, self.past, whole), self.goals.signs[0])
            outside = self._log.extend(Extended(space, dict(values or {})), past)
            self.space = space
            self.initial = [configuration for configuration in self.initial if space.allows(configuration)]
            self._models = (-1, None)
        return outside

    def cancel(self, trial: Trial | int) -> Trial:
        """Cancel a pending trial: it does not count, and its point may be suggested again.

        Args:
            trial: The trial, or its number.

        Returns:
            The cancelled trial.

        Raises:
            DataError: If the trial is not pending.
        """
        with self._lock:
            return self._log.cancel(trial)

    @property
    def trials(self) -> list[Trial]:
        """All trials, by number."""
        with self._lock:
            return self._log.trials

    @property
    def pending(self) -> list[Trial]:
        """The trials that were asked for and neither told nor cancelled."""
        with self._lock:
            return self._log.pending

    @property
    def best_trial(self) -> Trial:
        """The best completed trial that meets all limits; with a noisy objective the one with the best predicted mean."""
        with self._lock:
            return self._log.best(self._overall_model() if self.config.noisy and self.goals.single else None)

    def best_for(self, fixed: Mapping[str, Any]) -> Trial:
        """Return the best trial among those with some fixed values.

        Args:
            fixed: The values, by variable.

        Returns:
            The best completed trial that has these values and meets all limits; with a noisy objective the one with the best
            predicted mean.

        Raises:
            DataError: If there is no such trial, or there are several objectives.
            SpaceError: If `fixed` has unknown names or values that do not fit.
        """
        held = self.space.fixed(fixed)
        with self._lock:
            return self._log.best(self._overall_model() if self.config.noisy and self.goals.single else None, held)

    @property
    def pareto_front(self) -> list[Trial]:
        """The trials that meet all limits and that no other trial dominates, by number; with one objective, the best trial.

        With noisy objectives, predicted means are compared.
        """
        with self._lock:
            models = self._overall_models() if self.config.noisy else None
            front, values = self._log.front(models)
            return front[:1] if self.goals.single and len(values) else front

    @property
    def hypervolume(self) -> float:
        """The volume that the front dominates, bounded by the reference point; zero if there is no front."""
        if self.goals.single:
            raise DataError("the hypervolume needs several objectives; use best_value")
        with self._lock:
            _, values = self._log.front(self._overall_models() if self.config.noisy else None)
        return hypervolume(values, reference_point(values, self.goals.outcomes.reference)) if len(values) else 0.0

    @property
    def best_value(self) -> float:
        """The best value observed; with a noisy objective the predicted mean of the best trial, if the model gives one."""
        with self._lock:
            best = self.best_trial
            predicted = float(self.predict([best.configuration])[0][0]) if self.config.noisy else math.nan
        return predicted if math.isfinite(predicted) else float(best.value)  # type: ignore[arg-type]

    @property
    def best_configuration(self) -> Configuration:
        """The configuration of the best trial."""
        return self.best_trial.configuration

    def predict(self, configurations: Sequence[Mapping[str, Any]]) -> tuple[Array, Array]:
        """Predict the objective with a model of all completed trials.

        Args:
            configurations: The configurations to predict.

        Returns:
            Mean and standard deviation of the objective at each configuration, without its noise, in the user's units. With
            several objectives both have one column per objective, in the order in which they were given.

        Raises:
            DataError: If no trial is complete yet.
            SpaceError: If a configuration does not fit the space.
        """
        points = self.space.encode(configurations)
        with self._lock:
            models = self._overall_models()
            if models is None:
                raise DataError("nothing can be predicted before a trial has been completed")
            predicted = {name: model.predict(points) for name, model in zip(self.goals.names, models, strict=False)}
        means = [sign_of(direction) * predicted[name][0] for name, direction in self.goals.objectives.items()]
        deviations = [predicted[name][1] for name in self.goals.objectives]
        if self.goals.single:
            return means[0], deviations[0]
        return np.stack(means, axis=1), np.stack(deviations, axis=1)

    def structure(self, objective: str | None = None) -> Structure:
        """Return which variables matter, and how they act together.

        The model has the settings of `DEFAULT` with a zero prior mean, since a prior mean could hide a variable's effect. Only
        `n_initial`, `noisy` and `capacity` come from the config.

        Args:
            objective: The name of the objective to describe; required if there are several.

        Returns:
            The structure: `print` it for one sentence. While there are too few trials it says that it cannot tell yet.

        Raises:
            DataError: If no trial is complete yet, no variable has more than one value, or `objective` is not the name of an
                objective although there are several.
        """
        if objective not in ([None, *self.goals.objectives] if self.goals.single else self.goals.objectives):
            names = ", ".join(map(repr, self.goals.objectives))
            raise DataError(f"objective is {objective!r}; give the name of one objective: {names}")
        domain, (in_h, in_x) = self.space.domain, columns(self.space.variables)
        kept = {name: getattr(self.config, name) for name in ("n_initial", "noisy", "capacity")}
        config = replace(DEFAULT, mean="zero", **kept)
        with self._lock, one_thread():
            models = overall_models(domain, config, self.seed, self._log.state) if in_h or in_x else None
        if models is None:
            raise DataError("no trial has been completed, so no relevance can be computed")
        model = models[0 if self.goals.single else self.goals.names.index(str(objective))]
        found = structure_of(model.posterior, [*in_h, *in_x])
        return replace(found, relevances={n: found.relevances[n] for n in self.space.names if n in found.relevances})

    def _overall_model(self) -> Model | None:
        """Return the model of the first objective; see `_overall_models`."""
        models = self._overall_models()
        return None if models is None else models[0]

    def _overall_models(self) -> tuple[Model, ...] | None:
        """Return the models of all objectives given all observations, fitted again only if the log has grown."""
        if self._models[0] != len(self._log.events):
            with one_thread():
                models = overall_models(self.space.domain, self.config, self.seed, self._log.state)
            self._models = (len(self._log.events), models)
        return self._models[1]

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return the whole optimiser as JSON, pending trials included.

        Args:
            path: A file to write the text to as well. It is replaced atomically.

        Returns:
            The JSON text. Predicates of the space are not part of it; pass them to `from_json` again.
        """
        with self._lock:
            text = journal.written(
                direction=self.direction,
                **self.goals.to_dict(),
                seed=self.seed,
                space=self._log.first_space.to_dict(),
                config=self.config.to_dict(),
                initial=self.initial,
                **({"past": {study.name: study.trials for study in self.past}} if self.past else {}),
                events=[one.to_dict() if isinstance(one, Extended) else one for one in self._log.events],
            )
        if path is not None:
            write_atomically(text, path)
        return text

    @classmethod
    def from_json(cls, source: str | os.PathLike[str], *, constraint: Constraint | None = None) -> Optimizer:
        """Return the optimiser that `to_json` saved.

        Args:
            source: The JSON text, or the path of its file.
            constraint: The predicates of the space, which JSON cannot hold.

        Returns:
            An optimiser that continues exactly as the saved one would.

        Raises:
            DataError: If the text is not a saved optimiser, or is damaged.
            SpaceError: If the predicates are missing.
        """
        document = journal.read(source)
        with journal.report_damage():
            changes = [entry for entry in document["events"] if entry.get("event") == "extended"]
            space = _space_from(document["space"], constraint, last=not changes)
            made = cls(
                space,
                seed=document["seed"],
                config=Config.from_dict(document["config"]),
                direction="minimize" if "objectives" in document else document["direction"],
                objectives=document.get("objectives"),
                limits=document.get("limits"),
                reference=document.get("reference"),
                initial=document["initial"],
                past=document.get("past"),
            )
            log = made._log
            for entry in document["events"]:
                if entry.get("event") == "extended":
                    last = entry is changes[-1]
                    made.extend(_space_from(entry["space"], constraint, last=last), values=entry["values"])
                    continue
                event = journal.event_from_dict(entry, log.space.domain)
                log.append(
                    journal.checked(
                        event, len(log), {**log.state.pending, **log.state.outside}, log.state.current, log.state.outcomes
                    )
                )
        return made

    @property
    def state(self) -> State:
        """The internal state of the algorithm, for inspection."""
        return self._log.state

    @property
    def models(self) -> tuple[Model, ...] | None:
        """The models of all trials, one per objective by name, for inspection; None before a trial is complete."""
        with self._lock:
            return self._overall_models()

    def __getstate__(self) -> dict[str, Any]:
        """Return everything but the lock, for copies and for results from other processes."""
        with self._lock:
            own = {name: value for name, value in vars(self).items() if name != "_lock"}
            return own | {"_log": self._log.copied(), "initial": list(self.initial)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._lock = threading.RLock()

    def __repr__(self) -> str:
        count = len(self._log)
        ways = self.direction if self.goals.single else f"{len(self.goals.objectives)} objectives"
        return f"Optimizer({counted(len(self.space), 'variable')}, {ways}, seed={self.seed}, {counted(count, 'trial')})"


def _space_from(record: Mapping[str, Any], constraint: Constraint | None, *, last: bool) -> Space:
    """Return a recorded space. The predicates are those of the last one; an earlier space may have had others, or none."""
    predicates = sum(map(callable, rules_of(constraint)))
    if last or record.get("predicates", 0) == predicates:
        return Space.from_dict(record, constraint=constraint)
    return Space.from_dict({**record, "predicates": 0})


def _type_problems(space: object, initial: object) -> list[str]:
    """Return the problems with these arguments of an optimiser."""
    problems = []
    if not isinstance(space, Space):
        problems.append(f"space is {space!r}; give a Space, e.g. Space({{'x': Real(0.0, 1.0)}})")
    if isinstance(initial, Mapping) or not isinstance(initial, Iterable):
        problems.append(f"initial is {initial!r}; give a list of configurations: [configuration, ...]")
    return problems
