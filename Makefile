# Everything is set up in .venv from the package registries; nothing but Python 3.11 or later and make is needed.

PYTHON ?= python3
BIN := .venv/bin
# Errors alone: pip warns of each configured place that is missing.
QUIETLY := --quiet --quiet
# Without bytecode a process compiles two hundred modules before it begins, and the tests start hundreds of processes.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-every test-long test-spark test-browser screenshots matrix check package schemas benchmark docs clean

demo: .venv/installed
	$(BIN)/starcloak demo --into build/demo

test: .venv/installed-test .venv/installed-dbt check
	$(BIN)/python -m pytest --numprocesses auto --dist worksteal

# Every sample, where make test draws some: all that is not long.
test-every: .venv/installed-test .venv/installed-dbt check
	STARCLOAK_DRAW=every $(BIN)/python -m pytest --numprocesses auto --dist worksteal

test-long: .venv/installed-test .venv/installed-openlineage .venv/installed-hadolint .venv/installed-sqlmesh \
.venv/installed-dagster .venv/installed-airflow
	$(BIN)/python -m pytest -m long

# On a standalone master with two workers, and on Spark Connect, which the tests start; they need Java 17. OPTIONS are pytest's.
test-spark: .venv/installed-spark
	.venv/spark/bin/python -m pytest tests/store/test_spark.py tests/store/test_spark_catalog.py tests/store/test_hosts.py \
		tests/store/test_cleaning.py -k spark $(OPTIONS)

# Reports and the studio in Chromium, which comes of the system's packages: apt-get install chromium. STARCLOAK_SHOTS keeps screenshots.
test-browser: .venv/installed-test .venv/installed-browser
	STARCLOAK_BROWSER=needed $(BIN)/python -m pytest --numprocesses auto --dist worksteal -m long tests/exports/test_report_in_browser.py tests/commands/test_studio.py \
		tests/commands/test_studio_entrance.py -k browser

# The pictures of the documentation, as that test has them.
screenshots:
	STARCLOAK_SHOTS=$(CURDIR)/build/shots $(MAKE) test-browser
	$(BIN)/python -m tests.pictures build/shots docs/images

# On Python 3.11 to 3.14 with DuckDB 2.0, with the lowest and the newest versions of all dependencies, as far as
# they are there; OPTIONS are pytest's, such as -k patients.
matrix:
	$(PYTHON) tests/matrix.py $(OPTIONS)

check: .venv/installed-test
	$(BIN)/ruff format --check engine tests benchmarks
	$(BIN)/ruff check engine tests benchmarks
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

# Wheel and source distribution in dist, as an index of packages takes them.
package: .venv/installed-package
	rm -rf dist
	.venv/package/bin/python -m build --outdir dist .
	.venv/package/bin/twine check --strict dist/*
	.venv/package/bin/check-wheel-contents dist/*.whl

schemas: .venv/installed
	$(BIN)/python -m starcloak.commands.schema

benchmark: .venv/installed-test
	$(BIN)/python -m benchmarks

# A dead link or an unknown reference is an error.
docs: .venv/installed-docs
	.venv/docs/bin/sphinx-build --quiet --nitpicky --fail-on-warning --keep-going -b html docs build/docs
	@echo "build/docs/index.html"

clean:
	rm -rf .venv build dist

.venv/installed: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install $(QUIETLY) --constraint constraints.txt --editable .
	touch $@

.venv/installed-test: .venv/installed
	$(BIN)/python -m pip install $(QUIETLY) --constraint constraints.txt --editable '.[test]'
	touch $@

.venv/installed-docs: docs/requirements.txt .venv/installed
	test -x .venv/docs/bin/python || $(BIN)/python -m venv .venv/docs
	.venv/docs/bin/python -m pip install $(QUIETLY) --constraint constraints.txt --requirement $< --editable .
	touch $@

# Spark wants another pandas.
.venv/installed-spark: tests/spark-requirements.txt .venv/installed
	test -x .venv/spark/bin/python || $(BIN)/python -m venv .venv/spark
	.venv/spark/bin/python -m pip install $(QUIETLY) --requirement $< --editable .
	touch $@

# They need other versions of what mypy and the engine need, or nothing of it.
.venv/installed-dbt .venv/installed-sqlmesh .venv/installed-dagster .venv/installed-airflow .venv/installed-browser \
.venv/installed-openlineage .venv/installed-hadolint .venv/installed-package .venv/installed-peers .venv/installed-gallery: \
.venv/installed-%: tests/%-requirements.txt .venv/installed
	test -x .venv/$*/bin/python || $(BIN)/python -m venv .venv/$*
	.venv/$*/bin/python -m pip install $(QUIETLY) --requirement $<
	touch $@
