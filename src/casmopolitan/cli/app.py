"""The commands of `casmopolitan`, in the order in which users meet them."""

from __future__ import annotations

from importlib import metadata
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from casmopolitan.cli import export, init, inspect, maintenance, manual, run


def show_version(wanted: bool) -> None:
    """Print the version and exit."""
    if wanted:
        print(metadata.version("casmopolitan"))
        raise typer.Exit


SYNONYMS = {
    "suggest": "ask",
    "next": "ask",
    "plan": "ask",
    "record": "tell",
    "observe": "tell",
    "add": "tell",
    "start": "run",
    "resume": "run",
    "optimize": "run",
    "optimise": "run",
    "new": "init",
    "create": "init",
    "list": "trials",
    "show": "status",
    "check": "doctor",
    "plot": "report",
}
"""Words that users type, and the commands that they mean."""


class Commands(TyperGroup):
    """The commands; an unknown one that means a known one is answered with it."""

    def get_command(self, ctx: typer.Context, cmd_name: str) -> Any:  # type: ignore[override]
        """Return the command with that name, or None."""
        if cmd_name in SYNONYMS and not ctx.resilient_parsing:
            ctx.fail(f"No such command {cmd_name!r}. Did you mean {SYNONYMS[cmd_name]!r}?")
        return super().get_command(ctx, cmd_name)


VALUES = {"parallel": "N", "budget": "N", "top": "N", "last": "N", "port": "N", "output": "FILE", "folder": "FOLDER"}
"""How the help shows the values of options by name, instead of by their Python types."""


class Command(TyperCommand):
    """A command whose help shows no Python types."""

    def get_params(self, ctx: typer.Context) -> list[Any]:  # type: ignore[override]
        """Return the parameters of the command."""
        params: list[Any] = super().get_params(ctx)
        for param in params:
            if param.param_type_name == "argument":
                vars(param)["display_type_rich"] = lambda ctx: None
            elif param.metavar is None and not param.is_flag:
                param.metavar = VALUES.get(param.name)
        return params


app = typer.Typer(
    name="casmopolitan",
    cls=Commands,
    help="Bayesian optimisation when most of your knobs are choices: from a study file to an optimum and a report.",
    epilog="Start with `casmopolitan init`, then `casmopolitan run study.toml`.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, help="Print the version.", callback=show_version)
    ] = False,
) -> None:
    """Bayesian optimisation when most of your knobs are choices: from a study file to an optimum and a report."""


COMMANDS = (
    (init.init, "write an example study file", "casmopolitan init mystudy.toml"),
    (run.run, "start or resume a study", "casmopolitan run study.toml --parallel 4"),
    (inspect.status, "show the progress of a study", "casmopolitan status study.toml --json"),
    (inspect.best, "show the best configuration", "casmopolitan best study.toml"),
    (inspect.trials, "list all trials", "casmopolitan trials study.toml --state failed"),
    (manual.ask, "reserve the next experiments", "casmopolitan ask study.toml -n 8 -o plan.csv"),
    (manual.tell, "record the results of experiments", "casmopolitan tell study.toml results.csv"),
    (manual.cancel, "cancel experiments that will not be run", "casmopolitan cancel study.toml 12 13"),
    (export.export, "write all trials as CSV, .xlsx or JSON", "casmopolitan export study.toml --output trials.csv"),
    (manual.import_results, "add results from elsewhere", "casmopolitan import study.toml past.csv"),
    (export.report, "write an HTML report", "casmopolitan report study.toml --output report.html"),
    (maintenance.dashboard, "open Optuna's dashboard", "casmopolitan dashboard study.toml --port 8080"),
    (maintenance.doctor, "check a study and suggest fixes", "casmopolitan doctor study.toml --fix"),
    (init.problems, "list the benchmark problems", "casmopolitan problems pest-25"),
    (run.demo, "tune a real model in two minutes", "casmopolitan demo"),
)
"""Each command, its one-line description, and an example."""

for _command, _summary, _example in COMMANDS:
    _name = "import" if _command is manual.import_results else _command.__name__
    app.command(_name, cls=Command, short_help=_summary, epilog=f"Example: {_example}")(_command)
