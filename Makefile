# Two commands do everything on a fresh machine with Python 3.11+ and make: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
TORCH := .venv-torch

.PHONY: help demo test lint types unit coverage figures bench bench-env bench-gp bench-speed test-faults docs dist browser screenshot clean

help:  ## what can be made
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "casmopolitan needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	touch $@

demo: $(STAMP)  ## install, tune a real model in the terminal, and write its report; run again and it resumes
	$(BIN)/casmopolitan demo --folder build/demo

test: lint types unit  ## install, lint, types and all tests

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)
	$(BIN)/mypy

# Three processes on two cores, since many tests wait for a disk or a process; bytecode is kept, since many start Python.
unit coverage test-faults: export PYTHONDONTWRITEBYTECODE =
WORKERS := -n 3 --dist worksteal

unit: $(STAMP)
	$(BIN)/python -m pytest $(WORKERS)

coverage: $(STAMP)  ## the tests again, with coverage measured: twice the time
	$(BIN)/python -m pytest $(WORKERS) --cov --cov-report=term

bench-gp: $(STAMP)  ## time the Gaussian process (and BoTorch's where .venv-torch holds it)
	$(BIN)/python -m benchmarks.gp

figures: $(STAMP)  ## draw the figures and tables of the documentation again
	$(BIN)/python docs/figures.py docs/images
	$(BIN)/python docs/settings_table.py
	$(BIN)/python docs/paper_numbers.py
	$(BIN)/python docs/problems_table.py > docs/problems.md

bench: $(STAMP)  ## the arena's smoke suite, and its report
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[bench]'
	$(BIN)/python -m benchmarks run --suite smoke --methods default,paper,random,optuna-tpe --seeds 3
	$(BIN)/python -m benchmarks report --results benchmarks/results/smoke.jsonl --out build/benchmarks

bench-env: $(TORCH)/.installed  ## the second environment, for peers that need torch

$(TORCH)/.installed: benchmarks/env/torch.txt benchmarks/env/no-deps.txt
	$(PYTHON) -m venv $(TORCH)
	$(TORCH)/bin/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	$(TORCH)/bin/python -m pip install --quiet --disable-pip-version-check torch==2.13.0
	$(TORCH)/bin/python -m pip install --quiet --disable-pip-version-check torch==2.13.0 -r benchmarks/env/torch.txt
	$(TORCH)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps -r benchmarks/env/no-deps.txt
	$(TORCH)/bin/python -m pip install --quiet --disable-pip-version-check -e .
	touch $@

bench-speed: $(STAMP)  ## what a suggestion costs against n and d
	$(BIN)/python -m benchmarks.speed
	$(BIN)/python -m benchmarks.overhead

test-faults: $(STAMP)  ## the long versions of the faults: kills in any write, many workers, thousands of trials
	$(BIN)/python -m pytest -m slow_faults tests/faults --timeout 3600

docs: $(STAMP)  ## the documentation as a site, in site/
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[docs]'
	$(BIN)/mkdocs build --strict

dist: $(STAMP)  ## wheel and sdist, the wheel tried in an empty environment with the README's first example
	$(BIN)/python -m pip install --quiet --disable-pip-version-check build
	rm -rf dist build/dist-check
	$(BIN)/python -m build --outdir dist .
	$(PYTHON) -m venv build/dist-check
	build/dist-check/bin/python -m pip install --quiet --disable-pip-version-check dist/casmopolitan-*.whl
	build/dist-check/bin/python docs/first_example.py README.md
	build/dist-check/bin/casmopolitan; test $$? -eq 1  # without the extra: one line that names it
	ls -l dist

browser:  ## how to get a browser for the test that opens the report
	@command -v chromium chromium-browser google-chrome || echo "no Chromium here. Debian, Ubuntu: apt-get install chromium; \
	Fedora: dnf install chromium; macOS: brew install --cask chromium. The test is skipped until then."

screenshot: $(STAMP)  ## make the screenshot of the report and the terminal transcript again
	$(BIN)/python docs/report_screenshot.py build/demo
	$(BIN)/python docs/transcript.py

clean:  ## forget the environment and every cache
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage dist build site
