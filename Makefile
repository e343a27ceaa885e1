# hardwon: the verbs that a person or CI needs. `make` alone lists them.
.DEFAULT_GOAL := help
SHELL := /bin/bash
export UV_SYSTEM_CERTS := true
export UV_NO_PROGRESS := true

PYTHON ?= python3
BIN := .venv/bin
UV := $(BIN)/uv
FOLDERS := domain ports adapters entrypoints examples plugin
SOURCES := $(shell find $(FOLDERS) -name __pycache__ -prune -o -print) pyproject.toml LICENSE NOTICE README.md
CORES := $(shell getconf _NPROCESSORS_ONLN)
# One more than cores: many tests wait for a process.
JOBS ?= $(shell echo $$(($(CORES) + 1)))
# Plain assertions: rewriting those of all tests takes longer than reading the tests, in each process.
PYTEST := $(BIN)/pytest -q -n $(JOBS) --assert=plain

.PHONY: help setup demo fmt lint typecheck quick pythons test doors browser clients soak bench quality figures docs generated build install environment uninstall clean

help:  ## list the verbs
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-11s %s\n", $$1, $$2}'

setup: .venv/.installed .venv-bare/.installed  ## create .venv with everything, and .venv-bare with the least that the hook needs

demo: .venv/.installed  ## show hardwon on the sample project, in a temporary store; STORE=postgresql://… on a server
	@$(BIN)/hardwon demo $(if $(STORE),--on "$(STORE)")

# Announces a step of the set-up: each takes seconds to a minute.
STEP = @echo '$(1) ...' >&2

fmt: .venv/.installed  ## format the code, and fix what ruff can fix
	$(BIN)/ruff check --quiet --fix-only .
	$(BIN)/ruff format .

lint: .venv/.installed  ## ruff, formatting, import contracts, words, first lines of docstrings
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-cache
	@$(BIN)/python -m tools.words --ratchet
	@$(BIN)/python -m tools.first_lines

typecheck: .venv/.installed  ## strict mypy
	$(BIN)/mypy

QUICK := tests/domain tests/contracts tests/test_examples.py

quick: .venv/.installed  ## tests of domain and ports, and examples in docstrings, in seconds
	HYPOTHESIS_PROFILE=quick $(PYTEST) -n $(CORES) -m "not soak and not browser and not postgres and not large" $(QUICK)

pythons: .venv/.installed  ## make quick, and megabytes of hostile text, on every Python from 3.11 of this machine
	@HYPOTHESIS_PROFILE=quick $(BIN)/python -m tools.pythons -q -n $(JOBS) --assert=plain $(QUICK) tests/test_patterns.py

test: setup lint typecheck  ## lint, typecheck, then all tests
	$(PYTEST) || { echo 'To see what was compared: $(BIN)/pytest TEST' >&2; exit 1; }

doors: setup  ## tests of the page in a browser, of real agents, and of the store on a PostgreSQL server
	@$(MAKE) --silent clients || echo 'The agents are not all here, so their tests are skipped.' >&2
	$(PYTEST) -m "(browser or postgres or clients) and not soak" -rs tests/browser tests/clients tests/contracts tests/adapters/postgres tests/entrypoints/postgres tests/domain/use_cases/test_copy_store.py

clients: .clients/.installed  ## install the agents of make doors: npm fetches a gigabyte
.clients/.installed: tests/clients/package.json
	@mkdir -p $(@D) && cp $< $(@D)
	@npm install --prefix $(@D) --no-audit --no-fund --silent
	@touch $@

browser: .venv/.installed  ## install a Chromium for make doors: Debian's where apt-get may, else Playwright's
	@$(BIN)/python -m tests.browser.chromium || { test -x /usr/bin/apt-get && apt-get install --yes --quiet chromium; } \
	  || $(BIN)/python -m playwright install chromium

