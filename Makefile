# `make test` needs python3 (3.10 or newer) and make, and sets up the rest.
PYTHON ?= python3
VENV := $(CURDIR)/.venv
BIN := $(VENV)/bin

# One stamp for each PYTHON: naming another one sets up again.
STAMP := .venv/.installed-by-$(notdir $(PYTHON))

# From an archive of its classes Spark starts in half the time, and tests start it often.
ARCHIVE := .venv/spark.jsa

# pip repeats a failed request but not a download that breaks off, hence twice. Most of what it
# installs is never imported, and need not be compiled.
INSTALL := "$(BIN)/python" -m pip install -q --no-compile --retries 10 -c constraints.txt -e '.[dev]'

# Spark starts the python3 on PATH unless told otherwise, which may be another version.
export PYSPARK_PYTHON := $(BIN)/python

# Without compiled files each process would compile Dagster anew, and tests start many.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup demo dev test soak lint format tables screenshots bench clean

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## /  \1\t/p' Makefile
	@echo "  PYTHON=python3.12 picks the Python (now: $(PYTHON))"

setup: $(STAMP) ## make .venv with all that development needs, Java and a browser too
	@java=$$(tools/find_java.sh "$(VENV)") && echo "Java: $$java"
	@browser=$$(tools/find_browser.sh) && echo "Browser: $${browser:-none}"

demo: $(STAMP) ## a good day and a bad batch, told in the terminal
	@java=$$(tools/find_java.sh "$(VENV)") && export JAVA_HOME="$$java" && \
	"$(BIN)/python" -m example_project.demo

dev: $(STAMP) ## open the example project in Dagster's UI
	@java=$$(tools/find_java.sh "$(VENV)") && export JAVA_HOME="$$java" && \
	mkdir -p .dagster && cp example_project/dagster.yaml .dagster && \
	DAGSTER_HOME="$(CURDIR)/.dagster" "$(BIN)/dagster" dev -w workspace.yaml

test: $(STAMP) ## check everything: lint, then all tests
	$(MAKE) -j 2 lint $(ARCHIVE)
	java=$$(tools/find_java.sh "$(VENV)") && browser=$$(tools/find_browser.sh) && \
	JAVA_HOME="$$java" DQX_BROWSER="$$browser" "$(BIN)/pytest" -n 3 --dist loadfile --durations 20

soak: ## all tests, with five times as many random cases
	$(MAKE) test DQX_EFFORT=5

lint: $(STAMP) ## ruff and mypy
	"$(BIN)/ruff" check
	"$(BIN)/ruff" format --check
	"$(BIN)/mypy"

format: $(STAMP) ## format, and fix what ruff can fix
	"$(BIN)/ruff" check --fix
	"$(BIN)/ruff" format

tables: $(STAMP) ## write the tables of words into the pages
	"$(BIN)/python" tools/reference_tables.py

screenshots: $(STAMP) ## take the pictures of the pages anew
	java=$$(tools/find_java.sh "$(VENV)") && browser=$$(tools/find_browser.sh) && \
	JAVA_HOME="$$java" DQX_BROWSER="$$browser" "$(BIN)/python" tools/screenshots.py

bench: $(STAMP) $(ARCHIVE) ## run benchmarks/*.py
	java=$$(tools/find_java.sh "$(VENV)") && export JAVA_HOME="$$java" && \
	for script in benchmarks/*.py; do "$(BIN)/python" "$$script" || exit; done

clean: ## remove .venv and all caches
	rm -rf .venv dist .hypothesis .mypy_cache .pytest_cache .ruff_cache
	rm -rf spark-warehouse metastore_db derby.log .dagster example_project/data
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(STAMP): pyproject.toml constraints.txt
	@[ "$$("$(BIN)/python" -V 2>&1)" = "$$($(PYTHON) -V)" ] || $(PYTHON) -m venv --clear .venv
	@echo "Installing everything into .venv; the first time this takes some minutes."
	@$(INSTALL) || $(INSTALL)
	@touch $@

$(ARCHIVE): $(STAMP) tools/archive_spark.py
	@java=$$(tools/find_java.sh "$(VENV)") && JAVA_HOME="$$java" \
	"$(BIN)/python" tools/archive_spark.py $@ >/dev/null 2>&1 || echo "No archive: Spark starts slowly."
