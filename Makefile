# Everything sets itself up: a machine with Python 3.11+ and make is enough.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/ready
READY_TO_TEST := $(VENV)/ready-to-test

# A folder of datasets; docs/benchmarks says where each is had.
DATA ?= data

.PHONY: demo test lint bench eval setup clean
.DEFAULT_GOAL := test

demo: $(READY)  ## the main job on real input: five questions over these docs and a small bilingual set of notes
	$(BIN)/ricordo demo README.md docs

test: $(READY_TO_TEST)  ## every test
	$(BIN)/python -m pytest -n auto --dist worksteal

lint: $(READY_TO_TEST)  ## formatting, lint and types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

bench: $(READY_TO_TEST)  ## speed and size on this machine, in a file and in an embedded PostgreSQL
	$(BIN)/python benchmarks/speed.py

eval: $(READY_TO_TEST)  ## how well it finds, on the datasets in the folder DATA, in about ten minutes
	$(BIN)/python benchmarks/quality.py $(DATA)

setup: $(READY_TO_TEST)

$(READY): pyproject.toml hatch_build.py packages/ricordo-e5/pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "ricordo needs Python 3.11 or newer; run: make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --editable '.[russian]' ./packages/ricordo-e5
	touch $@

$(READY_TO_TEST): $(READY)
	$(BIN)/python -m pip install --quiet --group dev
	touch $@

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis
