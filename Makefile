# Every command of the project. `make` alone lists them; the first use builds the environment in .venv.
#
# Needed on the machine: Python 3.11 or newer with pip, and make. All else comes from requirements.lock.

DEMO  := examples/three-regions
# Directories of examples/ that show a conflict: `fairlead solve` must end with exit code 3 there, with 0 elsewhere.
CONFLICT_EXAMPLES ?= examples/too-tight examples/created-together

# Options of pytest: at most four worker processes, so that the solver's own threads find a core as well.
PYTEST_OPTIONS := -q -n auto --maxprocesses=4
# `make lock LOCK_OPTIONS=--upgrade` moves every pin to the newest version allowed by pyproject.toml.
LOCK_OPTIONS :=

# Steps that keep one core busy each; the tests take all cores there are.
ONE_CORE := lint pyright mypy wheel-check docs contracts examples

.DEFAULT_GOAL := help
ifndef SIDE_BY_SIDE
.NOTPARALLEL:
endif
.PHONY: help demo test checks check-long live-server test-live fuzz deadlines bench week bench-full lint types mypy pyright contracts tests tests-long examples docs screenshots wheel-check sbom release lock clean environment

# Another project's environment or pip settings must not leak into this one.
unexport VIRTUAL_ENV PYTHONPATH PYTHONHOME MYPYPATH PIP_TARGET PIP_PREFIX PIP_CONSTRAINT PIP_REQUIRE_VIRTUALENV
# Where nothing compiled is kept every process compiles anew, which takes longer than most of them run.
unexport PYTHONDONTWRITEBYTECODE
unexport PYRIGHT_PYTHON_FORCE_VERSION PYRIGHT_PYTHON_PYLANCE_VERSION
export PYTHONNOUSERSITE := 1
export PIP_USER := 0
export PIP_NO_INPUT := 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_ROOT_USER_ACTION := ignore
# Pyright is complete in the environment (with its own node): no question about newer versions over the network.
export PYRIGHT_PYTHON_IGNORE_WARNINGS := 1

