# twbench - the build.  `make help` lists the targets; V=1 shows the commands.
#
# One non-recursive Makefile.  Objects live in build/FLAVOUR/, one tree per way of compiling:
#
#     release    what is measured            asan    address and undefined-behaviour sanitizers
#     coverage   gcov                        ubsan   undefined behaviour alone     tsan    threads
#     fuzz       libFuzzer and asan (clang only); the unit tests of `make test` too
#
# A flavour with -clang behind it is compiled by clang.  Everything is rebuilt when the compiler or
# its flags change.  Nothing here needs a compiler before the first recipe runs, so that `make deps`
# can install one.

MAKEFLAGS += --no-builtin-rules --no-print-directory
# As many jobs as there are cores, unless the command line says otherwise.
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(shell nproc)
endif
SHELL := /bin/bash
.DELETE_ON_ERROR:

FLAVOUR ?= release
KIND    := $(FLAVOUR:%-clang=%)
BUILD   := build/$(FLAVOUR)
Q       := $(if $(V),,@)
comma   := ,
say      = $(if $(V),,@printf '  %-8s %s\n' $(1) $(2))

PREFIX  ?= /usr/local
FUZZ_SECONDS ?= 30

# ---- Flags ----------------------------------------------------------------------------------------

ifeq ($(origin CC),default)
CC := gcc
endif
ifneq ($(KIND),$(FLAVOUR))
CC := clang
endif
ifeq ($(KIND),fuzz)
CC := clang
endif

KINDS := release asan ubsan tsan coverage fuzz
ifeq ($(filter $(KIND),$(KINDS)),)
$(error FLAVOUR=$(FLAVOUR): expected one of $(KINDS), with or without -clang)
endif

CHECKED          := -O1 -g -fno-omit-frame-pointer -fno-sanitize-recover=all
CFLAGS_release   := -O2 -g
CFLAGS_asan      := $(CHECKED)
CFLAGS_ubsan     := $(CHECKED)
CFLAGS_tsan      := $(CHECKED)
CFLAGS_fuzz      := $(CHECKED:-g=-g1)
CFLAGS_coverage  := -O1 -g
CFLAGS           ?= $(CFLAGS_$(KIND))
INSTRUMENT_asan  := -fsanitize=address,undefined
INSTRUMENT_ubsan := -fsanitize=undefined
INSTRUMENT_tsan  := -fsanitize=thread
INSTRUMENT_fuzz  := -fsanitize=fuzzer-no-link,address,undefined
INSTRUMENT_coverage := --coverage
INSTRUMENT       := $(INSTRUMENT_$(KIND))

WARN := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes \
        -Wcast-qual -Wvla -Wundef $(if $(WERROR),-Werror)
LANGUAGE := -std=c11 -D_GNU_SOURCE -Isrc

# jemalloc takes the place of malloc, and so do the sanitizers: only one of them can be in a binary.
ifeq ($(findstring -fsanitize,$(INSTRUMENT)),)
LANGUAGE += -DTWB_JEMALLOC=1
JEMALLOC := -ljemalloc
endif
LIBS := $(JEMALLOC) -lcjson -llzma -lz -lm

# Where a function or a jump happens to lie must not pass for a change of speed: docs/MEASUREMENT.md has
# what either of these is worth.  CFLAGS come behind them and win.
LAYOUT := -falign-functions=64
ifeq ($(shell uname -m),x86_64)
# What the assembler's short form leaves out, calls and returns, moves figures just as jumps do.
BRANCHES := jcc+fused+jmp+call+ret+indirect
ifneq ($(findstring clang,$(CC)),)
LAYOUT += -mbranches-within-32B-boundaries
else
LAYOUT += -Wa,-malign-branch-boundary=32,-malign-branch=$(BRANCHES),-malign-branch-prefix-size=5
endif
endif

# The one loop that is around every call of every design: each place that is jumped to begins a fetch of its
# own, or where it happens to lie moves the figures of all.
LAYOUT_OF_LOOP := -falign-labels=32 -falign-jumps=32 -falign-loops=32
ifeq ($(findstring clang,$(CC)),)
build/%/harness/measure/run/replay.o: private LAYOUT += $(LAYOUT_OF_LOOP)
endif

