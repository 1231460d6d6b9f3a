# `make demo` and `make test` need only Python 3.11 or newer; both set everything up in .venv first.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
# One BLAS or OpenMP thread a process: the work is spread over processes, and threads would only compete.
export OMP_NUM_THREADS ?= 1
export OPENBLAS_NUM_THREADS ?= 1

.PHONY: demo test lint types imports unit papers-flips papers-flips-fair papers-flips-order papers-bounds docs-metrics papers-canonical papers-evaluation clean help
.DEFAULT_GOAL := help

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "fairwitness needs Python 3.11 or newer; set PYTHON=/path/to/python")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.demo: pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[demo]'
	@touch $@

$(VENV)/.dev: pyproject.toml constraints.txt | $(BIN)/python
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[dev]'
	@touch $@ $(VENV)/.demo

demo: $(VENV)/.demo ## audit 1,989 real mortgage decisions and write fairwitness-report/
	$(BIN)/fairwitness demo --open

test: lint types imports unit ## everything that CI checks

lint: $(VENV)/.dev ## style and format
	$(BIN)/ruff check src tests benchmarks
	$(BIN)/ruff format --check src tests benchmarks

types: $(VENV)/.dev ## mypy --strict on src
	$(BIN)/mypy

imports: $(VENV)/.dev ## imports run one way
	$(BIN)/lint-imports

unit: $(VENV)/.dev ## the tests
	$(BIN)/pytest -n 2

papers-flips: $(VENV)/.dev ## the papers' tables and ours, docs/papers-flips.md (QUICK=1: a small part, in seconds)
	$(BIN)/python benchmarks/papers/flips.py $(if $(QUICK),--quick) $(if $(REFERENCE),--reference $(REFERENCE))

papers-flips-fair: $(VENV)/.dev ## the same for AdvDeb, LFERM and FairC, docs/papers-flips-fair.md
	$(BIN)/python benchmarks/papers/flips.py --fair $(if $(QUICK),--quick) $(if $(REFERENCE),--reference $(REFERENCE))

papers-flips-order: $(VENV)/.dev ## how much order the published values of Adult/gender hold, docs/papers-flips-order.md
	$(BIN)/python benchmarks/papers/flips_order.py $(if $(REFERENCE),--reference $(REFERENCE))

papers-bounds: $(VENV)/.dev ## what the published bounds should have said, docs/papers-bounds.md (in seconds)
	$(BIN)/python benchmarks/papers/bounds.py $(if $(REFERENCE),--reference $(REFERENCE))

papers-canonical: $(VENV)/.dev ## LUCID-GAN's tables and figures and ours, docs/papers-canonical.md (QUICK=1: a small part)
	$(BIN)/python benchmarks/papers/canonical.py $(if $(QUICK),--quick)

papers-evaluation: $(VENV)/.dev ## the evaluation card's tables and ours, docs/papers-evaluation.md (QUICK=1: a small part)
	$(BIN)/python benchmarks/papers/evaluation.py $(if $(QUICK),--quick)

docs-metrics: $(VENV)/.dev ## the table of metrics in docs/metrics.md
	$(BIN)/python -m fairwitness.metrics.declared.page docs/metrics.md

clean: ## remove what the targets above made
	rm -rf $(VENV) build dist fairwitness-report .mypy_cache .ruff_cache .pytest_cache .hypothesis
