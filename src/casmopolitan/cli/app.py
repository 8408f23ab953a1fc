"""The commands, in the order in which people meet them."""

from __future__ import annotations

from importlib import metadata
from typing import Annotated

import typer

from casmopolitan.cli import export, init, inspect, maintenance, manual, run


def show_version(wanted: bool) -> None:
    """Print the version and end."""
    if wanted:
        print(metadata.version("casmopolitan"))
        raise typer.Exit


app = typer.Typer(
    name="casmopolitan",
    help="Bayesian optimisation when most of your knobs are choices: from a study file to a found optimum and a report.",
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
    """Bayesian optimisation when most of your knobs are choices: from a study file to a found optimum and a report."""


COMMANDS = (
    (init.init, "write an example of a study file", "casmopolitan init mystudy.toml"),
    (run.run, "start or resume a study", "casmopolitan run study.toml --parallel 4"),
    (inspect.status, "how far it is", "casmopolitan status study.toml --json"),
    (inspect.best, "the best configuration", "casmopolitan best study.toml"),
    (inspect.trials, "every trial", "casmopolitan trials study.toml --state failed"),
    (manual.ask, "the next experiments, reserved for you", "casmopolitan ask -n 8 --csv plan.csv"),
    (manual.tell, "what came of them", "casmopolitan tell results.csv"),
    (manual.cancel, "experiments that will not be run", "casmopolitan cancel 12 13"),
    (export.export, "every trial as CSV or JSON", "casmopolitan export study.toml --output trials.csv"),
    (manual.import_results, "results from elsewhere", "casmopolitan import past.csv --study study.toml"),
    (export.report, "one HTML page to send to a colleague", "casmopolitan report study.toml --output report.html"),
    (maintenance.dashboard, "Optuna's dashboard", "casmopolitan dashboard study.toml --port 8080"),
    (maintenance.doctor, "what is wrong, and how to mend it", "casmopolitan doctor study.toml --fix"),
    (init.problems, "the benchmark problems", "casmopolitan problems pest-25"),
    (init.demo, "tune a real model in two minutes", "casmopolitan demo"),
)
"""Each command, what it is for in a few words, and an example."""

for _command, _words, _example in COMMANDS:
    _name = "import" if _command is manual.import_results else _command.__name__
    app.command(_name, short_help=_words, epilog=f"Example: {_example}")(_command)
