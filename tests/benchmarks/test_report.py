import re

from benchmarks.report import write


def results(record, **peer):
    """Ten seeds of ours, which ends near 2.0, and of a peer, which ends at 3.0 unless told otherwise."""
    peer = {"best": [[1, 9.0], [40, 3.0]]} | peer
    ours = [record(seed=seed, best=[[1, 9.0], [40, 2.0 + 0.001 * seed]]) for seed in range(10)]
    theirs = [record(seed=seed, method="optuna-gp", **peer) for seed in range(10)]
    return ours + theirs


def page(records, tmp_path):
    write(records, tmp_path / "benchmarks")
    return (tmp_path / "benchmarks.md").read_text()


def test_the_page_has_every_part_and_its_figures_exist(record, tmp_path):
    text = page(results(record, seconds={"mean": 1.5}), tmp_path)
    for heading in (
        "# Benchmarks",
        "## Test problems",
        "## pest-25",
        "## Seconds per suggestion",
        "## How these results were made",
    ):
        assert heading in text
    figures = re.findall(r"\]\((images/bench-[^)]+\.png)\)", text)
    assert len(figures) == 2
    assert all((tmp_path / figure).read_bytes().startswith(b"\x89PNG") for figure in figures)
    assert "1.5 (15×)" in text


def test_the_html_needs_no_other_file(record, tmp_path):
    page(results(record), tmp_path)
    html = (tmp_path / "benchmarks.html").read_text()
    sources = re.findall(r'src="([^"]{30})', html)
    assert len(sources) == 2
    assert all(source.startswith("data:image/png;base64,") for source in sources)
    assert "http" not in html


def test_ours_is_said_to_be_ahead_when_it_is(record, tmp_path):
    text = page(results(record), tmp_path)
    assert "At 100 evaluations, casmopolitan default against each peer on each problem" in text
    assert "10–0 of 10, p = 0.0039: ahead" in text
    none = "Peers with a better mean, significant or not: none; on the seeds that both ran: none."
    assert text.count(f"**Peers ahead of it: none.** {none}") == 2


def test_a_peer_that_is_ahead_is_named(record, tmp_path):
    text = page(results(record, best=[[1, 9.0], [40, 1.0]]), tmp_path)
    assert "**Peers ahead of it: Optuna GPSampler on pest-25.**" in text
    named = "Optuna GPSampler on pest-25"
    assert f"significant or not: {named}; on the seeds that both ran: {named} (1 against 2.0045)." in text
    assert "| Optuna GPSampler | 10 | **1 ± 0 (1)**" in text
    assert "| 10 of 10 |" in text


def test_our_own_variants_do_not_water_down_the_correction_over_the_peers(record, tmp_path):
    variants = [record(seed=seed, method=f"default:failure_tolerance={k}") for seed in range(10) for k in range(20)]
    assert "10–0 of 10, p = 0.0039: ahead" in page(results(record) + variants, tmp_path)


def test_capped_and_failed_runs_are_listed(record, tmp_path):
    odd = [
        record(method="hebo", status="capped", evaluations=61),
        record(method="smac", status="failed", evaluations=20, error="Traceback\nValueError: no luck"),
    ]
    text = page([*results(record), *odd], tmp_path)
    assert "| pest-25 | hebo | capped | 1 | 61 | – |" in text
    assert "| pest-25 | smac | failed | 1 | 20 | ValueError: no luck |" in text
    assert "| HEBO | 1 | 5 (3) | – | – | 0 of 1 |" in text


def test_an_unknown_optimum_and_a_method_that_found_it_at_once_are_drawn(record, tmp_path):
    unknown = [record(problem="labs-50", optimum=None)]
    solved = [record(problem="maxsat-60@1", best=[[1, 1.0]])]
    text = page(unknown + solved, tmp_path)
    assert "| optimum found |" in text
    assert (tmp_path / "images" / "bench-maxsat-60-moved-1.png").exists()


