"""Rate a cake out of ten: a stand-in for an afternoon in the kitchen. Put your own function here."""

from typing import Any


def taste(cake: dict[str, Any]) -> float:
    """Return the score of the jury."""
    if cake["degrees"] > 215 and cake["minutes"] > 55:
        raise RuntimeError("burnt to charcoal")
    flour = {"wheat": 2.0, "spelt": 2.6, "rye": 0.5, "almond": 3.0}[cake["flour"]]
    sweetener = {"sugar": 1.5, "honey": 2.2, "syrup": 1.0}[cake["sweetener"]]
    if cake["flour"] == "almond" and cake["sweetener"] == "honey":
        sweetener += 0.8
    eggs = 1.5 - 0.5 * abs(cake["eggs"] - 3)
    rack = {"low": 0.4, "middle": 0.8, "high": 0.0}[cake["rack"]]
    heat = cake["minutes"] * (cake["degrees"] - 100)
    baked = 2.0 - (abs(heat - 3400) / 900) ** 1.5
    return float(round(max(0.0, flour + sweetener + eggs + rack + baked), 3))