# Verbs with parts: `make soak PART=kills`. Each part is a variable, VERB_PART, that holds its commands.
define NEWLINE


endef
steps = $(foreach part,$(or $(PART),$(2)),$(or $($(1)_$(part)),$(error make $(1) has no part $(part): $(3)))$(NEWLINE))

SOAK := $(BIN)/pytest -q -n $(JOBS) -m "soak or hypothesis"
SOAK_PARTS := domain doors kills faults fuzz busy forget
KILLS := tests/campaigns/test_kills.py tests/entrypoints/cli/test_forget_killed.py tests/entrypoints/test_worker.py
FAULTS := tests/campaigns/test_swaps.py tests/campaigns/test_faults.py tests/campaigns/test_corruption.py tests/entrypoints/test_unreadable_rows.py
DOMAIN := tests/domain tests/contracts tests/adapters
# Many examples of every rule, and random histories of the store.
soak_domain = HYPOTHESIS_PROFILE=soak $(SOAK) $(DOMAIN)
# Programs: every secret by every way in, the bench, ratios of speed.
soak_doors = HYPOTHESIS_PROFILE=soak $(SOAK) tests $(addprefix --ignore=,tests/campaigns $(DOMAIN) $(KILLS) $(FAULTS))
# 600 kills of all programs at once: nothing acknowledged is lost or doubled.
soak_kills = $(SOAK) $(KILLS)
# Folders swapped for links, a disk that fails at any write, every file damaged, a bad value in every column.
soak_faults = $(SOAK) $(FAULTS)
# Damaged inputs for every parser, and for a live server.
soak_fuzz = $(SOAK) tests/campaigns/test_fuzz.py
# Session starts on 10,000 entries beside ten busy processes a core, for BUSY_SECONDS.
soak_busy = $(SOAK) -n 0 tests/campaigns/test_busy.py
# Thirty runs of hardwon forget beside three captures.
soak_forget = $(SOAK) -n 0 tests/campaigns/test_forget.py

soak: setup  ## long campaigns; PART names some of domain, doors, kills, faults, fuzz, busy, forget
	$(call steps,soak,$(SOAK_PARTS),$(SOAK_PARTS))

docs: .venv/.installed  ## check the documents (commands run, names exist), and build the site
	$(PYTEST) tests/test_docs.py tests/entrypoints/test_readme.py tests/plugin/test_texts.py tests/security/test_security_policy.py
	@$(BIN)/python -m tools.site

bench: setup  ## figures and ratios, measured in one run
	$(BIN)/python -m bench
	$(BIN)/python -W ignore -m bench.postgres

quality: setup  ## measure the tables of docs/quality.md from scratch; TABLES names some
	$(BIN)/python -m bench.quality $(TABLES)

figures: .venv/.installed  ## size and structure of the code, beside their bounds; LOWER=1 lowers those
	@$(BIN)/python -m tools.figures $(if $(LOWER),--lower)

SIZES ?= 1000,10000,100000
COMPILE := $(UV) pip compile --quiet --universal --generate-hashes --no-header --no-annotate --no-emit-index-url
# The table of docs/configuration.md, after a setting changed.
generated_configuration = @$(BIN)/python -m tools.configuration
# entrypoints/mcp/description.json, after an MCP tool or the version changed.
generated_description = @$(BIN)/python -m tools.mcp_description
# docs/imports.md: modules and CPU of each program.
generated_imports = @$(BIN)/python -m tools.imports
# docs/images: the page by Chromium, terminals by rich.
generated_pictures = @$(BIN)/python -m tools.pictures
# docs/measurements.md and its chart: the cost of every door at SIZES.
generated_performance = $(BIN)/python -m bench.performance --sizes $(SIZES)
# The requirements files, from pyproject.toml.
define generated_pins
$(COMPILE) --group dev pyproject.toml -o requirements/dev.txt
$(COMPILE) --extra postgres -c requirements/dev.txt pyproject.toml -o requirements/run.txt
$(COMPILE) -c requirements/dev.txt requirements/bare.in -o requirements/bare.txt
$(COMPILE) requirements/uv.in -o requirements/uv.txt
endef

