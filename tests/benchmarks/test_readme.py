import pytest

from benchmarks.readme import TABLES, decimals_for, update


def test_the_tables_are_replaced_and_the_rest_is_kept(record, tmp_path):
    readme = tmp_path / "README.md"
    heads = [rows.head for rows in TABLES]
    readme.write_text(f"before\n\n{heads[0]} old |\n| x | y |\n\nbetween\n\n{heads[1]}\n\nafter\n")
    shared = [
        record(method=m, seed=s, best=[[1, 9.0], [30, y]]) for s in range(2) for m, y in (("default", 2.0), ("random", 4.0))
    ]
    table = {"problem": "table:x264", "start": "own", "initial": 0, "evaluations": 100, "optimum": 1.0}
    own = [record(**table), record(**table, method="paper", best=[[1, 5.0], [60, 1.5]])]
    paths = update([*shared, *own], readme, tmp_path)
    text = readme.read_text()
    assert text.startswith(
        f"before\n\n{heads[0]} default | paper | GPSampler | TPE | random |\n|---|---|---|---|---|---|\n| direct"
    )
    assert "| x264, seconds (smaller) | 9.00 / **5.00** / 5.00 | **5.00** / **5.00** / **1.50** | – | – | – |\n" in text
    assert "| Pest-25 | **2.00** | – | – | – | 4.00 |\n" in text
    assert "| Ackley-53 | – | – | – | – | – |\n" in text
    assert "\n\nbetween\n\n" in text
    assert text.endswith("\n\nafter\n")
    assert "old" not in text
    assert paths[1].read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("losses", "decimals"), [([12.064, 12.066, 15.89], 2), ([-88.5, -39.0], 1), ([0.003, 2.2], 4), ([0.354, 0.391], 4), ([], 0)]
)
def test_decimals_show_the_differences_and_the_best(losses, decimals):
    assert decimals_for(losses) == decimals
