# `make up` runs a casino, `make test` passes the tests; each does its own set-up in .venv.

PYTHON ?= python3
BIN := .venv/bin
ARGS ?=
ROUNDS ?= 20
EXAMPLES ?= 1000
SECONDS ?= 600

.PHONY: up test lint format reference bench bench-containers chaos fuzz fuzz-api games-long clean

up: .venv/.run
	@exec $(BIN)/casino up $(ARGS)

# Containers after the rest: they take the whole machine.
test: lint
	$(BIN)/python -m pytest -m "not containers" -n 2 --dist worksteal $(PYTEST_ARGS)
	$(BIN)/python -m pytest -m containers $(PYTEST_ARGS)

lint: .venv/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy bench
	$(BIN)/lint-imports

format: .venv/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

reference: .venv/.dev
	$(BIN)/python -m casino_contracts docs/reference/schemas
	$(BIN)/python tools/configuration.py docs/reference/configuration.md
	$(BIN)/python tools/release_specs.py tests/games/released
	$(BIN)/python tools/rest_reference.py docs/reference

bench: .venv/.dev
	@for name in ranking engine decision casino ingest recover stream; do $(BIN)/python bench/$$name.py || exit 1; done

# Blackjack's edge over a million rounds instead of a hundred thousand.
games-long: .venv/.dev
	CASINO_GAMES_ROUNDS=1000000 $(BIN)/python -m pytest tests/games/blackjack/test_exact.py --timeout 0

chaos: .venv/.dev
	CASINO_CHAOS_ROUNDS=$(ROUNDS) $(BIN)/python -m pytest tests/chaos -s --timeout 0

# Every face, right calls and wrong bytes, for SECONDS; a failure prints the seed, the case and its
# bytes, and `make fuzz SEED=… CASE=…` repeats that one.
fuzz: .venv/.dev
	@CASINO_FUZZ_SEED=$(SEED) CASINO_FUZZ_CASE=$(CASE) CASINO_FUZZ_SECONDS=$(SECONDS) \
		$(BIN)/python -m pytest tests/fuzz -s --timeout 0

# Other requests every time; a failure names the seed that repeats it.
fuzz-api: .venv/.dev
	@seed=$${SEED:-$$RANDOM}; seed=$${seed:-$$$$}; echo "SEED=$$seed EXAMPLES=$(EXAMPLES)"; \
	CASINO_FUZZ_SEED=$$seed CASINO_FUZZ_EXAMPLES=$(EXAMPLES) \
		$(BIN)/python -m pytest tests/lobby/test_schemathesis.py --timeout 0

bench-containers: .venv/.dev
	@$(BIN)/python bench/containers.py

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

.venv/.python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Python 3.11 or newer is needed; say which: make PYTHON=python3.12 ..."; exit 1; }
	$(PYTHON) -m venv .venv
	@touch $@

.venv/.run: .venv/.python pyproject.toml constraints.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check \
		--constraint constraints.txt --editable ".[all]"
	@touch $@

.venv/.dev: .venv/.python pyproject.toml constraints.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check \
		--constraint constraints.txt --editable ".[dev]"
	@touch $@