generated: .venv/.installed $(if $(filter pictures performance,$(PART)),setup)  ## write files made from code: configuration, description; PART names others: imports, pictures, performance, pins
	$(call steps,generated,configuration description,configuration description imports pictures performance pins)

build: .venv/.dev  ## the wheel and the source archive in dist/
	rm -rf build dist
	$(BIN)/python -m build --no-isolation

install: $(UV)  ## install hardwon for this user, as a uv tool
	$(UV) tool install --force --compile-bytecode --constraints requirements/run.txt '.[postgres]'
	@echo 'Now connect your agents, in a project: hardwon init'

environment: $(UV)  ## install hardwon into an environment of its own, the folder ENVIRONMENT
	@test -n "$$ENVIRONMENT" || { echo 'name the folder: make environment ENVIRONMENT=FOLDER' >&2; exit 1; }
	$(UV) venv --quiet --allow-existing --python $(BIN)/python "$$ENVIRONMENT"
	$(UV) pip install --python "$$ENVIRONMENT" --quiet --compile-bytecode --require-hashes -r requirements/run.txt
	$(UV) pip install --python "$$ENVIRONMENT" --quiet --compile-bytecode --no-deps --reinstall .
	@rm -rf build *.egg-info

uninstall: $(UV)  ## remove the installed programs; memories stay
	$(UV) tool uninstall hardwon

clean:  ## remove what the verbs made
	rm -rf .venv .venv-bare .venv-3.* build dist site *.egg-info .mypy_cache .ruff_cache .hypothesis

# pip is called here only: it installs uv into the project's own environment.
$(UV):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "hardwon needs Python 3.11 or newer: make PYTHON=python3.12")'
	$(call STEP,1 of 3: making an environment for hardwon in .venv)
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/uv.txt

.venv/.dev: requirements/dev.txt | $(UV)
	$(call STEP,2 of 3: installing what it needs and its tests; half a minute with a quick network)
	@$(UV) pip install --python .venv --quiet --compile-bytecode --require-hashes -r requirements/dev.txt
	@touch $@

# An edit is tested at once: .venv/editable/hardwon links to the folders, and a .pth file names .venv/editable. Setuptools'
# own finder, which this replaces, slows the start of each process down, and mypy cannot follow it.
.venv/.installed: .venv/.dev pyproject.toml Makefile
	$(call STEP,3 of 3: installing hardwon itself)
	@$(UV) pip install --python .venv --quiet --no-deps --no-build-isolation --reinstall -C editable_mode=compat --editable .
	@rm -rf *.egg-info .venv/editable && mkdir -p .venv/editable/hardwon
	@ln -s "$(CURDIR)/.claude-plugin" .venv/editable/hardwon/marketplace
	@for folder in $(FOLDERS); do ln -s "$(CURDIR)/$$folder" .venv/editable/hardwon/$$folder; done
	@set -e; for file in .venv/lib/python*/site-packages/__editable__.hardwon-*.pth; do rm "$$file"; echo "$(CURDIR)/.venv/editable" > "$$file"; done
	@touch $@

# The wheel, as users get it, on the least that the hook needs.
.venv-bare/.installed: requirements/bare.txt $(SOURCES) | .venv/.installed
	@rm -rf build .venv/wheel
	$(UV) build --quiet --wheel --no-build-isolation --python .venv --out-dir .venv/wheel
	@rm -rf build *.egg-info
	$(UV) venv --quiet --clear --python $(BIN)/python .venv-bare
	$(UV) pip install --python .venv-bare --quiet --no-deps --require-hashes -r requirements/bare.txt
	$(UV) pip install --python .venv-bare --quiet --no-deps .venv/wheel/*.whl
	@touch $@
