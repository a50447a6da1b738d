# Everything sets itself up: a machine with Python 3.11+ and make is enough.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/ready
READY_TO_TEST := $(VENV)/ready-to-test

# A folder of datasets; docs/benchmarks says where each is had.
DATA ?= data

.PHONY: demo test test-adapters test-trust fuzz audit sbom lint bench bench-web bench-scale bench-peers screenshots eval setup clean
.DEFAULT_GOAL := test

demo: $(READY)  ## the main job on real input: five questions over these docs and a small bilingual set of notes
	$(BIN)/ricordo demo README.md docs

# There is a process for each core already: more threads of OpenBLAS wait for each other, and take twice the processor time.
test: $(READY_TO_TEST)  ## every test; TRUST=long for those in their long form that are short here
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -n auto --dist worksteal

test-adapters: $(READY_TO_TEST)  ## the adapters, against the libraries themselves
	$(BIN)/python -m pip install --quiet --group adapters
	$(BIN)/python -m pytest tests/unit/test_adapters.py

test-trust: $(READY_TO_TEST)  ## crashes, damage, crowds, leaks: the long form, with fixed seeds; prints what it did
	OPENBLAS_NUM_THREADS=1 TRUST=long $(BIN)/python -m pytest -n auto --dist worksteal -rP --no-header --timeout 1200 \
		tests/trust tests/migration tests/contract/test_store.py \
		tests/edges/test_crash.py tests/edges/test_forget.py tests/edges/test_many_forgotten.py tests/edges/test_transfer.py \
		tests/edges/test_watch.py tests/web/test_pages.py tests/web/test_parts.py \
		tests/postgres/test_embedded.py tests/postgres/test_faults.py tests/postgres/test_many_clients.py \
		tests/postgres/test_row_security.py tests/unit/test_archives.py tests/unit/test_burying.py \
		tests/unit/test_hostile_exports.py tests/unit/test_hostile_losses.py tests/unit/test_hostile_records.py \
		tests/unit/test_move.py

fuzz: $(READY_TO_TEST)  ## eleven thousand mutated files and archives: no crash, no hang, no loss that is not told
	RICORDO_TEST_EXAMPLES=1000 $(BIN)/python -m pytest --no-header --hypothesis-show-statistics tests/unit/test_hostile_exports.py tests/unit/test_hostile_records.py tests/unit/test_hostile_losses.py tests/unit/test_archives.py

audit: $(READY)  ## known faults of the packages installed here, by the Python advisory database
	$(BIN)/python -m pip install --quiet 'pip-audit>=2.7,<3'
	$(BIN)/python .ci/audit.py

sbom: $(READY)  ## what an installation is made of, packages and models, as sbom.json in CycloneDX
	$(BIN)/python -m pip install --quiet 'cyclonedx-bom>=5,<8'
	$(BIN)/cyclonedx-py environment --output-reproducible --of JSON -o sbom.json $(BIN)/python
	$(BIN)/python .ci/sbom.py sbom.json

lint: $(READY_TO_TEST)  ## formatting, lint and types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

bench-scale: $(READY_TO_TEST)  ## what a store costs from 1,000 to 1,000,000 chunks (SIZES="1000 10000" for others), and workers
	$(BIN)/python benchmarks/scale.py $(SIZES)
	$(BIN)/python benchmarks/workers.py

bench: $(READY_TO_TEST)  ## speed and size on this machine, in a file and in an embedded PostgreSQL
	$(BIN)/python benchmarks/speed.py

bench-web: $(READY_TO_TEST)  ## how fast pages and REST answer at 100,000 chunks, and 200 clients at once, in about a quarter of an hour
	$(BIN)/python benchmarks/web.py

screenshots: $(READY_TO_TEST)  ## the pictures of the pages in docs/images, anew; needs Chromium
	$(BIN)/python tests/screenshots.py

bench-peers: $(READY_TO_TEST)  ## beside what people would use instead, from PyPI, in about half an hour the first time
	$(BIN)/python benchmarks/peers $(DATA)

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
