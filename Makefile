# Everything a person does here. `make` alone lists it.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

GO  ?= go
BIN := $(CURDIR)/.bin

# Tools, pinned. Temporal is pinned in internal/devstack/temporal.mod.
SQLC          := github.com/sqlc-dev/sqlc/cmd/sqlc@v1.31.1
WORKFLOWCHECK := go.temporal.io/sdk/contrib/tools/workflowcheck@v0.6.0
GOVULNCHECK   := golang.org/x/vuln/cmd/govulncheck@v1.1.4
GOLANGCI_LINT := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
GOTESTSUM     := gotest.tools/gotestsum@v1.13.0
AXE           := axe-core@4.10.3

# How many packages are tested at once, and how many tests of each. Tests mostly
# wait for timers and servers, so there are more than cores; under the race
# detector they compute, too.
TEST_PACKAGES ?= 2
TEST_PARALLEL ?= $(if $(RACE),4,8)
# What is tested, and more arguments for go test, such as:
# make test PACKAGES=./workflows ARGS='-run Park -count=10'
PACKAGES ?= ./...
ARGS     ?=
# Packages that know no goroutines: under the race detector their tests of many
# cases would only take ten times as long.
SEQUENTIAL := internal/(config|content|guide|notice|payload|petpost|petpost/learn|post|protocol|route|sandbox/markup|turnmodel|words)$$
# Packages that are tested both ways: what measures memory is left out under it.
MEASURED := internal/photo$$
# The package that takes longest is begun first, beside all others.
LONGEST := e2e$$
# RACE=-race tests under the race detector, as .ci/run does.
RACE ?=

# The build that an upgrade begins with: the last release, or the one before this.
FROM ?= $(or $(shell git describe --tags --abbrev=0 HEAD~1 2>/dev/null),HEAD~1)

# One Postgres and one Temporal for the command that follows; for tests, the
# former alone and in memory: each package's tests start a Temporal that ends
# with them, and its namespaces with it.
WITH_SERVERS  := $(GO) run ./internal/testenv/run --
WITH_POSTGRES := $(GO) run ./internal/testenv/run -tests --

VERSION := $(shell git describe --always --dirty --tags 2>/dev/null || echo unknown)

##@ Use

.PHONY: run
run: build ## build and run everything: servers, sandbox, worker, api; Ctrl-C stops it
	bin/vestnik dev

.PHONY: build
build: ## build bin/vestnik
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '-X main.version=$(VERSION)' -o bin/vestnik ./cmd/vestnik

.PHONY: sbom
sbom: build ## bin/sbom.json: the modules that bin/vestnik was linked from (CycloneDX)
	$(GO) run ./deploy/sbom bin/vestnik >bin/sbom.json

##@ Check

.PHONY: test
test: temporal gotestsum axe vetted ## everything a change must pass: format, vet, workflowcheck, all tests; RACE=-race under the race detector, as .ci/run does, in three times the time
	@# Without a debugger's tables (-s -w) each package's tests link in two thirds of the time.
	@# Real timers run out on a machine that stalls: what fails is tested once more, alone, and said to be flaky if it passes.
	@rm -f $(BIN)/flaky.txt
	@packages=$$($(GO) list $(PACKAGES) | grep -E '$(SEQUENTIAL)|$(MEASURED)' || true); [ -z "$$packages" ] || $(GO) test -vet=off $$packages $(ARGS)
	@packages=$$($(GO) list $(PACKAGES) | grep -vE '$(SEQUENTIAL)' | awk '/$(LONGEST)/ {print; next} {rest = rest $$0 "\n"} END {printf rest}'); [ -z "$$packages" ] || \
		GOGC=400 $(WITH_POSTGRES) $(BIN)/gotestsum --format pkgname --hide-summary=skipped --packages "$$packages" \
			--rerun-fails=1 --rerun-fails-max-failures=12 --rerun-fails-report=$(BIN)/flaky.txt -- \
			$(RACE) -vet=off -ldflags='-s -w' -timeout 30m -p $(TEST_PACKAGES) -parallel $(TEST_PARALLEL) $(ARGS)
	@if [ -s $(BIN)/flaky.txt ]; then echo "failed at first (test name, runs, failures):"; cat $(BIN)/flaky.txt; fi
	$(GO) -C deploy/k8s test ./...

.PHONY: check
check: vetted ## the same for the inner loop, under a minute: the tests that need no servers, without the race detector
	$(GO) test $$($(GO) list -f '{{.ImportPath}} {{join .TestImports " "}} {{join .XTestImports " "}}' ./... | \
		grep -vE 'internal/(testenv|devstack)( |$$)|internal/(chaos|turnmodel|petpost/learn) ' | cut -d' ' -f1) $(ARGS)

.PHONY: vetted
vetted: workflowcheck
	@large=$$(git ls-files -z | xargs -0 du -k --threshold=5M 2>/dev/null); if [ -n "$$large" ]; then echo "what was built does not belong in the repository:"; echo "$$large"; exit 1; fi
	@unformatted=$$(gofmt -l .); if [ -n "$$unformatted" ]; then echo "gofmt these files:"; echo "$$unformatted"; exit 1; fi
	$(GO) vet ./...
	$(BIN)/workflowcheck -config workflowcheck.config.yaml ./workflows/...

.PHONY: lint
lint: golangci-lint sqlc govulncheck ## linters, whether generated code is up to date, modules and their known faults
	$(BIN)/golangci-lint run
	$(BIN)/sqlc diff
	$(BIN)/sqlc vet
	$(GO) test -count=1 -run 'Migrations' ./db
	$(GO) mod verify
	deploy/vulncheck.sh $(BIN)/govulncheck ./...

.PHONY: bench
bench: build temporal ## measure: tables of throughput, latency and memory, also on a cluster once `make test-cluster` has built one
	$(WITH_SERVERS) $(GO) run ./bench $(ARGS) | tee bin/bench.txt
	@if [ -x $(BIN)/temporal-server ]; then \
		$(GO) run ./deploy/cluster $(GO) run ./bench $(ARGS) >bin/bench-cluster.txt; \
		echo "the same, and at the right on a cluster:"; awk -F '  +' '{print $$2}' bin/bench-cluster.txt | paste bin/bench.txt -; \
	fi
	$(WITH_SERVERS) $(GO) test ./conformance ./db/guidedb -run '^$$' -bench . -benchtime 1x
	$(GO) test ./internal/petpost -run '^$$' -bench .

.PHONY: scale
scale: ## every query against ten years of data (10 GB, some minutes to fill): no whole table is read, each keeps its budget, and so does every page of the console; POSTS=2000000
	$(WITH_SERVERS) $(GO) test ./db/scale -count=1 -v -timeout 90m -posts $(or $(POSTS),2000000) -table $(ARGS)

.PHONY: chaos
chaos: temporal ## the storm: everything fails while posts and clicks go on, then what came is audited; SEED=1, ARGS=-short
	$(GO) run ./internal/chaos -seed $(or $(SEED),1) $(ARGS)

.PHONY: cluster
cluster: $(BIN)/temporal-server ## a Temporal of five processes and 512 shards on Postgres, until Ctrl-C; ARGS='go run ./bench' runs a command on it
	$(GO) run ./deploy/cluster $(ARGS)

.PHONY: test-cluster
test-cluster: temporal $(BIN)/temporal-server ## end-to-end tests (a rollout among them) and a short storm on such a cluster, and compose's own; .ci/run leaves it out, for its time
	$(GO) run ./deploy/cluster $(GO) test -count=1 -timeout 30m -parallel $(TEST_PARALLEL) $(or $(ARGS),./e2e)
	$(GO) run ./internal/chaos -short -cluster
	$(WITH_SERVERS) $(GO) test -count=1 -tags cluster -run ComposesTemporal ./deploy

