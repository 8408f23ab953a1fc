"""Our pictures inside Optuna's dashboard, which draws with plotly."""

from __future__ import annotations

import warnings
from typing import Any

from casmopolitan.errors import MissingExtraError
from casmopolitan.plots.series import confined, running_best
from casmopolitan.study.compat import storage_of
from casmopolitan.study.report.model import learnt
from casmopolitan.study.report.pictures import designed
from casmopolitan.study.trials.open import OpenStudy
from casmopolitan.study.trials.row import complete


def figures(opened: OpenStudy) -> dict[str, Any]:
    """Plotly figures by name: convergence, trust region and relevance, where there is anything to show."""
    try:
        import plotly.graph_objects as go
    except ImportError:
        raise MissingExtraError("the dashboard's plots", "plotly", "study") from None
    rows = opened.rows()
    made: dict[str, Any] = {}
    done = complete(rows)
    if done:
        best = running_best([row.trial for row in rows], opened.spec.direction)
        found = go.Figure(layout={"title": "Casmopolitan: convergence", "xaxis_title": "trial", "yaxis_title": "value"})
        for name, group in (
            ("initial or known", [row for row in done if designed(row)]),
            ("suggested by the model", [row for row in done if not designed(row)]),
        ):
            numbers, values = [row.number for row in group], [row.value for row in group]
            found.add_trace(go.Scatter(x=numbers, y=values, mode="markers", name=name))
        line = {"shape": "hv"}
        found.add_trace(go.Scatter(x=[row.number for row in rows], y=best, mode="lines", line=line, name="best so far"))
        made["convergence"] = found
    sized = [row for row in rows if confined(row.explanation)]
    if sized:
        region = go.Figure(layout={"title": "Casmopolitan: trust region", "xaxis_title": "trial"})
        for part, name in (("radius", "Hamming radius"), ("length", "side of the box")):
            sizes = [row.explanation.get(part) for row in sized]
            if any(size is not None for size in sizes):
                x = [row.number for row in sized]
                region.add_trace(go.Scatter(x=x, y=sizes, mode="lines", line={"shape": "hv"}, name=name))
        made["trust-region"] = region
    model = learnt(rows, opened.space, opened.config, opened.seed, opened.spec.direction)
    if model is not None:
        ranked = sorted(model.relevances.items(), key=lambda item: item[1])[-20:]
        bars = go.Bar(x=[value for _, value in ranked], y=[name for name, _ in ranked], orientation="h")
        made["relevance"] = go.Figure(bars, layout={"title": "Casmopolitan: relevance of the variables"})
    return made


def served(opened: OpenStudy, port: int) -> None:
    """Put our pictures into the study and serve Optuna's dashboard on loopback until it is ended."""
    try:
        import optuna_dashboard
    except ImportError:
        raise MissingExtraError("the dashboard", "optuna-dashboard", "study") from None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, figure in figures(opened).items():
            optuna_dashboard.save_plotly_graph_object(opened.study, figure, graph_object_id=f"casmopolitan-{name}")
        optuna_dashboard.run_server(storage_of(opened.study), host="127.0.0.1", port=port)