# The first interpreter that is new enough; 3.11 is preferred because that is what the lock is tested with.
PYTHON := $(shell unset PYTHONHOME PYTHONPATH; \
	for name in python3.11 python3 python3.12 python3.13 python; do \
		if "$$name" -c 'import sys, venv; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; \
		then command -v "$$name"; break; fi; \
	done)

# The name of a stamp holds the checksum of what it was made from. The environment is made anew when the lock, the
# interpreter or the place of the repository change; only the package is installed again when pyproject.toml changes.
ENVIRONMENT_ID := $(shell { cat requirements.lock; pwd -P; "$(PYTHON)" -V; } 2>&1 | cksum | tr ' ' '-')
PACKAGE_ID := $(shell cat pyproject.toml | cksum | tr ' ' '-')
ENVIRONMENT := .venv/stamp-environment-$(ENVIRONMENT_ID)
PACKAGE := .venv/stamp-package-$(PACKAGE_ID)

# $(call quietly,command): show the output of the command only if it fails.
quietly = log=$$(mktemp); if $(1) >"$$log" 2>&1; then rm -f "$$log"; \
	else status=$$?; cat "$$log" >&2; rm -f "$$log"; exit $$status; fi

help: ## list the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

demo: environment ## place the workloads of an example and print the placement
	@.venv/bin/python -m fairlead solve -f "$(DEMO)"

test: checks tests ## everything that must pass before a change is merged
	@echo "==> all passed"

checks: environment ## all but the tests, two steps side by side
	@$(MAKE) --no-print-directory -j2 $(if $(filter output-sync,$(.FEATURES)),--output-sync=target) \
		SIDE_BY_SIDE=1 $(ONE_CORE)

check-long: checks tests-long ## as test, with the long tests and many more random cases
	@echo "==> all passed, long tests included"

live-server: environment ## build a real API server into ~/.cache/fairlead, once; some minutes, needs apt
	@.venv/bin/python tests/helpers/build_live_server.py

test-live: environment live-server ## the tests of controller, patches and --apply against a real API server
	@echo "==> test-live"
	@FAIRLEAD_LIVE=1 .venv/bin/python -m pytest -q -n auto --maxprocesses=2 tests/controller tests/live

fuzz: environment ## run the command line on 20,000 mutated inputs and 3,000 mutated plans, about half an hour
	@.venv/bin/python tests/helpers/fuzz.py $(FUZZ_OPTIONS)

deadlines: environment ## run every command under limits of 0.05 to 3 s on every kind of problem, about fifteen minutes
	@.venv/bin/python benchmarks/deadlines.py $(DEADLINES_OPTIONS)

bench: environment ## measure speed against the contenders, about two minutes
	@.venv/bin/python benchmarks/run.py

week: environment ## a week of a fleet under fairlead and the greedy schedulers, some minutes
	@.venv/bin/python benchmarks/week.py $(WEEK_OPTIONS)

bench-full: environment ## measure every case and contender, about half an hour; writes docs/benchmarks.md anew
	@.venv/bin/python benchmarks/run.py --write-docs

lint: environment ## style: ruff check, ruff format --check
	@echo "==> lint"
	@.venv/bin/python -m ruff check src tests examples benchmarks docs/generator
	@.venv/bin/python -m ruff format --check src tests examples benchmarks docs/generator

types: mypy pyright ## types: mypy --strict, pyright

mypy: environment
	@echo "==> types: mypy"
	@.venv/bin/python -m mypy

pyright: environment
	@echo "==> types: pyright"
	@.venv/bin/python -m pyright

contracts: environment ## which layer may import which: import-linter
	@echo "==> contracts"
	@.venv/bin/lint-imports --no-logo

tests: environment ## pytest, without the long tests
	@echo "==> tests"
	@.venv/bin/python -m pytest $(PYTEST_OPTIONS) -m "not long"

tests-long: environment
	@echo "==> tests, long ones included"
	@FAIRLEAD_LONG=1 .venv/bin/python -m pytest $(PYTEST_OPTIONS)

examples: environment ## run every example
	@echo "==> examples"
	@.venv/bin/python tests/distribution/run_examples.py $(CONFLICT_EXAMPLES)

docs: environment ## build the documentation into site/; a dead link is an error
	@echo "==> docs"
	@$(call quietly,env NO_MKDOCS_2_WARNING=1 .venv/bin/python -m mkdocs build)

screenshots: environment ## take the pictures of the documentation anew; needs Chromium
	@echo "==> screenshots"
	@.venv/bin/python docs/generator/screenshots.py

# Every Python of the machine; the oldest and the newest of them are enough for `make test`.
check-long release: export FAIRLEAD_LONG := 1

wheel-check: environment ## build the wheel, install it in a bare environment, use it from outside
	@echo "==> wheel-check"
	@.venv/bin/python tests/distribution/wheel_check.py "$(DEMO)"

sbom: environment ## write the bill of materials (CycloneDX) into dist/
	@.venv/bin/python tests/distribution/sbom.py dist/fairlead.cdx.json

release: wheel-check ## make all of a release in dist/: sdist, wheel, bill of materials, krew plugin, checksums; upload nothing
	@echo "==> release"
	@.venv/bin/python tests/distribution/release.py

lock: ## rebuild requirements.lock from pyproject.toml
	@echo "==> lock"
	@"$(PYTHON)" -m venv --clear build/lock
	@$(call quietly,build/lock/bin/python -m pip install uv)
	@$(call quietly,build/lock/bin/uv pip compile pyproject.toml --group dev --universal --python-version 3.11 \
		--generate-hashes --no-header --no-emit-index-url $(LOCK_OPTIONS) -o requirements.lock)

clean: ## remove everything that can be made again, the environment too
	@rm -rf .venv build dist site src/*.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	@find src tests examples benchmarks docs -name __pycache__ -type d -prune -exec rm -rf {} +

environment: $(PACKAGE)

# Few of the files of the packages are ever imported: each is compiled when it is, those of OR-Tools at once, as they
# are needed by whoever keeps nothing compiled (PYTHONDONTWRITEBYTECODE) as well.
$(ENVIRONMENT):
	@if [ -z "$(PYTHON)" ]; then echo "Python 3.11 or newer is needed (or: make PYTHON=/path/to/python)" >&2; exit 1; fi
	@echo "==> environment (.venv, from requirements.lock; takes a minute)"
	@$(call quietly,"$(PYTHON)" -m venv --clear .venv)
	@$(MAKE) --no-print-directory -j2 SIDE_BY_SIDE=1 packages-0 packages-1
	@$(call quietly,.venv/bin/python -m pip check)
	@$(call quietly,.venv/bin/python -c "import ortools.sat.python.cp_model")
	@touch "$@"

# Unpacking keeps one core busy, so each half of the lock is installed by itself. Nobody has to find out what a package
# needs, as all of it is in the lock; pip is asked about that afterwards.
packages-%:
	@awk -v half=$* '/^[^ ]/ { entries += 1 } entries % 2 == half' requirements.lock >.venv/half-$*.lock
	@$(call quietly,.venv/bin/python -m pip install --no-compile --no-deps --require-hashes -r .venv/half-$*.lock)

$(PACKAGE): $(ENVIRONMENT)
	@rm -f .venv/stamp-package-*
	@$(call quietly,.venv/bin/python -m pip install --no-deps --no-build-isolation -e .)
	@touch "$@"
