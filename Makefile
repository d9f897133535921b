# make app    set everything up and open the app
# make lab    set everything up and open the notebooks
# make quick  set everything up and check what needs no browser, no cluster, no other process and no notebook
# make test   set everything up and run every check
# make bare   set up without any extra and run what might ask for one
# make served answer by the weights of a small model on a llama.cpp server, and check what comes back
# make site   build the notebooks of both editions as a static site, in _site
# make bench  set everything up, time each step, and compare with the last time
# make clean  remove the environment; your documents and database stay (make clean-data removes those)

PYTHON ?= python3
UV ?= $(or $(shell command -v uv),.uv/bin/uv)
export UV_PYTHON_DOWNLOADS ?= never
export UV_PROJECT_ENVIRONMENT ?= .venv
# Without bytecode, each of the many processes of the tests compiles LlamaIndex anew.
unexport PYTHONDONTWRITEBYTECODE
# Each of the processes has a database of its own. Ray's nodes do not start in time beside other work.
PARALLEL := --numprocesses=2 --dist=loadfile --no-loadscope-reorder
QUIET := tests/scale/test_on_ray.py

.PHONY: app lab quick test bare served bench site check setup clean clean-data

app: setup
	$(UV) run --locked $(EXTRAS) lessons app

lab: setup
	$(UV) run --locked $(EXTRAS) lessons learn

quick: check
	$(UV) run --locked $(EXTRAS) pytest $(PARALLEL) -m "not slow"

test: check
	$(UV) run --locked $(EXTRAS) pytest $(QUIET)
	$(UV) run --locked $(EXTRAS) pytest $(PARALLEL) --ignore=$(QUIET)
	$(UV) run --locked $(EXTRAS) python -m tests.notebooks

# Nothing optional may be needed: what asks for an extra's packages is run without them.
bare: check
	$(UV) run --locked pytest tests/exercises tests/retrieve

served: override EXTRAS += --extra local --group served
served: setup
	$(UV) run --locked $(EXTRAS) pytest tests/served

bench: setup
	$(UV) run --locked $(EXTRAS) pytest tests/benchmarks --benchmark-autosave --benchmark-compare

site: override EXTRAS += --group site
site: setup
	$(UV) run --locked $(EXTRAS) sphinx-build --quiet --fail-on-warning -c .github/site . _site

check: setup
	$(UV) run --locked $(EXTRAS) ruff check
	$(UV) run --locked $(EXTRAS) ruff format --check
	$(UV) run --locked $(EXTRAS) mypy

setup: $(UV)
	$(UV) sync --locked --inexact --quiet $(EXTRAS)

.uv/bin/uv:
	$(PYTHON) -m venv .uv
	.uv/bin/python -m pip install --quiet uv

clean:
	rm -rf .venv .uv _site .pytest_cache .ruff_cache .mypy_cache .hypothesis

clean-data: setup
	$(UV) run --locked $(EXTRAS) python -c "from lessons.database import erase; erase()"
