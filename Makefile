# hardwon: every verb a person or CI needs. `make` alone lists them.
.DEFAULT_GOAL := help
SHELL := /bin/bash
export UV_SYSTEM_CERTS := true
export UV_NO_PROGRESS := true

PYTHON ?= python3
BIN := .venv/bin
UV := $(BIN)/uv
SOURCES := $(shell find domain ports adapters entrypoints examples plugin/commands -type f -not -name '*.pyc') pyproject.toml LICENSE NOTICE README.md
# One more than cores: many tests wait for a process.
JOBS ?= $(shell echo $$(($$(getconf _NPROCESSORS_ONLN) + 1)))

.PHONY: help setup demo check test soak golden bench build install uninstall environment pins clean

help:  ## list the verbs
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-11s %s\n", $$1, $$2}'

setup: .venv/.installed .venv-bare/.installed  ## create .venv with everything, and .venv-bare without numpy

demo: .venv/.installed  ## run the main job on the sample project, offline, in a throw-away store
	@$(BIN)/hardwon demo

check: .venv/.installed  ## ruff, strict mypy, import contracts, and what the wheel holds
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/pytest -q tests/test_wheel.py

# Plain assertions: rewriting those of all tests takes longer than reading the tests, in each process.
test: setup  ## check, then all tests
	$(MAKE) check
	$(BIN)/pytest -q -n $(JOBS) --assert=plain || { echo 'To see what was compared: $(BIN)/pytest TEST' >&2; exit 1; }

soak: setup  ## the long explorations: many examples, random worlds, ratios of speed
	HYPOTHESIS_PROFILE=soak $(BIN)/pytest -q -n $(JOBS) -m "soak or not soak"

golden: .venv/.installed  ## compare what the programs answer with the golden run (until the house is rebuilt)
	$(BIN)/python tools/golden/run.py

bench: setup  ## figures and ratios, measured in one run
	$(BIN)/python -m bench

build: .venv/.dev  ## the wheel and the source archive in dist/
	rm -rf build dist
	$(BIN)/python -m build --no-isolation

install: $(UV)  ## install hardwon for this user, as a uv tool
	$(UV) tool install --force --compile-bytecode --constraints requirements/run.txt .

environment: $(UV)  ## install hardwon into an environment of its own, the folder ENVIRONMENT
	@test -n "$$ENVIRONMENT" || { echo 'name the folder: make environment ENVIRONMENT=FOLDER' >&2; exit 1; }
	$(UV) venv --quiet --allow-existing --python $(BIN)/python "$$ENVIRONMENT"
	$(UV) pip install --python "$$ENVIRONMENT" --quiet --compile-bytecode --require-hashes -r requirements/run.txt
	$(UV) pip install --python "$$ENVIRONMENT" --quiet --compile-bytecode --no-deps --reinstall .
	@rm -rf build *.egg-info

uninstall: $(UV)  ## remove the installed programs; memories stay
	$(UV) tool uninstall hardwon

clean:  ## remove what the verbs made
	rm -rf .venv .venv-bare build dist *.egg-info .mypy_cache .ruff_cache .hypothesis

# The one place pip is called: it brings uv into the project's own environment.
$(UV):
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "hardwon needs Python 3.11 or newer: make PYTHON=python3.12")'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/uv.txt

.venv/.dev: requirements/dev.txt | $(UV)
	$(UV) pip install --python .venv --quiet --compile-bytecode --require-hashes -r requirements/dev.txt
	@touch $@

# Tests run what users get: the wheel, installed, not the source folders.
.venv/.installed: .venv/.dev $(SOURCES)
	@rm -rf build .venv/wheel
	$(UV) build --quiet --wheel --no-build-isolation --python .venv --out-dir .venv/wheel
	$(UV) pip install --python .venv --quiet --no-deps --reinstall --compile-bytecode .venv/wheel/*.whl
	@rm -rf build *.egg-info
	@touch $@

.venv-bare/.installed: .venv/.installed requirements/bare.txt
	$(UV) venv --quiet --clear --python $(BIN)/python .venv-bare
	$(UV) pip install --python .venv-bare --quiet --no-deps --require-hashes -r requirements/bare.txt
	$(UV) pip install --python .venv-bare --quiet --no-deps .venv/wheel/*.whl
	@touch $@

COMPILE := $(UV) pip compile --quiet --universal --generate-hashes --no-header --no-annotate --no-emit-index-url

pins: $(UV)  ## write the requirements files anew from pyproject.toml
	$(COMPILE) --group dev pyproject.toml -o requirements/dev.txt
	$(COMPILE) -c requirements/dev.txt pyproject.toml -o requirements/run.txt
	$(COMPILE) -c requirements/dev.txt requirements/bare.in -o requirements/bare.txt
	$(COMPILE) requirements/uv.in -o requirements/uv.txt