.PHONY: upgrade
upgrade: temporal ## from the build before this one, or of another commit, with work in flight, audited; FROM=8b644a0
	$(GO) run ./internal/chaos -short -without all -from $(FROM) $(ARGS)

.PHONY: eval
eval: ## how well posts are understood: precision and recall on the labelled corpus
	$(GO) run ./internal/petpost/eval $(ARGS)

.PHONY: model
model: ## learn the classifier of posts anew from the labelled corpus; the same bytes each time
	$(GO) run ./internal/petpost/learn $(ARGS)

.PHONY: conformance
conformance: temporal ## the guide bot's specification: pass or fail for each paragraph
	$(WITH_SERVERS) $(GO) run ./conformance/report -parallel=$(TEST_PARALLEL) $(ARGS)

##@ Work

.PHONY: generate
generate: sqlc ## write the code that is generated from db/queries
	$(BIN)/sqlc generate

.PHONY: tools
tools: temporal sqlc workflowcheck golangci-lint govulncheck gotestsum axe ## build the pinned tools into .bin

.PHONY: clean
clean: ## remove what was built and the data of `make run`; keeps .bin
	rm -rf bin .vestnik

.PHONY: help
help: ## this list
	@awk 'BEGIN {FS = ":.*## "} \
		/^##@/ {printf "\n%s\n", substr($$0, 5)} \
		/^[a-z-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# Each tool has a stamp that names its version, so that a new pin builds it
# anew and nothing else does.
define tool
.PHONY: $(1)
$(1): $(BIN)/.stamp-$(1)-$(lastword $(subst @, ,$(2)))
$(BIN)/.stamp-$(1)-$(lastword $(subst @, ,$(2))):
	@mkdir -p $(BIN)
	@echo "building $(1) $(lastword $(subst @, ,$(2))) into .bin, once"
	@GOBIN=$(BIN) GOFLAGS= GOWORK=off CGO_ENABLED=0 $(GO) install $(2)
	@rm -f $(BIN)/.stamp-$(1)-*
	@touch $$@
endef
$(eval $(call tool,sqlc,$(SQLC)))
$(eval $(call tool,workflowcheck,$(WORKFLOWCHECK)))
$(eval $(call tool,golangci-lint,$(GOLANGCI_LINT)))
$(eval $(call tool,gotestsum,$(GOTESTSUM)))
$(eval $(call tool,govulncheck,$(GOVULNCHECK)))

.PHONY: temporal
temporal: $(BIN)/temporal
$(BIN)/temporal: internal/devstack/temporal.mod
	@mkdir -p $(BIN)
	@echo "building temporal into .bin, once"
	@GOFLAGS= GOWORK=off CGO_ENABLED=0 $(GO) build -modfile=$< -o $@ github.com/temporalio/cli/cmd/temporal

# Both programs of a cluster; about five minutes.
$(BIN)/temporal-server: deploy/cluster/temporal.mod
	@mkdir -p $(BIN)
	@echo "building the servers of a Temporal cluster into .bin, once"
	@GOFLAGS= GOWORK=off CGO_ENABLED=0 $(GO) build -modfile=$< -o $(BIN)/temporal-sql go.temporal.io/server/cmd/tools/sql
	@GOFLAGS= GOWORK=off CGO_ENABLED=0 $(GO) build -modfile=$< -o $@ go.temporal.io/server/cmd/server

.PHONY: axe
axe: $(BIN)/.stamp-$(AXE)
$(BIN)/.stamp-$(AXE):
	@mkdir -p $(BIN)
	@cd $(BIN) && tar -xzf "$$(npm pack --silent $(AXE))" --strip-components=1 package/axe.min.js && rm -f axe-core-*.tgz .stamp-axe-core@*
	@touch $@
