# `make up` runs a casino, `make test` proves what needs Python alone; each does its own set-up in .venv.
# A target with a `##` comment is listed by `make help`.

PYTHON ?= python3
BIN := .venv/bin
ARGS ?=
ROUNDS ?= 20
EXAMPLES ?= 1000
CASES ?= 50000
INPUTS ?= 100000
HANDS ?= 50000
HOURS ?= 0.1
FAILURES ?= 120

# What `make compiled` runs on the compiled rules: what is proved of the rules themselves.
COMPILED := tests/games/compiled tests/games/holdem tests/differential tests/property

PYTEST := $(BIN)/python -m pytest -n 2 --dist worksteal

.DEFAULT_GOAL := help
.PHONY: help up test full long steady unit coverage compiled lint types sources layers lint-js test-js \
	foreign-agents format reference bench \
	bench-containers bench-matches bench-scale tck chaos faults simulate swarm fuzz fuzz-api \
	fuzz-replies fuzz-paths games-long wheel clean

help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) \
		| awk -F ':.*## ' '{ printf "  make %-18s %s\n", $$1, $$2 }'

up: .venv/.run ## Run a casino: a lobby, a table and six players (ARGS="--hands 20 --exit")
	@exec $(BIN)/casino up $(ARGS)

test: .venv/.test ## Prove what needs nothing but Python: layers, core and system tests; 6 minutes
	@echo "make test: about 6 minutes on two idle cores, set-up apart"
	@$(MAKE) --no-print-directory layers
	$(PYTEST) -m "core or system" $(PYTEST_ARGS)
	@echo "Not run here: browser, PostgreSQL, Docker, foreign agents. CI runs them."

# The browser by itself: whenever a network of containers comes or goes, Chromium drops what it waits for.
# Containers beside the rest: they mostly wait for the engine. Their output comes at the end.
full: .venv/.dev test-js ## Run what needs a browser, PostgreSQL, Docker, foreign agents, and all dear tests
	@status=0; \
	$(PYTEST) -m "full and browser" $(PYTEST_ARGS) || status=1; \
	$(BIN)/python -m pytest -m "full and docker" $(PYTEST_ARGS) >.containers.log 2>&1 & containers=$$!; \
	$(PYTEST) -m "full and not browser and not docker" $(PYTEST_ARGS) || status=1; \
	wait $$containers || status=1; \
	cat .containers.log; \
	exit $$status

long: .venv/.dev ## Run what takes hours: chaos, fuzz, swarm, matches, the removal of each defence
	CASINO_LONG=1 $(PYTEST) -m "long or foreign" --timeout 0 $(PYTEST_ARGS)

steady: .venv/.test ## Run core and system SEEDS times while all their processes stop and go on at random
	@for seed in $$(seq 1 $(or $(SEEDS),10)); do \
		$(BIN)/python tools/steady.py --seed $$seed $(PYTEST) -m "core or system" $(PYTEST_ARGS) \
			|| exit 1; \
	done

unit: .venv/.test ## Run the core tests: one process, virtual time
	$(PYTEST) -m core $(PYTEST_ARGS)

coverage: .venv/.dev ## Measure branch coverage of the core tests; fail below its floor
	$(PYTEST) -m core --cov --cov-report=term:skip-covered $(PYTEST_ARGS)

compiled: .compiled ## Build the rules of Hold'em with mypyc into .compiled, and run their tests on it
	@PYTHONPATH=$(CURDIR)/.compiled:tests $(BIN)/python -m games.compiled.transcript 0 | grep -qx compiled
	PYTHONPATH=$(CURDIR)/.compiled $(PYTEST) $(COMPILED) -m "core or full" $(PYTEST_ARGS)

# Types take longer than all the rest, which is checked beside them.
lint: .venv/.dev .node ## Check style, types, layers, weight, pages and what sources say
	@$(MAKE) --no-print-directory -j2 types sources

types: .venv/.dev
	$(BIN)/mypy
	$(BIN)/mypy bench

