# make run: the quickstart tournament. make test: style, types, import contracts, tests.
# mypy's workers give up after three seconds on a busy machine (exit code 2): then it does without them.
# make test-again: those tests that have failed, one at a time.
# make test-slow: the slow tests, of hostile bots, interruptions and statistics; properties at length.
# They wait more than they compute, so that six processes share two cores well. Of a test's many parameters
# a quarter are tried, four at least; make test-long tries the others. PART=1/4 runs a quarter of all of them.
# make test-cold: README's commands from an empty HOME and cache; those of all pages with PAGES=nothing.
# make reference: writes the parts of docs/reference/ that follow from declarations.
# make pages: runs the commands of all pages and writes what they print into them; read the difference.
# make test-long: trainings, ladders, figures and those parameters, every night and before a release.
# make without: the core's tests on a tree without extensions; make alone: those of each extension, with what it may import.
# make wheel-test: the built wheel alone, in an environment of its own. make docs: the site, in build/site.
# make image: the container's image, built and played in. make lowest: the tests with the minimum versions that pyproject.toml allows.
# make learning: the tests of learning environments with the extra `learning`, of which some need PyTorch.
# make mutants: do quick tests notice small changes of the package? COUNT=20 SEED=1, of changed modules with SINCE=main.
# make bench: speed; with CHECK=1 it fails where compiled bots are slower than recorded (needs gcc).
# make soak: a tournament under random faults. make coverage-study: do intervals hold the truth?
PYTHON ?= python3
VENV := .venv
PAGES ?= from_nothing[README.md]
BIN := $(VENV)/bin
# Where an environment forbids Python to keep what it compiles, each start takes twice as long.
unexport PYTHONDONTWRITEBYTECODE
# Processes of tests, which wait a third of their time; pip need not compile what is never imported.
TWO_MORE := $(shell expr $$(getconf _NPROCESSORS_ONLN) + 2)

.PHONY: run test test-again without alone test-slow test-cold pages reference test-long check bench strength soak coverage-study mutants wheel wheel-test image lowest learning docs clean

run: $(VENV)/installed
	$(BIN)/arena run tournaments/quickstart.yaml

test: $(VENV)/installed-dev check
	$(BIN)/pytest -n $(TWO_MORE) --dist worksteal -m 'not slow and not long'

test-again: $(VENV)/installed-dev
	$(BIN)/pytest --last-failed --last-failed-no-failures none -m 'not long'

without: $(VENV)/installed-dev
	$(BIN)/python tests/trees.py without

alone: $(VENV)/installed-dev
	$(BIN)/python tests/trees.py alone $(EXTENSION)

test-slow: $(VENV)/installed-dev
	$(BIN)/pytest -n 6 --dist worksteal -m '(slow or hypothesis) and not long' --hypothesis-profile thorough \
		$(if $(PART),--part $(PART))

test-cold: $(VENV)/installed-dev
	$(BIN)/pytest -n 2 -m cold -k '$(PAGES)'

pages: $(VENV)/installed-dev
	$(BIN)/pytest -n 2 tests/docs/test_pages.py -m 'not cold' --write-pages

reference: $(VENV)/installed-dev
	$(BIN)/python docs/reference/generate.py

test-long: $(VENV)/installed-dev
	$(BIN)/pytest -n auto --dist worksteal -m long

check: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	@out=$$($(BIN)/mypy --num-workers auto 2>&1); code=$$?; \
		if [ $$code = 2 ]; then $(BIN)/mypy; else echo "$$out"; exit $$code; fi
	$(BIN)/lint-imports

bench: $(VENV)/installed-dev
	$(BIN)/python benchmarks/against_c.py $(if $(CHECK),--check)
	$(BIN)/python benchmarks/speed.py
	$(BIN)/python benchmarks/cubus_speed.py
	$(BIN)/python benchmarks/luck_speed.py
	$(BIN)/python benchmarks/parent_share.py
	$(BIN)/python benchmarks/pool_speed.py
	$(BIN)/python benchmarks/cluster_speed.py
	$(BIN)/python benchmarks/environments_speed.py
	$(BIN)/python benchmarks/batch_speed.py
	$(BIN)/python benchmarks/page_speed.py

strength: $(VENV)/installed-dev
	$(BIN)/python benchmarks/strength.py --write docs/explanation/strength.md

soak: $(VENV)/installed-dev
	$(BIN)/python tests/soak.py

coverage-study: $(VENV)/installed-dev
	$(BIN)/python tests/coverage_study.py --write docs/explanation/coverage.md

mutants: $(VENV)/installed-dev
	$(BIN)/python tests/mutants.py --count $(or $(COUNT),20) --seed $(or $(SEED),1) $(if $(SINCE),--since $(SINCE))

wheel: $(VENV)/bin/python
	rm -rf dist
	$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir dist .

wheel-test: wheel
	$(BIN)/python tests/wheel.py dist/*.whl

image: wheel
	PYTHON=$(PYTHON) tests/image.sh

# Needs uv, which finds the minimum versions.
lowest: $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python build/lowest
	$(BIN)/uv pip install --quiet --python build/lowest/bin/python --resolution lowest-direct \
		--only-binary :all: --no-binary cantstop-arena --editable '.[dev]'
	build/lowest/bin/pytest -n $(TWO_MORE) --dist worksteal -m 'not slow and not long'

# The tests that need PyTorch, in an environment of its own: it is large.
learning: $(VENV)/bin/python
	$(BIN)/python -m venv build/learning
	build/learning/bin/python -m pip install --quiet --no-compile --editable '.[dev,learning]'
	build/learning/bin/pytest -n 2 -m 'not long' -rs tests/extensions/learn/environments

docs: $(VENV)/installed-docs
	DISABLE_MKDOCS_2_WARNING=true NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --no-compile --editable '.[all]'
	touch $@

$(VENV)/installed-dev: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --no-compile --editable '.[dev]'
	touch $@ $(VENV)/installed

$(VENV)/installed-docs: $(VENV)/bin/python pyproject.toml
	$(BIN)/python -m pip install --quiet --no-compile --editable '.[docs]'
	touch $@

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis
