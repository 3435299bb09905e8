# Longshift. `make help` lists what there is.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
GO ?= go
# Without paths of this machine in what is compiled, programs, tests and linters share it, and so do clones in several folders.
export GOFLAGS := -buildvcs=false -trimpath

BIN := bin
SOURCES := $(shell find . -name '*.go' -not -path './devserver/*' -not -name '*_test.go' 2>/dev/null) \
           $(shell find internal -name '*.md' -o -name '*.yaml' -o -name '*.json' 2>/dev/null) go.mod go.sum
# osusergo: by libc the server has no answer to who runs it where the user has no entry in passwd, as in containers. disable_grpc_modules:
# without what only Google's storage by gRPC needs, 136 packages and 6 % of the compiling.
AS_SERVER := -tags osusergo,disable_grpc_modules
DEVSERVER := $(shell find devserver -name '*.go' -not -name '*_test.go') devserver/go.mod devserver/go.sum
# The race detector looks at packages whose code starts goroutines or holds locks. The others are used by one goroutine at a time, as workflows
# are, and so are nearly all of PLAIN: they read much text, or start git or longshift at each step, which the detector makes up to ten times slower.
# Those of PLAIN that hold locks are LOCKED: their tests named ...AtOnce are run with it as well.
UNITS := ./activities ./internal/... ./task/... ./signals/... ./workflows/... ./starter/... ./worker/...
CONCURRENT = $(sort $(patsubst %/,./%,$(dir $(shell find activities internal task signals starter worker -name '*.go' \
  -not -name '*_test.go' -exec grep -lE '^\s+go |"sync["/]|/sync/|chan |AfterFunc' {} +))))
PLAIN := ./internal/repo/workspace ./internal/redact ./internal/policy/... ./internal/forge/github ./internal/cli
LOCKED := ./internal/redact ./internal/policy ./internal/forge/github
# Packages are begun in this order, and what takes longest is not to be left for the end.
LONGEST := ./activities ./internal/agent/opencode ./internal/agent/claude ./internal/agent/codex ./internal/confine/sandbox
CORES := $(shell nproc)
HALF := $(shell expr \( $(CORES) + 1 \) / 2)
AT_ONCE := $(shell expr $(CORES) + 1)
WAITING := $(shell expr $(CORES) + 2)
TEMPORAL := go.temporal.io/server
WORKFLOWCHECK := go.temporal.io/sdk/contrib/tools/workflowcheck@v0.6.0

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: demo
DEMO ?= --kill
demo: parts-demo build ## carry a small task to a pull request, with a scripted agent and a server of its own
	@$(BIN)/longshift demo $(DEMO)

.PHONY: build
build: $(BIN)/longshift $(BIN)/longshift-worker $(BIN)/longshift-devserver ## build the three programs into bin/

# What two machines compare. It goes into the link alone, so nothing is compiled again for it, and is empty where there is no git.
VERSION := $(shell git describe --always --dirty --abbrev=12 2>/dev/null)
STAMP = -ldflags '-X github.com/longshift/longshift/internal/checkup.stamped=$(VERSION)'

.PHONY: always
$(BIN)/.version: always # is written only when the version is another one
	@mkdir -p $(BIN); [ -f $@ ] && [ "$$(cat $@)" = "$(VERSION)" ] || echo "$(VERSION)" >$@

$(BIN)/longshift $(BIN)/longshift-worker: $(SOURCES) $(BIN)/.version
	@mkdir -p $(BIN)
	@case $@ in *-worker) dir=./worker;; *) dir=./starter;; esac; echo "build $@"; $(GO) build $(STAMP) -o $@ $$dir

$(BIN)/longshift-devserver: $(DEVSERVER)
	@mkdir -p $(BIN)
	@echo "build $@ (several minutes the first time)"
	@cd devserver && ../.ci/progress $$($(GO) list $(AS_SERVER) -deps ./cmd/longshift-devserver | wc -l) \
	  $(GO) build -v $(AS_SERVER) -o ../$@ ./cmd/longshift-devserver

.PHONY: temporal
temporal: ## build the released Temporal server and its schema tool into bin/temporal (about six minutes the first time)
	@version=$$(cd devserver && $(GO) list -m -f '{{.Version}}' $(TEMPORAL)); \
	if [ "$$(cat $(BIN)/temporal/version 2>/dev/null)" != "$$version" ]; then \
	  GOBIN=$(CURDIR)/$(BIN)/temporal $(GO) install $(TEMPORAL)/cmd/server@$$version $(TEMPORAL)/cmd/tools/sql@$$version; \
	  cd $(BIN)/temporal && mv server temporal-server && mv sql temporal-sql-tool && echo "$$version" >version; fi

AGENTS := test/agents test/opencode test/github test/mcp test/tools
.PHONY: agents
agents: $(AGENTS:%=%/node_modules/.installed) ## install the agent binaries, clients, tool managers and API descriptions that tests use

%/node_modules/.installed: %/package-lock.json
	@echo "npm ci in $*"; cd $* && npm ci --no-fund --no-audit --loglevel=error && touch node_modules/.installed

.PHONY: parts
parts: parts-test ## install what the tests need and this machine lacks, or say how to
parts-%:
	@.ci/parts $*

# With CI=true a part that is missing fails its test, and skips nothing. vet is in lint: here it would look through all that we depend on
# once more, as built for the race detector. A program that is built for it waits a second before it exits, unless told otherwise. Tests wait
# for programs as often as they work, so there are more at a time than cores. With -count 1 each test runs, whatever another clone has run.
TESTED := -count 1 -vet=off
.PHONY: test
test: parts ## run every test: units, integration on real parts, kills, replays
	@$(MAKE) --no-print-directory -j 3 build agents
	@.ci/in-memory $(MAKE) --no-print-directory all-tests

