# make demo: install and run the main job.  make test: install and run the tests.  Both are quick the second time.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := pyproject.toml CMakeLists.txt $(wildcard src/fairgroups/kernels/*)
FILES := $(shell find src -name '*.py' | sort | cksum | cut -d ' ' -f 1)
# An editable install knows the files by name: new ones need a new one.
INSTALLED := $(VENV)/.installed-$(FILES)

.PHONY: demo test test-engines test-faces paper lint bench docs clean

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(INSTALLED): $(SOURCES) | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet -e '.'
	@touch $@

$(VENV)/.test: $(INSTALLED)
	$(BIN)/python -m pip install --quiet -e '.[test]'
	@touch $@

$(VENV)/.engines: $(VENV)/.test
	$(BIN)/python -m pip install --quiet -e '.[engines]'
	@touch $@

$(VENV)/.faces: $(VENV)/.test
	$(BIN)/python -m pip install --quiet torch==2.13.0
	$(BIN)/python -m pip install --quiet -e '.[faces]'
	@touch $@

$(VENV)/.lint: $(VENV)/.test
	$(BIN)/python -m pip install --quiet -e '.[lint]'
	@touch $@

$(VENV)/.docs: $(INSTALLED)
	$(BIN)/python -m pip install --quiet -e '.[docs]'
	@touch $@

$(VENV)/.bench: $(INSTALLED) benchmarks/requirements.txt
	$(BIN)/python -m pip install --quiet -r benchmarks/requirements.txt
	@touch $@

demo: $(INSTALLED)
	$(BIN)/fairgroups demo

test: $(VENV)/.test
	$(BIN)/python -m pytest -q -n auto

test-engines: $(VENV)/.engines
	$(BIN)/python -m pytest -q -rs tests/engines tests/test_sources.py

test-faces: $(VENV)/.faces
	$(BIN)/python -m pytest -q -rs tests/faces tests/skin/test_photo.py

# With tables of faces: make paper TABLES="--table celeba.csv --second-table ffhq.csv"
paper: $(INSTALLED)
	$(BIN)/fairgroups paper --out paper $(TABLES)

lint: $(VENV)/.lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/.bench
	$(BIN)/python benchmarks/run.py --out docs/benchmarks.md

docs: $(VENV)/.docs
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

clean:
	rm -rf $(VENV) build dist docs/_build