sources: .venv/.dev layers lint-js
	$(BIN)/ruff format --check .
	$(BIN)/python tools/sources.py
	$(BIN)/python tools/packages.py
	$(BIN)/python tools/reference.py --check
	$(BIN)/python tools/planted_faults.py --check

layers: .venv/.test ## Check in seconds what `make test` needs: ruff, layers, rules for tests
	$(BIN)/ruff check .
	$(BIN)/lint-imports
	$(BIN)/python tools/test_rules.py
	$(BIN)/python tools/weigh.py

lint-js: .node ## Check style and types of the page's JavaScript
	@tools/node npm run --silent lint

test-js: .node ## Test the page's logic in Node
	@tools/node npm run --silent test

foreign-agents: .venv/.python ## Install the agents and clients of others that `make full` seats
	@tools/foreign-agents

format: .venv/.dev ## Format the code and apply safe fixes
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

reference: .venv/.dev ## Write docs/reference, released specifications and scale tables
	$(BIN)/python tools/reference.py

tck: .venv/.dev ## Run the A2A conformance kit at TCK=… (a checkout of a2a-tck 1.0-dev with its .venv)
	$(BIN)/python tools/tck.py "$(TCK)"

bench: .venv/.dev ## Measure: every bench, one JSON line each
	@for name in ranking engine processes/start processes/rooms decision casino ingest recover stream gateway evaluator author match_hands luck prompt fair_deal; do $(BIN)/python bench/$$name.py || exit 1; done
	@tools/node node bench/fair_hands.js

# Processes by the dozen, and one room of HANDS hands: at least twenty minutes, on an idle machine.
bench-scale: .venv/.dev ## Measure scale: many tables and processes, and one room of HANDS hands
	@$(BIN)/python bench/processes/many_tables.py && $(BIN)/python bench/fleet.py \
		&& $(BIN)/python bench/growth.py --hands $(HANDS)

# Intervals of 1,000 matches, 20,000 decks of each pair, a million hands: about an hour.
bench-matches: .venv/.dev ## Measure matches at length: coverage, luck, a million hands, exports
	@$(BIN)/python bench/matches/intervals.py && $(BIN)/python bench/luck.py --long \
		&& $(BIN)/python bench/match_hands.py --long && $(BIN)/python bench/matches/executors.py \
		&& $(BIN)/python bench/matches/histories.py && $(BIN)/python bench/matches/hostile_text.py

# Blackjack's edge over a million rounds instead of a hundred thousand.
games-long: .venv/.dev ## Measure blackjack's edge over a million rounds
	CASINO_GAMES_ROUNDS=1000000 $(BIN)/python -m pytest tests/games/blackjack/test_exact.py --timeout 0

chaos: .venv/.dev ## Kill processes and cut networks for ROUNDS rounds, and audit each
	CASINO_CHAOS_ROUNDS=$(ROUNDS) $(BIN)/python -m pytest tests/chaos -s --timeout 0

# ARGS: ids of faults, `--tier "not long"` for what CI runs, `--jobs N` for N faults at a time. Node
# runs the page's tests in every tier.
faults: .venv/.dev ## Plant each fault of tools/planted_faults.toml, and say which test finds it
	@$(BIN)/python tools/planted_faults.py $(ARGS)

# 10,000 rooms unless ROOMS says otherwise; minutes of CPU for HOURS of virtual time.
simulate: .venv/.dev ## Simulate ROOMS rooms for HOURS with FAILURES an hour; the allocator is real
	@$(BIN)/python tools/fleet/fleet_simulation.py --rooms $${ROOMS:-10000} --hours $(HOURS) \
		--failures $(FAILURES) --seed $${SEED:-1}

# `make test` loses one machine, and updates the tables.
swarm: .venv/.dev ## Lose, cut off, drain and update machines of a Swarm with ROOMS rooms, as root
	CASINO_SWARM_ROOMS=$(or $(ROOMS),12) $(BIN)/python -m pytest tests/swarm --timeout 0

