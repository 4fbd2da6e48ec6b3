# Two set-up commands: `make demo` runs the main job on embedded parts, `make test` passes the tests.
# Both install what they need: the Python side into .venv, jars into the cache outside the checkout.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
UV := $(BIN)/uv
PEERS := $(VENV)/peers/.installed
LINEAGE_PEERS := $(VENV)/lineage/.installed

# A pipe fails as what is piped into it fails.
SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -c

# Without compiled bytecode every process would compile its imports anew, for seconds.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-without-servers test-of-service test-with-servers test-on-spark test-fast coverage coverage-fast hunt chaos histories protocol check $(CHECKS) docs reference screenshots format requirements runtime release clean stack-up stack-down bench-cases bench-cases-in-trino bench-pig bench-pig-cases bench-lineage probe-functions probe-ddl

demo: $(INSTALLED) java
	@$(BIN)/schema-publisher demo

# Of cases that are alike and of examples a part, other cases at each turn: `make test TURN=7`, as CI does. Without a
# turn, all.
TURN :=
IN_TURN := $(if $(TURN),--turn $(TURN) --hypothesis-profile turn)

# Beside each other: tests with servers wait for these half of their time. Each line names its part.
test: check java
	$(MAKE) -j4 test-of-service test-with-servers test-without-servers test-on-spark

# The running service from end to end.
OF_SERVICE := tests/integration/end_to_end tests/integration/events
test-of-service: $(INSTALLED)
	$(BIN)/pytest $(OF_SERVICE) $(IN_TURN) -m "not spark" 2>&1 | sed -u 's/^/of the service  | /'

test-without-servers: $(INSTALLED)
	$(BIN)/pytest tests --ignore tests/integration $(IN_TURN) -n 2 --dist worksteal 2>&1 | sed -u 's/^/without servers | /'

test-with-servers: $(INSTALLED)
	$(BIN)/pytest tests/integration $(IN_TURN) -m "not spark" $(addprefix --ignore=,$(OF_SERVICE)) 2>&1 | sed -u 's/^/with servers    | /'

test-on-spark: $(INSTALLED)
	$(BIN)/pytest tests/integration $(IN_TURN) -m spark 2>&1 | sed -u 's/^/on spark        | /'

# Tests without servers: a sample of each table of cases, a fifth of the examples, nothing that is slow or thorough.
# `make test` leaves nothing out.
QUICK := -n 2 --dist worksteal --ignore tests/integration -m "not slow and not thorough and not integration" \
	--hypothesis-profile quick --sample 6

# The quick tests of what changed since the upstream branch; `make test-fast TESTS=tests` takes those of every area.
TESTS = $(shell $(BIN)/python -m tests.changed)
test-fast: $(INSTALLED)
	@chosen="$(TESTS)"; test -n "$$chosen" || { echo "nothing changed that has quick tests"; exit 0; }; \
	$(BIN)/pytest $$chosen $(QUICK)

# What the quick tests execute: counting branches doubles what a test costs.
coverage-fast: $(INSTALLED)
	$(BIN)/pytest tests $(QUICK) --quiet --cov --cov-fail-under 88 2>&1 | sed -u 's/^/coverage        | /'

# What all tests without servers execute, but for slow ones; half an hour on two slow cores.
coverage: $(INSTALLED)
	$(BIN)/pytest tests -n 2 --ignore tests/integration -m "not slow and not integration" --hypothesis-profile quick --quiet --cov

# New random examples and stories, without end; stops at the first failure, with the command that repeats it.
hunt: $(INSTALLED)
	@$(BIN)/python -m tests.hunt

# The real stack under kills, pauses, lies and hostile input for a quarter of an hour, judged from outside.
# `make chaos SECONDS=120 SEED=7` is a short run that repeats an earlier one's faults.
SECONDS := 900
chaos: $(INSTALLED) java
	@$(BIN)/python -m tests.chaos --seconds $(SECONDS) $(if $(SEED),--seed $(SEED))

# Random histories of the engine over all worlds, from fresh seeds: ARGS="--count 100000 --mutants" is the long run.
histories: $(INSTALLED)
	@$(BIN)/python -m tests.simulation.histories $(ARGS)

