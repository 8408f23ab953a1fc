"""Commands that show a study and change nothing: status, best, trials."""

from __future__ import annotations

import time
from typing import Annotated, Any

import typer

from casmopolitan.analysis.row import State
from casmopolitan.cli.options import (
    DEFAULT_FILE,
    FAILED,
    Json,
    StudyFile,
    console,
    emit,
    exit_codes,
    open_file,
    say,
    summary,
)


def status(study: StudyFile = DEFAULT_FILE, json: Json = False) -> None:
    """Show the progress of a study: trials, best value, trust region, running trials."""
    with exit_codes():
        from casmopolitan.analysis.row import ENDED
        from casmopolitan.cli.front import progress_of_goals
        from casmopolitan.cli.live import View
        from casmopolitan.cli.table import print_pairs
        from casmopolitan.formatting import counted, duration

        one = open_file(study)
        rows = one.rows()
        data = summary(one, rows)
        if json:
            emit({**data, "running_trials": [row.to_dict() for row in rows if row.state in ("running", "asked")]})
            return
        view = View(one.spec.name, one.goals, one.space, one.spec.budget, rows, 0.0, 0)
        shown = [("study", f"{data['study']} ({one.goals}) in {data['storage']}")]
        ended, failed, pruned = (sum(row.counts and row.state == state for row in rows) for state in ENDED)
        early = f", {pruned} ended early" if pruned else ""
        shown.append(("trials", f"{ended} complete, {failed} failed{early}, of {data['budget']}"))
        shown += [("known", counted(data["known"], "known result"))] if data["known"] else []
        shown += [("past", "; ".join(map(str, one.spec.past_studies)))] if one.spec.past_studies else []
        shown += progress_of_goals(one, rows, data)
        shown.append(("region", view.region()))
        structure = next((why for row in reversed(rows) if (why := row.explanation.get("structure"))), None)
        shown += [("structure", structure)] if structure else []
        for row in rows:
            if row.state in ("running", "asked"):
                since = f" for {duration(max(time.time() - row.began, 0.0))}" if row.began is not None else ""
                shown.append((row.state, f"trial {row.number}{since}  {view.values_of(row)}"))
                if row.explanation.get("source") == "global":
                    shown.append(("", row.explanation.get("reason", "")))
        print_pairs(console(), shown)


def best(
    study: StudyFile = DEFAULT_FILE,
    top: Annotated[
        int | None, typer.Option("--top", "-n", min=1, help="How many configurations (default: 1, or the whole front).")
    ] = None,
    fixed: Annotated[
        list[str] | None, typer.Option("--fixed", metavar="NAME=VALUE", help="Only trials with this value; may be repeated.")
    ] = None,
    json: Json = False,
) -> None:
    """Show the best configuration, or the best few, each once even if it was evaluated several times.

    With several objectives, show the Pareto front: the trials that meet all limits and that no other trial dominates. With
    `--fixed substrate=B`, only trials with this value count.
    """
    with exit_codes():
        from casmopolitan.analysis.row import distinct, leading, precision
        from casmopolitan.cli.front import front_summary, no_best, reference_text
        from casmopolitan.cli.table import one_line_of, print_pairs, print_trials
        from casmopolitan.spreadsheet.cells import assignments

        one = open_file(study)
        every, values = one.rows(), assignments(one.space, fixed or [])
        known = one.best_first(every)
        ranked = [row for row in known if values.items() <= row.configuration.items()]
        if known and not ranked:
            say(f"casmopolitan: no trial with {', '.join(fixed or [])} has been completed yet; leave out a value")
            raise typer.Exit(FAILED)
        if not ranked:
            say(f"casmopolitan: {no_best(one, every)}; `casmopolitan status` shows its progress")
            raise typer.Exit(FAILED)
        if not one.goals.single:
            found = front_summary(one.goals, ranked)
            if json:
                emit({**found, "front": found["front"][:top]})
                return
            print_trials(console(), distinct(leading(ranked, one.goals))[:top], one.space.names, goals=one.goals)
            print(f"hypervolume {found['hypervolume']:.6g}, {reference_text(found['reference'])}")
            return
        top = top or 1
        rows = distinct(ranked)[:top]
        if json:
            emit(rows[0].to_dict() if top == 1 else [row.to_dict() for row in rows])
        elif top == 1:
            first = rows[0]
            shown: list[tuple[str, Any]] = [] if first.predicted is None else [("model's mean", f"{first.predicted:.6g}")]
            shown += [*(first.outcomes or {one.goals.order[0]: first.value}).items(), ("trial", first.number)]
            shown += [("evaluations", first.evaluations)] if first.evaluations != 1 else []
            comment = [("comment", one_line_of(first.comment))] if first.comment else []
            print_pairs(console(), [*shown, *first.configuration.items(), *comment])
        else:
            print_trials(console(), rows, one.space.names, precision(ranked), one.goals)


def trials(
    study: StudyFile = DEFAULT_FILE,
    state: Annotated[State | None, typer.Option(help="Only trials in this state.")] = None,
    last: Annotated[int | None, typer.Option(min=1, help="Only the latest N trials.")] = None,
    output: Annotated[bool, typer.Option("--output", help="Also show the output of failed trials.")] = False,
    json: Json = False,
) -> None:
    """List every trial in a table."""
    with exit_codes():
        from casmopolitan.analysis.row import correction_text, precision
        from casmopolitan.cli.table import one_line_of, print_trials

        one = open_file(study)
        every = one.rows()
        rows = [row for row in every if state is None or row.state == state]
        rows = rows[-last:] if last is not None else rows
        if json:
            emit([{**row.to_dict(), **({"tail": row.tail} if output else {})} for row in rows])
            return
        print_trials(console(), rows, one.space.names, precision(every), one.goals)
        outside = [str(row.number) for row in rows if row.outside]
        if outside:
            print(f"outside the current space, not used by the model: trial {', '.join(outside)}")
        for row in rows:
            for made in row.corrections:
                print(f"trial {row.number} corrected on {made.get('when')}: {correction_text(made)}")
            if row.comment:
                print(f"trial {row.number} comment: {one_line_of(row.comment)}")
            if row.error is not None:
                print(f"trial {row.number} {row.error}")
                if output and row.tail:
                    print("\n".join(f"    {line}" for line in row.tail.splitlines()))
