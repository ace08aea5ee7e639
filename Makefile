# The front door. Each target works on its own on a machine that has Rust and make: `setup` brings the rest.

ORDAIN := target/release/ordain
CARGO  := cargo
# How long `make fuzz` goes on: random programs per judge.
ORDAIN_FUZZ_CASES ?= 3000
# How long `make explore-pool` goes on with what is too large to be finished.
ORDAIN_POOL_SECONDS ?= 600

.PHONY: all setup build demo test bench bench-solve bench-suite bench-vm bench-record bench-reproduce bench-predict real explore-pool lint fuzz clean
all: build

## setup: install the system packages that are missing (Debian); quick when nothing is
setup:
	@scripts/setup

## build: leaves target/release/ordain
build: setup
	$(CARGO) build --release --workspace

## demo: find a bug that needs an input and a schedule, replay it, prove the repaired program safe
demo: build
	@examples/demo $(ORDAIN)

## test: unit tests, the random-program judges (short), and every program of tests/programs and tests/suite
test: setup
	@scripts/setup gdb
	$(CARGO) test --release --workspace

## bench: the tables of the literature beside ours (TABLES="table1 figure9" for some); the machine's speed
bench: setup bench-vm
	$(CARGO) bench -p ordain --bench published -- $(TABLES)

## bench-suite: every program of tests/suite with a minute each; SUITE="lazy queue" for some
bench-suite: build
	$(CARGO) bench -p ordain --bench suite -- $(SUITE)

## bench-solve: the order engine beside Z3, 100 to 5,000 events; the engine alone to 20,000
bench-solve: setup
	$(CARGO) bench -p ordain-solve --bench solve

## bench-vm: five kernels in the machine, with native code and LLVM's interpreter beside it
bench-vm: setup
	@scripts/setup llvm-22-runtime
	$(CARGO) build --release -p ordain-ir
	$(CARGO) bench -p ordain-vm --bench machine

## bench-record: what recording costs, beside ThreadSanitizer and a recorder in the manner of LEAP (RECORD="pigz tree" for some)
bench-record: build
	@scripts/setup libclang-rt-22-dev
	$(CARGO) bench -p ordain --bench record -- $(RECORD)

## bench-reproduce: recorded failures reproduced, beside the published table; how that scales (REPRODUCE="aget scale" for some)
bench-reproduce: build
	$(CARGO) bench -p ordain --bench reproduce -- $(REPRODUCE)

## bench-predict: predictions beside the published table; PREDICT="table scale real" for longer runs and real programs as well ("pigz" for one)
bench-predict: build
	@scripts/setup libclang-rt-22-dev valgrind
	$(CARGO) bench -p ordain --bench predict -- $(PREDICT)

## real: fetch programs of Debian, build them with `ordain cc`, run them in the machine as natively (REAL="pigz xz" for some)
real: build
	$(CARGO) bench -p ordain --bench real -- $(REAL)

## explore-pool: explore the thread pool of zstd for ten minutes (or ORDAIN_POOL_SECONDS), then copies of it with a bug each
explore-pool: build
	$(CARGO) bench -p ordain --bench pool -- $(ORDAIN_POOL_SECONDS)

## lint: formatting and clippy, warnings are errors
lint: setup
	$(CARGO) fmt --all --check
	$(CARGO) clippy --release --workspace --all-targets -- -D warnings

## fuzz: the long versions of the judges (ORDAIN_FUZZ_CASES random programs each)
fuzz: setup
	@scripts/setup gdb
	ORDAIN_FUZZ_CASES=$(ORDAIN_FUZZ_CASES) $(CARGO) test --release --workspace -- --include-ignored

clean:
	$(CARGO) clean