# Every state of the publication protocol in a small scope; ARGS as `python -m tests.simulation.protocol --help` says.
protocol: $(INSTALLED)
	@$(BIN)/python -m tests.simulation.protocol $(ARGS)

# All checks run, whichever of them fail: one run shows everything that is to be mended.
CHECKS := check-format check-lint check-types check-dead-code check-layers check-prose
check: $(INSTALLED)
	@$(MAKE) --no-print-directory --keep-going --jobs=2 --output-sync=target $(CHECKS)

check-format: ; @$(BIN)/ruff format --check --quiet .
check-lint: ; @$(BIN)/ruff check .
check-types: ; @$(BIN)/mypy
check-dead-code: ; @$(BIN)/vulture
check-layers: ; @$(BIN)/lint-imports --no-logo
check-prose: ; @$(BIN)/python -m docs.prose

# The documentation as a site in build/site; a dead link or anchor fails it.
docs: $(INSTALLED)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

# The tables of settings, metrics, commands and figures in docs/: after each change of one, or of what it means.
reference: $(INSTALLED)
	$(BIN)/python -m docs.reference

format: $(INSTALLED)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# Every built-in function of an engine against the engine: ARGS="--engine spark|spark-without-ansi|hive --only name,name".
probe-functions: $(INSTALLED) java
	$(BIN)/python -m benchmarks.probe_functions $(ARGS)

# Every kind of change of DDL against Spark, for tables of each provider: ARGS="--only parquet,view", or "--accept". Delta and
# Iceberg with a Python whose pyspark their plugins support: ARGS="--python iceberg=PATH --python delta=PATH".
probe-ddl: $(INSTALLED) java
	$(BIN)/python -m benchmarks.probe_ddl $(ARGS)

bench-cases: $(INSTALLED) java
	@test -n "$(CASES)" || { echo "usage: make bench-cases CASES=recorded_cases.json [UDFS=classes.json]" >&2; exit 2; }
	$(BIN)/python -m benchmarks.recorded_cases $(CASES) $(if $(UDFS),--udfs $(UDFS))

# Recorded facts of queries, asked of what is emitted for Trino: FACTS=a folder with trino_facts.json and facts_tables.json.
bench-facts: $(INSTALLED) java
	@test -n "$(FACTS)" || { echo "usage: make bench-facts FACTS=folder [ARGS=--peers]" >&2; exit 2; }
	$(BIN)/python -m benchmarks.emission_facts $(FACTS) $(ARGS)

bench-cases-in-trino: $(INSTALLED) java
	@test -n "$(CASES)" || { echo "usage: make bench-cases-in-trino CASES=recorded_cases.json [UDFS=classes.json]" >&2; exit 2; }
	$(BIN)/python -m benchmarks.cases_in_trino $(CASES) $(if $(UDFS),--udfs $(UDFS))

bench-pig: $(INSTALLED) java
	@test -n "$(FACTS)" -a -n "$(TABLES)" || { echo "usage: make bench-pig FACTS=facts.json TABLES=tables.json" >&2; exit 2; }
	$(BIN)/python -m benchmarks.pig_facts $(FACTS) $(TABLES)

bench-pig-cases: $(INSTALLED) java
	@test -n "$(CASES)" || { echo "usage: make bench-pig-cases CASES=recorded_cases.json" >&2; exit 2; }
	$(BIN)/python -m benchmarks.pig_cases $(CASES)

bench-codec: $(PEERS)
	$(BIN)/python -m benchmarks.codec --peers $(VENV)/peers/bin/python

bench-json: $(PEERS)
	$(BIN)/python -m benchmarks.json_speed --peers $(VENV)/peers/bin/python $(ARGS)

# Recorded cases of lineage, and what other tools answer: CASES=lineage_cases.json.
bench-lineage: $(LINEAGE_PEERS)
	@test -n "$(CASES)" || { echo "usage: make bench-lineage CASES=lineage_cases.json" >&2; exit 2; }
	$(BIN)/python -m benchmarks.lineage $(CASES) --peers $(VENV)/lineage/bin/python

bench-random_views_in_% bench-functions_in_%: $(INSTALLED) java
	$(BIN)/python -m benchmarks.$(patsubst bench-%_in_$*,%,$@)_elsewhere $* $(ARGS)