# Every face, right calls and wrong bytes, CASES times; a failure prints the seed, the case and its
# bytes, and `make fuzz SEED=… CASE=…` repeats that one.
fuzz: .venv/.dev ## Send wrong bytes and right calls to every interface, CASES times
	@CASINO_FUZZ_SEED=$(SEED) CASINO_FUZZ_CASE=$(CASE) CASINO_FUZZ_CASES=$(CASES) \
		CASINO_LONG=1 $(BIN)/python -m pytest tests/fuzz/test_fuzz.py -s --timeout 0

# Other requests every time; a failure names the seed that repeats it.
fuzz-api: .venv/.dev ## Fuzz the REST API against its OpenAPI document, EXAMPLES an operation
	@seed=$${SEED:-$$RANDOM}; seed=$${seed:-$$$$}; echo "SEED=$$seed EXAMPLES=$(EXAMPLES)"; \
	CASINO_FUZZ_SEED=$$seed CASINO_FUZZ_EXAMPLES=$(EXAMPLES) \
		$(BIN)/python -m pytest tests/lobby/rest/test_schemathesis.py --timeout 0

fuzz-replies: .venv/.dev ## Send a table EXAMPLES generated replies of hostile players
	CASINO_FUZZ_EXAMPLES=$(EXAMPLES) $(BIN)/python -m pytest tests/fuzz/test_players_replies.py --timeout 0

# Both processes' fast paths against the complete ones; a difference prints the seed and the case, and
# `make fuzz-paths SEED=… CASE=…` repeats that one.
fuzz-paths: .venv/.dev ## Compare fast and complete paths: CASES requests and replies, INPUTS messages
	@seed=$${SEED:-$$RANDOM}; seed=$${seed:-$$$$}; echo "SEED=$$seed CASES=$(CASES) INPUTS=$(INPUTS)"; \
	CASINO_FUZZ_SEED=$$seed CASINO_FUZZ_CASE=$(CASE) CASINO_FUZZ_PATHS=$(CASES) CASINO_FUZZ_INPUTS=$(INPUTS) \
		$(BIN)/python -m pytest tests/fuzz/paths -s -n 2 --timeout 0

bench-containers: .venv/.dev ## Measure the casino in containers
	@$(BIN)/python bench/containers.py

wheel: .venv/.python ## Build the wheel of this clone into dist/, the same bytes each time
	@PIP_CONSTRAINT=constraints.txt PIP_BUILD_CONSTRAINT=constraints.txt \
		$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist .
	@ls dist/*.whl

clean: ## Remove what make has made
	rm -rf .venv dist .compiled .foreign node_modules .node .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

.venv/.python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Python 3.11 or newer is needed; say which: make PYTHON=python3.12 ..."; exit 1; }
	$(PYTHON) -m venv .venv
	@touch $@

# A wheel for this machine, as `tools/compiled_wheel.py` says, beside the pure one of .venv.
.compiled: .venv/.dev tools/compiled_wheel.py $(shell find shared/games/casino_games -name '*.py')
	@rm -rf $@
	HATCH_BUILD_HOOK_ENABLE_CUSTOM=true PIP_CONSTRAINT=constraints.txt \
		PIP_BUILD_CONSTRAINT=constraints.txt $(BIN)/python -m pip install \
		--quiet --disable-pip-version-check --no-deps --target $@ .
	@touch $@

.venv/.run: .venv/.python pyproject.toml constraints.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check \
		--constraint constraints.txt --editable ".[grpc,llm,mcp]"
	@touch $@

# Without Node nothing is installed or noted, and what needs it says that it is skipped.
.node: package.json
	@tools/node npm install --no-package-lock --no-audit --no-fund --silent
	@if [ -d node_modules ]; then touch $@; fi

.venv/.test: .venv/.python pyproject.toml constraints.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check \
		--constraint constraints.txt --editable ".[test]"
	@touch $@

.venv/.dev: .venv/.test
	$(BIN)/python -m pip install --quiet --disable-pip-version-check \
		--constraint constraints.txt --editable ".[dev]"
	@touch $@
