# make demo: install and run the main job.  make test: install and run the tests, in minutes.  Both are quick the second time.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := pyproject.toml CMakeLists.txt $(wildcard src/fairgroups/kernels/*)
# Each environment has a build folder of its own, so that two builds of one checkout do not meet.
INSTALL := $(BIN)/python -m pip install --quiet --config-settings=build-dir=$(abspath $(VENV))/build
FILES := $(shell find src -name '*.py' | sort | cksum | cut -d ' ' -f 1)
# An editable install knows the files by name: new ones need a new one.
INSTALLED := $(VENV)/.installed-$(FILES)

.PHONY: demo test test-all test-long test-engines test-faces test-wheel test-oldest test-pythons test-sanitized test-threads test-random fuzz paper lint bench docs docs-links clean

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(INSTALLED): $(SOURCES) | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(INSTALL) -e '.'
	@touch $@

$(VENV)/.test: $(INSTALLED)
	$(INSTALL) -e '.[test]'
	@touch $@

$(VENV)/.engines: $(VENV)/.test
	$(INSTALL) -e '.[engines]'
	@touch $@

$(VENV)/.faces: $(VENV)/.test
	$(BIN)/python -m pip install --quiet torch==2.13.0
	$(INSTALL) -e '.[faces]'
	@touch $@

$(VENV)/.lint: $(VENV)/.test
	$(INSTALL) -e '.[lint]'
	@touch $@

$(VENV)/.docs: $(INSTALLED)
	$(INSTALL) -e '.[docs]'
	@touch $@

$(VENV)/.bench: $(INSTALLED) benchmarks/requirements.txt
	$(INSTALL) -e '.[skin]' -r benchmarks/requirements.txt
	@touch $@

demo: $(INSTALLED)
	$(BIN)/fairgroups demo

test: $(VENV)/.test
	$(BIN)/python -m pytest -q -n auto -m 'not long'

# The long simulations, the browser and the real data as well: what continuous integration runs.
test-all: test test-long

test-long: $(VENV)/.test
	$(BIN)/python -m pytest -q -n auto -m long --ignore=tests/engines  # which test-engines runs

test-engines: $(VENV)/.engines
	$(BIN)/python -m pytest -q -rs tests/engines tests/sources

test-faces: $(VENV)/.faces
	$(BIN)/python -m pytest -q -rs tests/faces tests/skin/test_photo.py

# The wheel and the source package, each in a clean environment.
test-wheel:
	scripts/check_wheel.sh $(PYTHON)

# The oldest dependencies that are supported.
OLDEST := .venv-oldest
test-oldest:
	$(PYTHON) -m venv $(OLDEST)
	$(OLDEST)/bin/python -m pip install --quiet -c constraints/oldest.txt '.[skin]' pytest pytest-xdist hypothesis pandas polars pyarrow
	$(OLDEST)/bin/python -m pytest -q -n auto -W default -m 'not long' tests/search tests/evidence tests/repair tests/skin/test_colour.py \
		tests/audits tests/grouping tests/cells tests/cli tests/charts tests/rows tests/partition \
		tests/sources/test_text_files.py tests/sources/test_written_numbers.py tests/sources/test_ages.py tests/sources/test_encodings.py

# Other versions of Python, where they are installed.
test-pythons:
	@for python in python3.11 python3.12 python3.13; do \
		if $$python -c '' 2>/dev/null; then scripts/check_wheel.sh $$python || exit 1; \
		else echo "$$python is not installed: skipped"; fi; done

# The kernels under the address and undefined-behaviour sanitizers.
test-sanitized:
	scripts/sanitized.sh $(PYTHON)

# The same under the thread sanitizer; takes longer, and is run by hand.
test-threads:
	scripts/sanitized.sh $(PYTHON) thread

# Random instances against brute force written anew, damaged files and documents: make fuzz SECONDS=600
SECONDS ?= 60
fuzz: $(VENV)/.test
	$(BIN)/python -W ignore scripts/fuzz.py --seconds $(SECONDS)

# The property tests on examples that are drawn anew; run by hand, now and then.
test-random: $(VENV)/.test
	$(BIN)/python -m pytest -q -n auto -m 'not long' --hypothesis-profile=default

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

# Links that lead out of the documentation; needs a network. Those inside it are tested by `make test`.
docs-links: $(VENV)/.docs
	$(BIN)/python -m sphinx -q -b linkcheck docs docs/_build/links

clean:
	rm -rf $(VENV) $(OLDEST) .venv-sanitized-* build dist docs/_build