bench-hive_in_%: $(INSTALLED) java
	$(BIN)/python -m benchmarks.hive_elsewhere $* $(ARGS)

bench-%: $(INSTALLED) java
	$(BIN)/python -m benchmarks.$* $(ARGS)

stack-up: $(INSTALLED) java
	$(BIN)/python -m deploy.local_stack up

stack-down: $(INSTALLED)
	$(BIN)/python -m deploy.local_stack down

# Generators of other projects, which must not decide the versions of our own dependencies.
$(PEERS): $(INSTALLED) requirements/benchmarks.txt
	test -x $(VENV)/peers/bin/python || $(PYTHON) -m venv $(VENV)/peers
	VIRTUAL_ENV=$(VENV)/peers $(UV) pip install --quiet --require-hashes -r requirements/benchmarks.txt
	@touch $@

$(LINEAGE_PEERS): $(INSTALLED) requirements/lineage.txt
	test -x $(VENV)/lineage/bin/python || $(PYTHON) -m venv $(VENV)/lineage
	VIRTUAL_ENV=$(VENV)/lineage $(UV) pip install --quiet --require-hashes -r requirements/lineage.txt
	@touch $@

$(INSTALLED): pyproject.toml requirements/dev.txt requirements/bootstrap.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "schema-publisher needs Python 3.11 or newer; set PYTHON=/path/to/python3.11" >&2; exit 3; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) \
		|| { echo "python -m venv failed; on Debian: apt-get install python3-venv" >&2; exit 3; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/bootstrap.txt
	@# uv brings certificates of its own; behind a proxy that has another, pip knows what the machine trusts.
	VIRTUAL_ENV=$(VENV) $(UV) pip install --quiet --require-hashes -r requirements/dev.txt \
		|| $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	VIRTUAL_ENV=$(VENV) $(UV) pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

.PHONY: java
java:
	@java -version >/dev/null 2>&1 \
		|| { echo "Java 17 is needed (Spark and the metastore run on it); on Debian: apt-get install openjdk-17-jdk-headless" >&2; exit 3; }

# The pictures of pages in docs/images, by Chromium: after each visible change of a page.
screenshots: $(INSTALLED)
	$(BIN)/python -m tests.browser.screenshots

# The files of generated packages that codegen/runtime becomes: after each change there.
runtime: $(INSTALLED)
	$(BIN)/python -m codegen.runtime_packing

# Wheels, sdists, bills of materials, notes and sums of a release in dist/, checked; nothing is uploaded.
release: $(INSTALLED)
	@$(BIN)/python -m deploy.release

# Newest versions that satisfy pyproject.toml, with hashes and without download addresses.
requirements: $(INSTALLED)
	$(UV) pip compile --quiet --upgrade --universal --python-version 3.11 --no-header --no-emit-index-url --generate-hashes \
		requirements/bootstrap.in --output-file requirements/bootstrap.txt
	$(UV) pip compile --quiet --upgrade --universal --python-version 3.11 --no-header --no-emit-index-url --generate-hashes \
		pyproject.toml --extra glue --extra postgresql --extra spark --extra tracing --extra trino --output-file requirements/runtime.txt
	$(UV) pip compile --quiet --universal --python-version 3.11 --no-header --no-emit-index-url --generate-hashes \
		pyproject.toml --extra postgresql --constraint requirements/runtime.txt --output-file requirements/service.txt
	$(UV) pip compile --quiet --upgrade --universal --python-version 3.11 --no-header --no-emit-index-url --generate-hashes \
		pyproject.toml --extra glue --extra postgresql --extra spark --extra tracing --extra trino --group dev --constraint requirements/runtime.txt --output-file requirements/dev.txt
	$(UV) pip compile --quiet --upgrade --universal --python-version 3.11 --no-header --no-emit-index-url --generate-hashes \
		requirements/benchmarks.in --output-file requirements/benchmarks.txt
	for tool in poetry devpi consumer lineage pip-23 pip-25 spark-iceberg deployment; do \
		$(UV) pip compile --quiet --upgrade --universal --python-version 3.11 --no-header --no-emit-index-url --generate-hashes \
			requirements/$$tool.in --output-file requirements/$$tool.txt || exit; \
	done

clean:
	rm -rf $(VENV) .venv-* build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage .coverage.*
