.DEFAULT_GOAL := help
PYTHON ?= python3
BIN := .venv/bin
UV := $(shell command -v uv 2>/dev/null)
VENV = $(if $(UV),$(UV) venv -q --seed,$(PYTHON) -m venv)
INSTALL = $(if $(UV),$(UV) pip install -q --python $(BIN)/python,$(BIN)/python -m pip install -q)
# How many examples a property has: `quick`, `ci` or `all`; see tests/conftest.py.
EXAMPLES ?= quick
PYTEST = $(BIN)/python -m pytest -n 2 --hypothesis-profile $(EXAMPLES)
QUICK := not app and not browser and not server and not slow and not exhaustive
test-all: EXAMPLES := all
# Compiled tests are kept: each worker would compile them again.
unexport PYTHONDONTWRITEBYTECODE

help:            ## Show this help
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/'

run: .venv/run $(if $(EPSILON_STUDIO_LEDGER)$(EPSILON_STUDIO_DATABASES),.venv/postgresql) $(if $(EPSILON_STUDIO_CLUSTER),.venv/cluster) ## Start the app and open the browser
	$(BIN)/python -m epsilon_studio $(OPTIONS)

test: .venv/dev  ## Run the quick tests: no pages, no browser, no servers, nothing slow
	$(PYTEST) -m "$(QUICK)" --ignore tests/app --ignore tests/browser

test-rest: .venv/dev browser postgresql ## Run the tests that `make test` leaves out
	$(PYTEST) -m "not exhaustive and not ($(QUICK))" --dist loadscope

test-all: .venv/dev browser postgresql ## Run every test with every example, then walk at random
	$(PYTEST) --dist loadscope
	$(MAKE) walk

check: .venv/dev ## Format, lint, types, import rules
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: .venv/dev  ## Build the documentation site into site/; a dead link is an error
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build -q --strict

package: .venv/dev ## Build the wheel and the source distribution into dist/
	$(BIN)/python -m build --outdir dist

bench: .venv/dev browser ## Measure speed and memory at a million rows
	$(BIN)/python -m benchmarks

walk: .venv/dev browser ## Walk at random over all pages, 2,000 steps from each of five seeds
	for seed in 1 2 3 4 5; do $(BIN)/python -m tests.browser.walk --seed $$seed --steps 2000 || exit 1; done

faults: .venv/dev ## Inject 60 faults into the core, and say which ones the quick tests notice
	$(BIN)/python -m tests.faults --count 60

browser: .venv/dev  ## Install a Chromium for the browser tests
	@if command -v chromium chromium-browser google-chrome >/dev/null || [ -n "$$CHROMIUM" ]; then echo "Chromium is already installed."; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then apt-get update -q && apt-get install -qy --no-install-recommends chromium; \
	else $(BIN)/python -m playwright install chromium; fi || echo "No Chromium could be installed: the browser tests will be skipped."

postgresql:      ## Install a PostgreSQL for the tests of ledgers and tables on a server
	@if command -v initdb >/dev/null || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1; then echo "PostgreSQL is already installed."; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then apt-get update -q && apt-get install -qy --no-install-recommends postgresql; \
	else false; fi || echo "No PostgreSQL could be installed: its tests will be skipped."

lock:            ## Rewrite constraints.txt from the requirements files
	: > constraints.txt
	uv pip compile --universal --python-version 3.11 --no-header --no-annotate -q requirements-dev.txt -o constraints.new
	mv constraints.new constraints.txt

.venv/bin/python:
	$(VENV) .venv

.venv/run: requirements.txt constraints.txt | .venv/bin/python
	$(INSTALL) -r requirements.txt && touch $@

.venv/postgresql: requirements.txt requirements-postgresql.txt constraints.txt | .venv/bin/python
	$(INSTALL) -r requirements-postgresql.txt && touch $@ .venv/run

.venv/cluster: requirements.txt requirements-cluster.txt constraints.txt | .venv/bin/python
	$(INSTALL) -r requirements-cluster.txt && touch $@ .venv/run

.venv/dev: $(wildcard requirements*.txt) constraints.txt | .venv/bin/python
	$(INSTALL) -r requirements-dev.txt && touch $@ .venv/run .venv/postgresql .venv/cluster

.PHONY: help run test test-rest test-all check docs package bench walk faults browser postgresql lock