# Two rows of tests run beside each other: what one row waits for, as tests that kill do for much of their time, the other works in. Go's
# programs, above all its compiler, take up to a fifth less of a core when they collect garbage less often.
.PHONY: all-tests
all-tests tests-raced tests-plain tests-of-chaos tests-of-stories: export CI := true
all-tests lint: export GOGC := 400
all-tests:
	@$(MAKE) --no-print-directory -j 2 tests-of-chaos tests-of-stories

RACED = raced=$$($(GO) list $(LONGEST) $(CONCURRENT) | grep -vxF "$$($(GO) list $(PLAIN))")

# Each command of a test starts a guard, and a box an init. By the worker as it is built here they start in a third of the time; the tests
# of guards and boxes themselves use none of it.
.PHONY: tests-raced tests-plain
tests-raced: export LONGSHIFT_PLAIN := $(CURDIR)/$(BIN)/longshift-worker
tests-raced:
	@$(RACED); echo "go test -race, $$(wc -w <<<"$$raced") packages"; \
	GORACE=atexit_sleep_ms=10 $(GO) test $(TESTED) -race -p $(CORES) -timeout 20m $$raced
	GORACE=atexit_sleep_ms=10 $(GO) test $(TESTED) -race -run 'AtOnce$$' $(LOCKED)

tests-plain:
	@$(RACED); plain=$$($(GO) list ./internal/repo/workspace ./internal/cli $(UNITS) | grep -vxF "$$raced"); echo "go test, $$(wc -w <<<"$$plain") packages"; \
	$(GO) test $(TESTED) -p $(HALF) -timeout 20m $$plain

# The other modules follow where less is to do.
.PHONY: tests-of-chaos tests-of-stories
tests-of-chaos: tests-raced
	$(GO) test $(TESTED) -parallel $(AT_ONCE) -timeout 40m ./test/chaos

tests-of-stories: tests-plain
	$(GO) test $(TESTED) -p 1 -parallel $(WAITING) -timeout 40m ./test/integration ./test/acceptance \
	  $$($(GO) list ./test/... | grep -vE '/test/(chaos|integration|acceptance)$$')
	cd devserver && $(GO) test $(AS_SERVER) $(TESTED) -timeout 10m ./...
	cd test/compose && $(GO) test $(TESTED) -timeout 5m ./...

.PHONY: acceptance
acceptance: build agents ## run the stories of people with every agent, and print what each takes
	$(GO) test -count 1 -timeout 40m -v ./test/acceptance -args -all-agents

.PHONY: first-hour
first-hour: ## play the README on a new Debian, with root and debootstrap, and write docs/first-hour.md
	$(GO) test -count 1 -timeout 60m -v ./test/acceptance -run '^TestFirstHour$$' -args -transcript $(CURDIR)/docs/first-hour.md

.PHONY: chaos
chaos: build agents ## kill by chance and see that nothing is lost (KILLS=60 SEED=1 ARGS="-heartbeat 30s -probe 60s -split")
	$(GO) test -count 1 -timeout 12h -parallel $(AT_ONCE) -v ./test/chaos -run '^TestByChance$$' -args -kills $(or $(KILLS),60) -seed $(or $(SEED),1) $(ARGS)

.PHONY: upstream
upstream: build agents ## bring about commits of real repositories, which COMMITS=file lists (see CONTRIBUTING.md)
	$(GO) test -count 1 -timeout 3h -v ./test/acceptance -run TestStories/upstream- -args -commits $(abspath $(COMMITS))

.PHONY: unit
unit: ## run the tests that need no server, no network and no agent binary
	@.ci/in-memory $(GO) test -short -p $(AT_ONCE) ./internal/repo/workspace $(UNITS)

.PHONY: lint
lint: ## gofmt, vet, workflowcheck, shell and module checks
	@out=$$(gofmt -l $$(git ls-files '*.go')); if [ -n "$$out" ]; then echo "gofmt: $$out"; exit 1; fi
	$(GO) vet ./...
	cd devserver && $(GO) vet $(AS_SERVER) ./... # as it is built, so that nothing is compiled twice
	cd test/compose && $(GO) vet ./...
	$(GO) run $(WORKFLOWCHECK) -config .workflowcheck.yaml ./workflows/...
	$(GO) mod tidy -diff
	cd devserver && $(GO) mod tidy -diff
	cd test/compose && $(GO) mod tidy -diff
	@if command -v shellcheck >/dev/null; then shellcheck .ci/* $$(git ls-files '*.sh'); fi

.PHONY: golangci
golangci: ## run the linters of .golangci.yml (about two minutes to build the first time)
	$(GO) run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0 run ./...

.PHONY: bench
bench: build agents ## measure: whole task against a shell script, and an earlier commit (BASE=ref), waiting pull requests, many tasks at once and waiting, parsers
	$(GO) test -run '^$$' -bench . -benchtime 1s ./internal/...
	$(GO) test -run '^$$' -bench Caches -benchtime 1x ./activities
	if [ -n "$(BASE)" ]; then .ci/bench-base "$(BASE)"; else $(GO) run ./test/bench; fi
	$(GO) run ./test/bench -agents
	$(GO) run ./test/bench -waiting 1000
	$(GO) run ./test/bench -crowd 12
	$(GO) run ./test/bench -scale
	$(GO) test -run '^$$' -bench Click -benchtime 5x ./test/integration

.PHONY: record
record: build ## record the histories of the replay test, from released code only (RECORD="-only name" for one)
	$(GO) run ./test/record $(RECORD)

.PHONY: clean
clean: ## remove what was built
	rm -rf $(BIN)