# What is written in C++ is a library that is: compiled by the C compiler's sister, with the same flags.
CXX      := $(subst clang,clang++,$(subst gcc,g++,$(CC)))
LANGUAGE_CXX = -std=c++20 $(filter-out -std=%,$(LANGUAGE))
WARN_CXX     = $(filter-out -Wstrict-prototypes -Wmissing-prototypes,$(WARN))

# The hundred and more tests are linked by a faster linker than the default, where there is one: gold comes with
# binutils, but does not understand what clang's sanitizers export; lld does, if it is here.
FAST_LINKER = $(if $(findstring clang,$(CC)),lld,gold)
LINK_TEST = $(LINK) $(if $(wildcard /usr/bin/ld.$(FAST_LINKER)),-fuse-ld=$(FAST_LINKER))

# EXTRA is what single objects want on top.
COMPILE = $(CC) $(LANGUAGE) -I$(BUILD) $(CPPFLAGS) $(LAYOUT) $(CFLAGS) $(INSTRUMENT) $(WARN) $(EXTRA)
COMPILE_CXX = $(CXX) $(LANGUAGE_CXX) -I$(BUILD) $(CPPFLAGS) $(LAYOUT) $(CFLAGS) $(INSTRUMENT) $(WARN_CXX) $(EXTRA)
LINK    = $(CC) $(CFLAGS) $(INSTRUMENT) $(LDFLAGS)

# ---- Libraries ------------------------------------------------------------------------------------

# Each is a design in a shared object of its own, built when its source and its package's header are here
# (src/libraries/libraries.def has the packages): the header, and how to compile and to link with it.
HEADER_libev       := ev.h
LINK_libev         := -lev
HEADER_libuv       := uv.h
LINK_libuv         := -luv
HEADER_libevent    := event2/event.h
LINK_libevent      := -levent_core
HEADER_glib        := glib-2.0/glib.h
EXTRA_glib          = $(shell pkg-config --cflags glib-2.0)
LINK_glib          := -lglib-2.0
HEADER_sd_event    := systemd/sd-event.h
LINK_sd_event      := -lsystemd
HEADER_asio         = $(if $(shell command -v $(lastword $(CXX))),asio.hpp,is-no-use-without-a-compiler)
LINK_asio          := -lstdc++
HEADER_dpdk        := dpdk/rte_timer.h
EXTRA_dpdk          = $(patsubst -I%,-isystem %,$(shell pkg-config --cflags libdpdk)) -DALLOW_EXPERIMENTAL_API
LINK_dpdk          := -lrte_timer -lrte_eal
HEADER_timerfd     := sys/timerfd.h
HEADER_posix_timer := sys/signalfd.h