def test_a_peer_with_fewer_seeds_is_also_compared_over_the_seeds_that_both_ran(record, tmp_path):
    ours = [record(seed=seed, best=[[1, 9.0], [40, 1.0 if seed < 3 else 5.0]]) for seed in range(10)]
    peer = [record(seed=seed, method="optuna-gp", best=[[1, 9.0], [40, 2.0]]) for seed in range(3)]
    text = page(ours + peer, tmp_path)
    assert "significant or not: Optuna GPSampler on pest-25; on the seeds that both ran: none." in text


def test_batches_are_compared_with_one_by_one_over_common_seeds(record, tmp_path):
    alone = [record(seed=seed, best=[[1, 9.0], [40, 4.0], [60, 2.0 if seed < 5 else 0.0]]) for seed in range(10)]
    batched = [record(seed=seed, batch=8, best=[[1, 9.0], [90, 4.0]]) for seed in range(5)]
    text = page(alone + batched, tmp_path)
    assert "| pest-25 | casmopolitan default | 8 | 5 | 4 | 90 | 40 | 9 | 20 |" in text
    assert "| casmopolitan default (batches of 8) | 5 | 9 | 4 | 4 |" in text.replace(" ± 0", "")  # no rank: not in that race
    assert "| casmopolitan default | 1.00 (1) | 1.00 (1) | 1.00 (1) |" in text
    better = [record(seed=seed, batch=8, best=[[1, 1.0]]) for seed in range(5)]
    assert "| pest-25 | casmopolitan default | 8 | 5 | 1 | 20 | over 200 | 0 | – |" in page(alone + better, tmp_path)
    apart = [record(seed=seed, batch=8) for seed in range(20, 25)]
    assert "| pest-25 | casmopolitan default | 8 | 0 | – | – | – | – | – |" in page(alone + apart, tmp_path)


def test_methods_in_batches_race_among_themselves(record, tmp_path):
    ours = [record(seed=seed, batch=8, best=[[1, 9.0], [60, 2.0]]) for seed in range(10)]
    theirs = [record(seed=seed, batch=8, method="optuna-gp", best=[[1, 9.0], [150, 3.0]]) for seed in range(10)]
    alone = [record(seed=seed, best=[[1, 9.0], [40, 4.0]]) for seed in range(10)]
    text = page(alone + ours + theirs, tmp_path)
    before, after = text.split("## In batches")
    assert "GPSampler" not in before  # nobody else ran one by one
    assert "| problem | casmopolitan default | Optuna GPSampler |" in after
    assert "| pest-25 | 2 / 2 (10) | 9 / 3 (10) |" in after
    assert "At 100 evaluations, 8 at a time, casmopolitan default against each peer" in after
    assert "ahead 1. **Peers ahead of it: none.**" in after
    capped = [record(seed=seed, batch=8, method="hebo", status="capped", evaluations=120) for seed in range(2)]
    after = page(ours + theirs + capped, tmp_path).split("## In batches")[1]  # nobody ran one by one
    assert "| pest-25 | 2 / 2 (10) | 5 / – (2) | 9 / 3 (10) |" in after
    assert "| pest-25 | hebo (batches of 8) | capped | 2 | 120, 120 | – |" in after
    assert "## In batches" in page(theirs, tmp_path)  # not even ours


def test_without_batches_there_is_nothing_said_of_them(record, tmp_path):
    assert "## In batches" not in page(results(record), tmp_path)


def test_runs_on_other_seeds_stand_in_a_table_of_their_own(record, tmp_path):
    reported = [record(seed=seed, best=[[1, 9.0], [40, 2.0]]) for seed in range(3)]
    others = [record(seed=seed, best=[[1, 9.0], [40, 4.0]], command="the other command") for seed in range(3, 8)]
    write(reported, tmp_path / "benchmarks", others)
    text = (tmp_path / "benchmarks.md").read_text()
    assert "| pest-25 | casmopolitan default | 0 to 2 | 2 ± 0 |" in text
    assert "| pest-25 | casmopolitan default | 3 to 7 | 4 ± 0 |" in text
    assert "| casmopolitan default | 3 | **2 ± 0 (1)**" in text, "the tables above do not count them"
    assert "`the other command`" in text
    assert "On other seeds" not in page(reported, tmp_path)