LIBRARIES      := libev libuv libevent glib sd_event asio dpdk timerfd posix_timer
LIBRARIES_HERE := $(foreach name,$(LIBRARIES),$(if $(and $(wildcard src/libraries/$(name).c src/libraries/$(name).cpp),\
                    $(wildcard /usr/include/$(HEADER_$(name)) /usr/include/*/$(HEADER_$(name)))),$(name)))
# What the libraries share is linked into each of them.
LIBRARY_PARTS  := $(filter-out $(LIBRARIES:%=src/libraries/%.c) src/libraries/module.c,$(wildcard src/libraries/*.c))

# ---- Files ----------------------------------------------------------------------------------------

# A design is compiled twice, timed and counted (src/impls/backend.h), and a runner timed and proved
# (src/runners/runner.h); everything else once.
DESIGNS  := $(filter-out src/impls/registry.c,$(wildcard src/impls/*.c))
RUNNERS  := $(filter-out src/runners/runner_registry.c,$(wildcard src/runners/*.c))
HARNESS  := $(wildcard src/harness/*/*.c src/harness/*/*/*.c)
OBJECTS  := $(DESIGNS:src/%.c=$(BUILD)/%.timed.o) $(DESIGNS:src/%.c=$(BUILD)/%.counted.o) \
            $(RUNNERS:src/%.c=$(BUILD)/%.timed.o) $(RUNNERS:src/%.c=$(BUILD)/%.proved.o) \
            $(BUILD)/taken.o $(BUILD)/impls/registry.o $(BUILD)/runners/runner_registry.o $(BUILD)/libraries/answer.o $(HARNESS:src/%.c=$(BUILD)/%.o)
MODULES  := $(LIBRARIES_HERE:%=$(BUILD)/libraries/%.so)
C_TESTS  := $(wildcard tests/unit/test_*.c tests/conformance/test_*.c)
FUZZERS  := $(wildcard tests/fuzz/fuzz_*.c)
SCRIPTS  := $(wildcard tools/*.sh tests/*.sh tests/*/*.sh originals/*.sh .ci/run)
STYLED   := $(wildcard src/*.[ch] src/impls/*.[ch] src/runners/*.[ch] src/libraries/*.[ch] src/libraries/*.cpp src/harness/*/*.[ch] src/harness/*/*/*.[ch] tests/*/*.[ch] docs/*.c tools/*.c docs/plugins/*.c docs/plugins/*.cpp)

UNIT_TESTS        := $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(filter tests/unit/%,$(C_TESTS)))
CONFORMANCE_TESTS := $(patsubst tests/conformance/%.c,$(BUILD)/tests/%,$(filter tests/conformance/%,$(C_TESTS)))
FUZZ_TARGETS      := $(FUZZERS:tests/fuzz/%.c=$(BUILD)/tests/%)

# ---- Everyday targets -----------------------------------------------------------------------------

all: ./twbench modules ## build ./twbench, and each library whose package is here
ifeq ($(FLAVOUR),release)
./twbench: $(BUILD)/twbench
	$(Q)cp -f $< $@
else
all: $(BUILD)/twbench
.PHONY: ./twbench
endif

modules: $(MODULES)

help: ## this list
	@awk -F':.*## ' '/^[a-z-]+: .*## |^[a-z-]+: ## / { printf "  %-14s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))
	@echo
	@echo "  Variables: CC, CFLAGS, FLAVOUR=release|asan|ubsan|tsan|coverage[-clang], WERROR=1, V=1,"
	@echo "             PREFIX, DESTDIR, FUZZ_SECONDS"

deps: ## install the Debian packages that make, make bench and make test need
	$(Q)tools/deps.sh build bench test

bench: ## run the default comparison; tables here, JSON and pictures under results/
	$(Q)tools/deps.sh build bench
	$(Q)$(MAKE) all
	$(Q)tools/bench.sh

figures: all ## write what the catalogue of figures says into the schemas and docs/RESULT-FORMAT.md
	$(Q)tools/figures.py

claims: ## run every claim (minutes, a quiet machine): JSON under results/, pictures in docs/pictures/claims
	$(Q)tools/deps.sh build bench
	$(Q)$(MAKE) all
	$(Q)tools/claims_pictures.sh

originals: ## install the JDK, Netty and Go, and build their timers' drivers (originals/README.md)
	$(Q)tools/deps.sh originals || echo "originals: what is missing is skipped"
	$(Q)originals/build.sh

test: ## install what is missing, build, prove everything that matters (at most nine minutes of processor time)
	$(Q)tools/deps.sh build bench test
	$(Q)$(MAKE) all tests
	$(Q)$(MAKE) run-tests

test-all: export DEPTH := all
test-all: ## every test at its full depth, sanitizers and fuzzers among them (half an hour)
	$(Q)tools/deps.sh build bench test
	$(Q)$(MAKE) all tests
	$(Q)$(MAKE) FLAVOUR=fuzz unit-tests fuzzers
	$(Q)$(MAKE) run-tests FUZZ_SECONDS=5

sanitized: ## the unit tests under the sanitizers, compiled as the fuzzers are
	$(Q)tools/deps.sh build test
	$(Q)$(MAKE) FLAVOUR=fuzz unit-tests
	$(Q)LIMIT_SECONDS=900 tests/run.sh $(UNIT_TESTS:build/release/%=build/fuzz/%)

check: ## fast: floors, style, static analysis of what changed, unit tests
	$(Q)tools/deps.sh build test check
	$(Q)tests/run.sh tests/floors.sh
	$(Q)$(MAKE) format-check shellcheck
	$(Q)$(MAKE) tidy unit-tests
	$(Q)tests/run.sh $(UNIT_TESTS)

check-all: export WERROR := 1
check-all: ## check, then both compilers with -Werror, then every test and sanitizer
	$(Q)$(MAKE) check
	$(Q)$(MAKE) werror
	$(Q)$(MAKE) test-all
	$(Q)$(MAKE) ubsan tsan
	$(Q)$(MAKE) fuzz

# ---- Compiling ------------------------------------------------------------------------------------

# The word of the compiler and its flags: every object depends on it, so a change rebuilds them.
$(BUILD)/flags: FORCE
	@mkdir -p $(@D)
	@command -v $(firstword $(CC)) >/dev/null || { echo "no $(firstword $(CC)) here: 'make deps' installs what is needed"; exit 1; }
	@{ echo '$(COMPILE)'; $(CC) --version | head -n 1; } > $@.new
	@if cmp -s $@.new $@; then rm $@.new; else \
	    tools/headers.sh $(CC) && mv $@.new $@; fi

$(BUILD)/build_info.h: $(BUILD)/flags VERSION FORCE
	@tools/build_info.sh $@ '$(CC)' '$(LANGUAGE) $(CPPFLAGS) $(LAYOUT) $(CFLAGS) $(INSTRUMENT)' '$(PREFIX)'

# Streams are drawn here, to the same bits on every processor (samemath.h): no product is joined to a sum.
$(BUILD)/harness/base/%.o $(BUILD)/harness/measure/workload/%.o: private EXTRA = -ffp-contract=off

$(BUILD)/%.timed.o: src/%.c $(BUILD)/flags
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(COMPILE) -MMD -MP -c $< -o $@
$(BUILD)/%.counted.o: src/%.c $(BUILD)/flags
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(COMPILE) -DTW_COUNTED -MMD -MP -c $< -o $@
$(BUILD)/%.proved.o: src/%.c $(BUILD)/flags
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(COMPILE) -DTW_PROVED -MMD -MP -c $< -o $@
$(BUILD)/%.o: src/%.c $(BUILD)/flags | $(BUILD)/build_info.h
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(COMPILE) -MMD -MP -c $< -o $@
# What `twbench take` gives away, as text: made from the designs, so that it cannot differ from them.
$(BUILD)/taken.c: tools/taken.pl VERSION LICENSE src/impls/registry.def $(DESIGNS) $(wildcard src/impls/*.h tools/take/*.in)
	$(call say,TAKE,$@)
	@mkdir -p $(@D)
	$(Q)perl tools/taken.pl $@
$(BUILD)/taken.o: private EXTRA = -Wno-overlength-strings
$(BUILD)/taken.o: $(BUILD)/taken.c $(BUILD)/flags
	$(call say,CC,$@)
	$(Q)$(COMPILE) -MMD -MP -c $< -o $@
$(BUILD)/tests/%.o: tests/%.c $(BUILD)/flags | $(BUILD)/build_info.h
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(COMPILE) -Itests -MMD -MP -c $< -o $@

$(BUILD)/libraries/%.timed.o: src/libraries/%.cpp $(BUILD)/flags
	$(call say,CXX,$@)
	@mkdir -p $(@D)
	$(Q)$(COMPILE_CXX) -MMD -MP -c $< -o $@
$(BUILD)/libraries/%.counted.o: src/libraries/%.cpp $(BUILD)/flags
	$(call say,CXX,$@)
	@mkdir -p $(@D)
	$(Q)$(COMPILE_CXX) -DTW_COUNTED -MMD -MP -c $< -o $@

# A library's module: the design, timed and counted, what the libraries share, and the symbol to find it by.
# Private, or the word of the flags would have it too whenever a library happens to ask for that first.
$(BUILD)/libraries/%.o $(BUILD)/libraries/%.tidy: private EXTRA = -fPIC $(EXTRA_$(firstword $(subst ., ,$(@F))))
$(BUILD)/libraries/%.module.o: src/libraries/module.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(Q)$(COMPILE) -DTW_MODULE=$* -MMD -MP -c $< -o $@
$(BUILD)/libraries/%.so: $(BUILD)/libraries/%.timed.o $(BUILD)/libraries/%.counted.o \
                         $(BUILD)/libraries/%.module.o $(LIBRARY_PARTS:src/%.c=$(BUILD)/%.o)
	$(call say,LINK,$@)
	$(Q)$(LINK) -shared $^ $(LINK_$*) -o $@

# A binary looks for its workloads, experiments, plot scripts and the style of reports beside itself.
$(BUILD)/twbench: $(OBJECTS) $(BUILD)/main.o
	$(call say,LINK,$@)
	$(Q)$(LINK) $^ $(LIBS) -o $@
	@for data in workloads claims plots report; do ln -sfn ../../$$data $(BUILD)/$$data; done

# Tests link the library, so each takes only the objects that it calls.
$(BUILD)/libtwbench.a: $(OBJECTS)
	$(call say,AR,$@)
	@rm -f $@
	$(Q)$(AR) rcs $@ $^
$(BUILD)/tests/test_%: $(BUILD)/tests/unit/test_%.o $(BUILD)/libtwbench.a
	$(call say,LINK,$@)
	$(Q)$(LINK_TEST) $(filter %.o,$^) $(BUILD)/libtwbench.a $(LIBS) -lcmocka -o $@
$(BUILD)/tests/test_%: $(BUILD)/tests/conformance/test_%.o $(BUILD)/libtwbench.a
	$(call say,LINK,$@)
	$(Q)$(LINK_TEST) $(filter %.o,$^) $(BUILD)/libtwbench.a $(LIBS) -lcmocka -o $@
# The design that people copy (docs/ADDING-A-BACKEND.md) is compiled as one, and put to the proof.
$(BUILD)/tests/conformance/test_walk.o: CPPFLAGS += -Isrc/impls
$(BUILD)/tests/test_skeleton: $(BUILD)/docs/skeleton.timed.o $(BUILD)/docs/skeleton.counted.o
$(BUILD)/docs/skeleton.%.o: docs/skeleton.c $(BUILD)/flags
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(COMPILE) $(if $(filter counted,$*),-DTW_COUNTED) -Isrc/impls -MMD -MP -c $< -o $@
$(BUILD)/tests/fuzz_%: $(BUILD)/tests/fuzz/fuzz_%.o $(BUILD)/libtwbench.a
	$(call say,LINK,$@)
	$(Q)$(LINK_TEST) -fsanitize=fuzzer $^ $(LIBS) -o $@

# Without this, make would delete the tests' objects as intermediate files and compile them again.
.SECONDARY:
-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)

# ---- Tests ----------------------------------------------------------------------------------------

unit-tests: $(UNIT_TESTS)
tests: $(UNIT_TESTS) $(CONFORMANCE_TESTS)
fuzzers: $(FUZZ_TARGETS)

# What `make test` runs, as tests/run.sh takes it: the longest first, so that none is left over at the end, and all
# side by side, because none depends on how fast or how evenly the machine runs.  Some suites do more with DEPTH=all.
SUITES = tests/libraries.sh $(filter-out $(DEEP_CONFORMANCE),$(CONFORMANCE_TESTS)) tests/faults/run.sh tests/faults/runners.sh $(filter-out $(DEEP_SUITES),$(wildcard tests/cli/*.bats tests/users/*.bats)) \
         tests/golden.sh tests/schema.sh tests/claims_format.sh tests/advice_format.sh tests/selftest_format.sh \
         tests/limits_format.sh tests/pictures.sh tests/identity.sh tests/floors.sh tests/workload_language.sh $(UNIT_TESTS)
# Those of the conformance tests that cost much and have a cheaper one: counts per class of growth, runners one by one.
DEEP_CONFORMANCE = $(filter %/test_growth_classes %/test_runners,$(CONFORMANCE_TESTS))
# What `make test-all` runs besides.  The unit tests run under the sanitizers too, compiled as the fuzzers are: one tree
# is enough for both.
DEEP_SUITES = $(DEEP_CONFORMANCE) tests/originals.sh tests/ci.sh tests/lessons.sh tests/fuzz.sh tests/misses.sh tests/floors_selftest.sh tests/exports.sh \
              tests/adding.sh tests/figure.sh tests/cli/drive.bats tests/cli/dpdk.bats \
              $(UNIT_TESTS:build/release/%=build/fuzz/%)

run-tests:
	$(Q)TWBENCH=$(CURDIR)/twbench FUZZ_SECONDS=$(FUZZ_SECONDS) LIMIT_SECONDS=$(if $(DEPTH),1800,900) tests/run.sh $(SUITES) $(if $(DEPTH),$(DEEP_SUITES))

asan: ## unit and conformance tests under the address and undefined-behaviour sanitizers
	$(Q)$(MAKE) FLAVOUR=asan run-flavour
ubsan: ## the same under the undefined-behaviour sanitizer of clang
	$(Q)$(MAKE) FLAVOUR=ubsan-clang run-flavour
tsan: ## the same under the thread sanitizer, and a short proof of every runner
	$(Q)$(MAKE) FLAVOUR=tsan run-flavour
	$(Q)LIMIT_SECONDS=1800 tests/run.sh tests/races.sh
run-flavour: all tests
	$(Q)LIMIT_SECONDS=1800 tests/run.sh $(UNIT_TESTS) $(CONFORMANCE_TESTS)

fuzz: ## run each fuzz target for FUZZ_SECONDS (default 30)
	$(Q)tools/deps.sh build test
	$(Q)$(MAKE) FLAVOUR=fuzz fuzzers
	$(Q)FUZZ_SECONDS=$(FUZZ_SECONDS) LIMIT_SECONDS=86400 tests/run.sh tests/fuzz.sh

test-originals: ## the drivers of originals/ against their runtimes, which it installs
	$(Q)$(MAKE) originals all
	$(Q)TWBENCH=$(CURDIR)/twbench tests/run.sh tests/originals.sh

test-report: ## open reports in a headless Chromium: figures, sorting, layout, contrast, console
	$(Q)tools/deps.sh build bench report
	$(Q)$(MAKE) all
	$(Q)TWBENCH=$(CURDIR)/twbench tests/run.sh tests/browser/report_page.py

faults: export DEPTH := all
faults: ## prove that each planted fault is caught, those of libraries too
	$(Q)tools/deps.sh build test
	$(Q)$(MAKE) all
	$(Q)TWBENCH=$(CURDIR)/twbench LIBRARY_FAULTS=1 LIMIT_SECONDS=900 tests/run.sh tests/faults/run.sh tests/faults/runners.sh tests/libraries.sh

coverage: ## line coverage of the unit, conformance and command-line tests
	$(Q)tools/deps.sh build test coverage
	$(Q)$(MAKE) FLAVOUR=coverage run-coverage
run-coverage: all tests
	$(Q)find $(BUILD) -name '*.gcda' -delete
	$(Q)LIMIT_SECONDS=1800 TWBENCH=$(CURDIR)/$(BUILD)/twbench tests/run.sh $(UNIT_TESTS) $(CONFORMANCE_TESTS) --alone $(wildcard tests/cli/*.bats)
	$(Q)gcovr --root . --filter src/ --object-directory $(BUILD) --html-details $(BUILD)/index.html --print-summary
	@echo "$(BUILD)/index.html has the lines"

# ---- Style and static analysis --------------------------------------------------------------------

# Stamps depend on the objects, so that a changed header brings its users under analysis again.
TIDIED := $(DESIGNS:src/%.c=$(BUILD)/%.timed.tidy) $(RUNNERS:src/%.c=$(BUILD)/%.timed.tidy) $(LIBRARIES_HERE:%=$(BUILD)/libraries/%.timed.tidy) \
          $(LIBRARY_PARTS:src/%.c=$(BUILD)/%.tidy) \
          $(patsubst src/%.c,$(BUILD)/%.tidy,src/impls/registry.c src/runners/runner_registry.c $(HARNESS) $(wildcard src/main.c))
tidy: $(TIDIED) ## clang-tidy on what changed since it last passed
TIDY = clang-tidy --quiet --warnings-as-errors='*' $< -- $(LANGUAGE) -I$(BUILD) $(EXTRA) 2> >(grep -v 'warnings\? generated' >&2)
$(BUILD)/libraries/%.timed.tidy: src/libraries/%.cpp $(BUILD)/libraries/%.timed.o .clang-tidy
	$(call say,TIDY,$<)
	$(Q)$(subst $(LANGUAGE),$(LANGUAGE_CXX),$(TIDY))
	@touch $@
$(BUILD)/%.timed.tidy: src/%.c $(BUILD)/%.timed.o .clang-tidy
	$(call say,TIDY,$<)
	$(Q)$(TIDY)
	@touch $@
$(BUILD)/%.tidy: src/%.c $(BUILD)/%.o .clang-tidy
	$(call say,TIDY,$<)
	$(Q)$(TIDY)
	@touch $@

format: ## clang-format every C file in place
	$(Q)clang-format -i $(STYLED)
format-check: ## is every C file as clang-format leaves it?
	$(Q)clang-format --dry-run -Werror $(STYLED)
shellcheck: ## static analysis of the scripts
	$(Q)shellcheck $(SCRIPTS)
werror: ## build with gcc and clang, warnings being errors (WERROR=1)
	$(Q)$(MAKE) WERROR=1 FLAVOUR=release all tests
	$(Q)$(MAKE) WERROR=1 FLAVOUR=release-clang all tests

# ---- Installing -----------------------------------------------------------------------------------

SHARE := $(DESTDIR)$(PREFIX)/share/twbench

manual: all ## write docs/man/twbench.1 from twbench.1.in and the table of flags
	$(Q)tools/manual.sh ./twbench >docs/man/twbench.1.new && mv docs/man/twbench.1.new docs/man/twbench.1

install: all ## install under DESTDIR/PREFIX: binary, libraries, workloads, claims, plot scripts, style, schema, man page, header, plugins to copy
	$(Q)install -D -m 755 $(BUILD)/twbench $(DESTDIR)$(PREFIX)/bin/twbench
	$(Q)install -D -m 644 docs/man/twbench.1 $(DESTDIR)$(PREFIX)/share/man/man1/twbench.1
	$(Q)install -D -m 644 src/impls/backend.h $(DESTDIR)$(PREFIX)/include/twbench/backend.h
	$(Q)install -d $(SHARE)/plugins $(DESTDIR)$(PREFIX)/lib/twbench/libraries
	$(Q)install -m 644 docs/skeleton.c docs/plugins/wheel.c docs/plugins/priority_queue.cpp $(SHARE)/plugins
	$(Q)$(if $(LIBRARIES_HERE),install -m 755 $(MODULES) $(DESTDIR)$(PREFIX)/lib/twbench/libraries)
	$(Q)install -d $(SHARE)/workloads/traces $(SHARE)/claims $(SHARE)/plots $(SHARE)/report $(SHARE)/schema
	$(Q)install -m 644 workloads/*.json $(SHARE)/workloads
	$(Q)install -m 644 workloads/traces/*.tt.xz $(SHARE)/workloads/traces
	$(Q)install -m 644 claims/*.json $(SHARE)/claims
	$(Q)install -m 644 plots/*.gp $(SHARE)/plots
	$(Q)install -m 644 report/report.css report/report.js $(SHARE)/report
	$(Q)install -m 644 schema/*.json $(SHARE)/schema
uninstall: ## remove what install put there
	$(Q)rm -f $(DESTDIR)$(PREFIX)/bin/twbench $(DESTDIR)$(PREFIX)/share/man/man1/twbench.1
	$(Q)rm -rf $(SHARE) $(DESTDIR)$(PREFIX)/lib/twbench $(DESTDIR)$(PREFIX)/include/twbench

clean: ## remove everything that was built
	$(Q)rm -rf build twbench

FORCE:
.PHONY: FORCE all manual modules help deps bench claims originals test test-all sanitized check check-all tests unit-tests fuzzers run-tests run-flavour \
        run-coverage test-originals test-report asan ubsan tsan fuzz faults coverage tidy format format-check shellcheck werror \
        install uninstall clean
