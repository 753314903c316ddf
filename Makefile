# twbench - the build.  `make help` lists the targets; V=1 shows the commands.
#
# One non-recursive Makefile for the core, and a lab.mk for each lab that needs more than the rules here: a folder
# labs/NAME with a program.c becomes build/FLAVOUR/twbench-NAME by itself, and one that is not there is not built.
# Objects live in build/FLAVOUR/, one tree per way of compiling:
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
LIBDIR  ?= $(PREFIX)/lib
FUZZ_SECONDS ?= 30

# The lab.mk of a lab has rules too.
.DEFAULT_GOAL := core

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

KINDS := release asan ubsan tsan coverage fuzz cross
ifeq ($(filter $(KIND),$(KINDS)),)
$(error FLAVOUR=$(FLAVOUR): expected one of $(KINDS), with or without -clang)
endif

CHECKED          := -O1 -g -fno-omit-frame-pointer -fno-sanitize-recover=all
CFLAGS_release   := -O2
CFLAGS_asan      := $(CHECKED)
CFLAGS_ubsan     := $(CHECKED)
CFLAGS_tsan      := $(CHECKED)
CFLAGS_cross     := -O2 -g1 -ffp-contract=off
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
LANGUAGE := -std=c11 -D_GNU_SOURCE -Isrc -I.

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
LINK_TEST = $(LINK) $(if $(wildcard /usr/bin/ld.$(FAST_LINKER)),-fuse-ld=$(FAST_LINKER)) $(if $(INSTRUMENT),,-Wl$(comma)--strip-debug)

# EXTRA is what single objects want on top.
COMPILE = $(CC) $(LANGUAGE) -I$(BUILD) $(CPPFLAGS) $(LAYOUT) $(CFLAGS) $(INSTRUMENT) $(WARN) $(EXTRA)
COMPILE_CXX = $(CXX) $(LANGUAGE_CXX) -I$(BUILD) $(CPPFLAGS) $(LAYOUT) $(CFLAGS) $(INSTRUMENT) $(WARN_CXX) $(EXTRA)
LINK    = $(CC) $(CFLAGS) $(INSTRUMENT) $(LDFLAGS)

# ---- Files ----------------------------------------------------------------------------------------

# A design is compiled twice, timed and counted (src/impls/backend.h); everything else once.
DESIGNS  := $(filter-out src/impls/registry.c,$(wildcard src/impls/*.c))
HARNESS  := $(wildcard src/harness/*/*.c src/harness/*/*/*.c)
OBJECTS  := $(DESIGNS:src/%.c=$(BUILD)/%.timed.o) $(DESIGNS:src/%.c=$(BUILD)/%.counted.o) \
            $(BUILD)/impls/registry.o $(HARNESS:src/%.c=$(BUILD)/%.o)

# A lab is a folder.  Its program is made of all C files that are no tests and that its lab.mk does not take out
# (NOT_IN_PROGRAM_NAME); lab.mk may add objects (OBJECTS_NAME), libraries (LIBS_NAME), and whatever else is built
# (EXTRAS_NAME: modules, archives).
LABS := $(notdir $(patsubst %/,%,$(wildcard labs/*/)))
-include $(wildcard labs/*/lab.mk)
sources_of = $(filter-out $(NOT_IN_PROGRAM_$(1)) labs/$(1)/tests/%,$(wildcard labs/$(1)/*.c labs/$(1)/*/*.c))
objects_of = $(patsubst %.c,$(BUILD)/%.o,$(call sources_of,$(1))) $(OBJECTS_$(1))
PROGRAMS := $(foreach lab,$(LABS),$(if $(wildcard labs/$(lab)/program.c),$(BUILD)/twbench-$(lab)))

# Tests of the core, and of each lab: C files with cmocka, .bats, and scripts that print TAP.
C_TESTS   := $(wildcard tests/unit/test_*.c tests/conformance/test_*.c)
LAB_TESTS := $(wildcard labs/*/tests/test_*.c)
FUZZERS   := $(wildcard tests/fuzz/fuzz_*.c labs/*/tests/fuzz_*.c)
SCRIPTS   := $(shell git ls-files '*.sh' '*.bash' .ci/run 2>/dev/null)
STYLED    := $(shell git ls-files '*.c' '*.h' '*.cpp' 2>/dev/null)

CORE_TESTS   := $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(filter tests/unit/%,$(C_TESTS))) \
                $(patsubst tests/conformance/%.c,$(BUILD)/tests/%,$(filter tests/conformance/%,$(C_TESTS)))
tests_of      = $(patsubst labs/%.c,$(BUILD)/labs/%,$(filter labs/$(1)/tests/%,$(LAB_TESTS)))
UNIT_TESTS   := $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(filter tests/unit/%,$(C_TESTS))) \
                $(patsubst labs/%.c,$(BUILD)/labs/%,$(filter-out %/test_stores.c,$(LAB_TESTS)))
FUZZ_TARGETS := $(patsubst %.c,$(BUILD)/%,$(FUZZERS))

# ---- Everyday targets -----------------------------------------------------------------------------

core: ./twbench ## the default: build ./twbench, the core alone
all: core $(LABS) ## the core, and of each lab what its packages allow

ifeq ($(FLAVOUR),release)
./twbench: $(BUILD)/twbench
	$(Q)cp -f $< $@
else
core: $(BUILD)/twbench
.PHONY: ./twbench
endif

# make durable: the lab of that name, and the core that starts it.
$(foreach lab,$(LABS),$(eval $(lab): core $(filter %/twbench-$(lab),$(PROGRAMS)) $(EXTRAS_$(lab))))

help: ## this list
	@awk -F':.*## ' '/^[a-z-]+: .*## |^[a-z-]+: ## / { printf "  %-14s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST)) $(wildcard labs/*/lab.mk)
	@echo
	@echo "  Labs, each a target that builds it: $(LABS)"
	@echo "  Variables: CC, CFLAGS, FLAVOUR=release|asan|ubsan|tsan|coverage[-clang], WERROR=1, V=1,"
	@echo "             PREFIX, LIBDIR, DESTDIR, FUZZ_SECONDS, T=SUITE, LAB=NAME"

deps: ## install the Debian packages that make, make bench and make test of the core need
	$(Q)tools/deps.sh build bench test

bench: ## run the default comparison: tables, one page and pictures under results/
	$(Q)tools/deps.sh build bench
	$(Q)$(MAKE) core
	$(Q)tools/bench.sh

figures: all ## write what the catalogue of figures says into the schemas
	$(Q)tools/figures.py

reference: ## measure all that README.md and docs/ show, in one build, and write it there (two hours, one of them on a quiet machine)
	$(Q)tools/deps.sh build bench test 'labs/*'
	$(Q)$(MAKE) all
	$(Q)tools/reference.sh
	$(Q)tools/reference_pictures.sh
	$(Q)$(MAKE) pages

pages: all ## write the figures of README.md and docs/*.md, and the slides of docs/slides, from results/reference
	$(Q)tools/pages.py
	$(Q)tools/slides.py

# ---- Compiling ------------------------------------------------------------------------------------

# The word of the compiler and its flags: every object depends on it, so a change rebuilds them.
$(BUILD)/flags: FORCE
	@mkdir -p $(@D)
	@command -v $(firstword $(CC)) >/dev/null || { echo "no $(firstword $(CC)) here: 'make deps' installs what is needed"; exit 1; }
	@{ echo '$(COMPILE) $(SHAREABLE)'; $(CC) --version | head -n 1; } > $@.new
	@if cmp -s $@.new $@; then rm $@.new; else \
	    tools/headers.sh $(CC) && mv $@.new $@; fi

$(BUILD)/build_info.h: $(BUILD)/flags VERSION FORCE
	@tools/build_info.sh $@ '$(CC)' '$(LANGUAGE) $(CPPFLAGS) $(LAYOUT) $(CFLAGS) $(INSTRUMENT)' '$(PREFIX)' '$(LIBDIR)'

# What the core knows of labs: the rows of their lab.def, each with the lab's name.
$(BUILD)/labs.def: $(wildcard labs/*/lab.def) Makefile | $(BUILD)/flags
	@mkdir -p $(@D)
	@for def in $(wildcard labs/*/lab.def); do lab=$$(basename $$(dirname $$def)); \
	    sed -nE "s/^(COMMAND|FLAG|PLUGIN|KIND|DESIGN)\(/\1(\"$$lab\", /p; s/^LIST\(\)/LIST(\"$$lab\")/p" $$def; done >$@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@
# A lab that goes takes its rows along.
$(BUILD)/labs.def: $(if $(shell echo '$(LABS)' | cmp -s - $(BUILD)/labs.list || { mkdir -p $(BUILD); echo '$(LABS)' >$(BUILD)/labs.list; echo new; }),FORCE)
$(BUILD)/harness/command/labs.o $(BUILD)/harness/measure/designs/designs.o: $(BUILD)/labs.def

# Streams are drawn here, to the same bits on every processor (rng.h): no product is joined to a sum.
$(BUILD)/harness/base/%.o $(BUILD)/harness/measure/workload/%.o: private EXTRA = -ffp-contract=off

# The timed objects are those of libtwtimers too.  With its tables hidden, code that may lie anywhere in a shared
# library is the same, byte for byte, as that of a program.
SHAREABLE := -fPIC -fvisibility=hidden
$(BUILD)/impls/%.timed.o: private EXTRA = $(SHAREABLE)

# What is never timed is compiled in less time, what only prints or decides in the least: a third of the core's.  CFLAGS of
# the command line hold for all.
ifeq ($(KIND)$(origin CFLAGS),releasefile)
QUICK := $(filter-out %/judge.c %/model.c %/child.c %/rng.c %/samemath.c,$(wildcard $(addprefix src/harness/,\
    $(addsuffix /*.c,base prove $(addprefix measure/,designs stats)) \
    $(addsuffix .c,$(addprefix compare/,blocks calibration copies gate_time) \
        $(addprefix measure/run/,counters group hugepages job job_pool spawn) \
        $(addprefix measure/workload/,mix parameters spec textfile trace workload)))))
$(BUILD)/impls/%.counted.o $(QUICK:src/%.c=$(BUILD)/%.o) \
    $(foreach lab,advise fleet lab teach traces,$(BUILD)/labs/$(lab)/%.o): private CFLAGS += -Og
$(foreach room,command compare tell $(addprefix measure/,machine plan session),$(BUILD)/harness/$(room)/%.o): private CFLAGS += -O0
# What a test calls is; itself it need not be: a quarter of the time of -O2.
$(BUILD)/tests/unit/%.o $(foreach lab,$(LABS),$(BUILD)/labs/$(lab)/tests/%.o): private CFLAGS += -O0
# It counts the instructions of its own functions.
$(BUILD)/tests/unit/test_steps.o: private CFLAGS += -O2
endif

define compile
	$(Q)$(if $(V),,printf '  CC       %s\n' $@;) [ -d $(@D) ] || mkdir -p $(@D); $(COMPILE) $(1) -MMD -MP -c $< -o $@
endef
$(BUILD)/%.timed.o: src/%.c $(BUILD)/flags
	$(call compile)
$(BUILD)/%.counted.o: src/%.c $(BUILD)/flags
	$(call compile,-DTW_COUNTED)
$(BUILD)/%.o: src/%.c $(BUILD)/flags | $(BUILD)/build_info.h
	$(call compile)
$(BUILD)/labs/%.timed.o: labs/%.c $(BUILD)/flags
	$(call compile)
$(BUILD)/labs/%.o: labs/%.c $(BUILD)/flags | $(BUILD)/build_info.h
	$(call compile)
$(BUILD)/tests/%.o: tests/%.c $(BUILD)/flags | $(BUILD)/build_info.h
	$(call compile,-Itests)
$(BUILD)/labs/%.o: CPPFLAGS += $(if $(findstring /tests/,$@),-Itests)

# A binary looks for its workloads, plot scripts, the style of reports and the labs' programs beside itself.
$(BUILD)/twbench: $(OBJECTS) $(BUILD)/main.o
	$(call say,LINK,$@)
	$(Q)$(LINK) $^ $(LIBS) -o $@
	@for data in workloads plots report schema; do ln -sfn ../../$$data $(BUILD)/$$data; done

# Labs and tests link the library, so each takes only the objects that it calls.
$(BUILD)/libtwbench.a: $(OBJECTS)
	$(call say,AR,$@)
	@rm -f $@
	$(Q)$(AR) rcs $@ $^
.SECONDEXPANSION:
$(BUILD)/twbench-%: $(BUILD)/main.o $$(call objects_of,$$*) $(BUILD)/libtwbench.a
	$(call say,LINK,$@)
	$(Q)$(LINK) $(filter %.o,$^) $(BUILD)/libtwbench.a $(LIBS_$*) $(LIBS) -o $@
$(BUILD)/labs/%.a: $$(call objects_of,$$*)
	$(call say,AR,$@)
	@rm -f $@
	$(Q)$(AR) rcs $@ $^

$(BUILD)/tests/test_%: $(BUILD)/tests/unit/test_%.o $(BUILD)/libtwbench.a
	$(call say,LINK,$@)
	$(Q)$(LINK_TEST) $(filter %.o,$^) $(BUILD)/libtwbench.a $(LIBS) -lcmocka -o $@
$(BUILD)/tests/test_%: $(BUILD)/tests/conformance/test_%.o $(BUILD)/libtwbench.a
	$(call say,LINK,$@)
	$(Q)$(LINK_TEST) $(filter %.o,$^) $(BUILD)/libtwbench.a $(LIBS) -lcmocka -o $@
# A lab's test is build/FLAVOUR/labs/NAME/tests/test_X; it links the lab before the core.
lab_of = $(word 2,$(subst /labs/, ,$(subst /tests/, ,$(1))))
define link_lab_test
	$(call say,LINK,$@)
	$(Q)$(LINK_TEST) $(1) $(filter %.o,$^) $(filter %.a,$^) $(LIBS_$(call lab_of,$@)) $(LIBS) $(2) -o $@
endef
$(BUILD)/labs/%: $(BUILD)/labs/%.o $$(BUILD)/labs/$$(call lab_of,$$@).a $(BUILD)/libtwbench.a
	$(if $(findstring /fuzz_,$@),$(call link_lab_test,-fsanitize=fuzzer),$(call link_lab_test,,-lcmocka))

# What `init` writes is in the program.
$(BUILD)/harness/command/cmd_init.o: docs/skeleton.c src/impls/backend.h $(wildcard docs/ci/init/* docs/ci/*.json docs/ci/plugin-*)

# The design that people copy (docs/skeleton.c) is compiled as one, and put to the proof.
$(BUILD)/tests/conformance/test_walk.o: CPPFLAGS += -Isrc/impls
$(BUILD)/tests/test_skeleton: $(BUILD)/docs/skeleton.timed.o $(BUILD)/docs/skeleton.counted.o
$(BUILD)/docs/skeleton.%.o: docs/skeleton.c $(BUILD)/flags
	$(call compile,$(if $(filter counted,$*),-DTW_COUNTED) -Isrc/impls)
$(BUILD)/tests/fuzz/fuzz_%: $(BUILD)/tests/fuzz/fuzz_%.o $(BUILD)/libtwbench.a
	$(call say,LINK,$@)
	$(Q)$(LINK_TEST) -fsanitize=fuzzer $^ $(LIBS) -o $@

# For bash, zsh and fish, by the names under which each of them looks for what completes twbench.
COMPLETIONS := $(addprefix $(BUILD)/completions/,twbench _twbench twbench.fish)
completions: $(COMPLETIONS) ## write the completions of shells from the flags of core and labs
$(BUILD)/completions/twbench: SHELL_NAME := bash
$(BUILD)/completions/_twbench: SHELL_NAME := zsh
$(BUILD)/completions/twbench.fish: SHELL_NAME := fish
$(COMPLETIONS): tools/completions.pl $(BUILD)/twbench $(wildcard $(PROGRAMS))
	@mkdir -p $(@D)
	$(Q)perl tools/completions.pl $(BUILD)/twbench $(SHELL_NAME) >$@

# Without this, make would delete the tests' objects as intermediate files and compile them again.
.SECONDARY:
-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)

# ---- Tests ----------------------------------------------------------------------------------------

# What `make test` runs, as tests/run.sh takes it: the core's, then each lab's; the longest first, so that none is left
# over at the end.  SLOW, and a lab's SLOW_NAME, cost more than everybody should wait for: CI runs them (`make test-slow`),
# and `make test LAB=NAME` that lab's.  DEEP, and DEEP_NAME, are for `make test-all`.  `make test T=` runs any.
# Some suites do more with DEPTH=all.
SLOW := tests/cli/plugins.bats tests/cli/plugins_failing.bats tests/cli/compare_plugins.bats tests/cli/compare_programs.bats \
        tests/cli/readme_table.bats tests/faults/wrapped.sh tests/users/ci_of_another_repository.bats tests/identity.sh \
        tests/pages.sh tests/pictures.sh tests/schema.sh tests/faults/run.sh tests/cli/interrupted.bats tests/users/plugin_author.bats \
        $(BUILD)/tests/test_gate_time
DEEP := $(filter %/test_growth_classes,$(CORE_TESTS)) tests/packages.sh tests/reference.sh \
        tests/ci.sh tests/fuzz.sh tests/misses.sh tests/floors_selftest.sh tests/exports.sh tests/adding.sh tests/figure.sh \
        tests/cli/drive.bats tests/labs_deletable.sh
CORE_SUITES = $(CORE_TESTS) tests/faults/run.sh tests/faults/wrapped.sh $(wildcard tests/cli/*.bats tests/users/*.bats) \
         tests/schema.sh tests/doc_commands.py tests/references.py tests/selftest_format.sh \
         tests/pages.sh tests/pictures.sh tests/identity.sh tests/compiled.sh tests/floors.sh tests/workload_language.sh \
         tests/packages.sh tests/reference.sh tests/ci.sh tests/fuzz.sh tests/misses.sh tests/floors_selftest.sh \
         tests/exports.sh tests/adding.sh tests/figure.sh tests/labs_deletable.sh
lab_suites = $(call tests_of,$(1)) $(wildcard labs/$(1)/tests/*.bats) $(SUITES_$(1))
ALL_SUITES = $(if $(LAB),$(call lab_suites,$(LAB)),$(CORE_SUITES) $(foreach lab,$(LABS),$(call lab_suites,$(lab))))
ALL_SLOW   = $(SLOW) $(foreach lab,$(LABS),$(SLOW_$(lab)))
ALL_DEEP   = $(DEEP) $(foreach lab,$(LABS),$(DEEP_$(lab)))
CHOSEN     = $(if $(T),$(foreach suite,$(ALL_SUITES),$(if $(findstring $(T),$(notdir $(suite))),$(suite))),\
               $(if $(DEPTH),$(ALL_SUITES),$(filter-out $(ALL_DEEP) $(if $(LAB),,$(ALL_SLOW)),$(ALL_SUITES))))

# The labs of the suites that run: of one suite its own, if it is a lab's.
TESTED = $(foreach lab,$(LABS),$(if $(findstring labs/$(lab)/,$(CHOSEN)),$(lab)))
test: ## install what is missing, build, prove everything that matters; T=NAME one suite, LAB=NAME one lab's
	$(Q)[ -n "$(strip $(CHOSEN))" ] || { echo "no suite '$(T)'$(LAB:%= in the lab '%'), nothing to run"; exit 1; }
	$(Q)tools/deps.sh build bench test $(TESTED:%=labs/%)
	$(Q)$(MAKE) core $(if $(T)$(LAB),$(TESTED),all) $(filter $(BUILD)/%,$(CHOSEN))
	$(Q)$(MAKE) run-tests

test-core: ## the same of the core alone: no lab is built, and none is missed
	$(Q)tools/deps.sh build bench test
	$(Q)$(MAKE) core $(CORE_TESTS)
	$(Q)$(MAKE) run-tests LABS=

test-slow: ## the suites of core and labs that `make test` leaves to CI
	$(Q)tools/deps.sh build bench test 'labs/*'
	$(Q)$(MAKE) all $(filter $(BUILD)/%,$(ALL_SLOW))
	$(Q)$(MAKE) run-tests T= CHOSEN="$(ALL_SLOW)"

test-all: export DEPTH := all
test-all: ## every test at its full depth, sanitizers and fuzzers among them (half an hour)
	$(Q)tools/deps.sh build bench test 'labs/*'
	$(Q)tools/deps.sh package 'labs/*/fleet' 'labs/*/record' || echo "package, fleet, record: what is missing is skipped"
	$(Q)$(MAKE) all tests
	$(Q)$(MAKE) FLAVOUR=fuzz unit-tests fuzzers
	$(Q)$(MAKE) run-tests FUZZ_SECONDS=5
	$(Q)$(MAKE) sanitized test-cross

tests: $(CORE_TESTS) $(foreach lab,$(LABS),$(call tests_of,$(lab)))
unit-tests: $(UNIT_TESTS)
fuzzers: $(FUZZ_TARGETS)

run-tests:
	$(Q)TWBENCH=$(CURDIR)/twbench FUZZ_SECONDS=$(FUZZ_SECONDS) LIMIT_SECONDS=$(if $(DEPTH),3600,1800) tests/run.sh $(CHOSEN)

sanitized: ## the unit tests under the sanitizers, compiled as the fuzzers are
	$(Q)tools/deps.sh build test 'labs/*'
	$(Q)$(MAKE) FLAVOUR=fuzz unit-tests
	$(Q)LIMIT_SECONDS=900 tests/run.sh $(UNIT_TESTS:build/release/%=build/fuzz/%)

asan: ## unit and conformance tests under the address and undefined-behaviour sanitizers
	$(Q)$(MAKE) FLAVOUR=asan run-flavour
ubsan: ## the same under the undefined-behaviour sanitizer of clang
	$(Q)$(MAKE) FLAVOUR=ubsan-clang run-flavour
tsan: ## the same under the thread sanitizer
	$(Q)$(MAKE) FLAVOUR=tsan run-flavour
	$(Q)LIMIT_SECONDS=1800 tests/run.sh $(TSAN_SUITES)
run-flavour: all tests
	$(Q)LIMIT_SECONDS=1800 tests/run.sh $(CORE_TESTS) $(foreach lab,$(LABS),$(call tests_of,$(lab)))

fuzz: ## run each fuzz target for FUZZ_SECONDS (default 30)
	$(Q)tools/deps.sh build test
	$(Q)$(MAKE) FLAVOUR=fuzz fuzzers
	$(Q)FUZZ_SECONDS=$(FUZZ_SECONDS) LIMIT_SECONDS=86400 tests/run.sh tests/fuzz.sh

test-timing: ## what only times can show, beside a control; a machine that is not quiet is inconclusive (ten minutes)
	$(Q)tools/deps.sh build bench test
	$(Q)$(MAKE) core $(filter advise,$(LABS))
	$(Q)TWBENCH=$(CURDIR)/twbench LIMIT_SECONDS=3600 tests/run.sh tests/timing/timing.bats

test-report: ## open reports in a headless Chromium: figures, sorting, layout, contrast, console
	$(Q)tools/deps.sh build bench report 'labs/*'
	$(Q)$(MAKE) all
	$(Q)TWBENCH=$(CURDIR)/twbench LIMIT_SECONDS=1200 tests/run.sh tests/browser/report_page.py

cross: ## build for another processor: make cross ARCH=aarch64|riscv64|s390x|i386 (build/cross/ARCH)
	$(Q)tools/deps.sh build cross
	$(Q)MAKEFLAGS=-j$(shell nproc) tools/cross.sh $(ARCH)

test-cross: ## streams, digests and counts of s390x (big-endian) under qemu are those here; DEPTH=all: four processors
	$(Q)tools/deps.sh build cross || echo "cross: what is missing is skipped"
	$(Q)$(MAKE) core
	$(Q)TWBENCH=$(CURDIR)/twbench LIMIT_SECONDS=$(if $(DEPTH),7200,1200) tests/run.sh tests/cross.sh labs/live/tests/cross.sh

test-container: ## build the image of Containerfile and run it, without a registry (root, Debian's mirror)
	$(Q)tools/deps.sh container
	$(Q)LIMIT_SECONDS=3600 tests/run.sh tests/container.sh

faults: export DEPTH := all
faults: ## prove that each planted fault is caught, those of the labs too
	$(Q)tools/deps.sh build test 'labs/*'
	$(Q)$(MAKE) all
	$(Q)TWBENCH=$(CURDIR)/twbench LIMIT_SECONDS=900 tests/run.sh tests/faults/run.sh tests/faults/wrapped.sh $(foreach lab,$(LABS),$(FAULTS_$(lab)))

coverage: ## line coverage of the unit, conformance and command-line tests
	$(Q)tools/deps.sh build test coverage 'labs/*'
	$(Q)$(MAKE) FLAVOUR=coverage run-coverage
run-coverage: all tests
	$(Q)find $(BUILD) -name '*.gcda' -delete
	$(Q)LIMIT_SECONDS=1800 TWBENCH=$(CURDIR)/$(BUILD)/twbench tests/run.sh $(CORE_TESTS) $(foreach lab,$(LABS),$(call tests_of,$(lab))) --alone $(wildcard tests/cli/*.bats)
	$(Q)gcovr --root . --filter src/ --object-directory $(BUILD) --html-details $(BUILD)/index.html --print-summary
	@echo "$(BUILD)/index.html has the lines"

check: ## fast: floors, style, static analysis of what changed, unit tests
	$(Q)tools/deps.sh build test check 'labs/*'
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

# ---- Style and static analysis --------------------------------------------------------------------

# Stamps depend on the objects, so that a changed header brings its users under analysis again.
TIDIED := $(patsubst %.o,%.tidy,$(OBJECTS) $(BUILD)/main.o $(foreach lab,$(LABS),$(call objects_of,$(lab)) $(TIDIED_$(lab))))
tidy: $(filter-out %.counted.tidy %.proved.tidy,$(TIDIED)) ## clang-tidy on what changed since it last passed
TIDY = clang-tidy --quiet --warnings-as-errors='*' $< -- $(LANGUAGE) -I$(BUILD) $(EXTRA) 2> >(grep -v 'warnings\? generated' >&2)
define tidied
	$(call say,TIDY,$<)
	$(Q)$(TIDY)
	@touch $@
endef
$(BUILD)/%.timed.tidy: src/%.c $(BUILD)/%.timed.o .clang-tidy
	$(call tidied)
$(BUILD)/%.tidy: src/%.c $(BUILD)/%.o .clang-tidy
	$(call tidied)
$(BUILD)/labs/%.timed.tidy: labs/%.c $(BUILD)/labs/%.timed.o .clang-tidy
	$(call tidied)
$(BUILD)/labs/%.tidy: labs/%.c $(BUILD)/labs/%.o .clang-tidy
	$(call tidied)

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
LIBEXEC := $(DESTDIR)$(LIBDIR)/twbench
INCLUDE := $(DESTDIR)$(PREFIX)/include
BASH_COMPLETIONS := $(PREFIX)/share/bash-completion/completions
ZSH_COMPLETIONS  := $(PREFIX)/share/zsh/site-functions
FISH_COMPLETIONS := $(PREFIX)/share/fish/vendor_completions.d

manual: core ## write docs/man/twbench.1 from twbench.1.in and the table of flags
	$(Q)tools/manual.sh ./twbench >docs/man/twbench.1.new && mv docs/man/twbench.1.new docs/man/twbench.1

# What completes a command line is made when all that has commands is there.
install: all ## install core and labs under DESTDIR/PREFIX
	$(Q)$(MAKE) install-core $(LABS:%=install-%)

install-core: core $(COMPLETIONS) ## the core alone: binary, workloads, plot scripts, style, schemas, man page, completions, header, plugins to copy
	$(Q)install -D -m 755 $(BUILD)/twbench "$(DESTDIR)$(PREFIX)/bin/twbench"
	$(Q)install -D -m 644 docs/man/twbench.1 "$(DESTDIR)$(PREFIX)/share/man/man1/twbench.1"
	$(Q)install -D -m 644 src/impls/backend.h "$(INCLUDE)/twbench/backend.h"
	$(Q)install -d "$(SHARE)/plugins" "$(SHARE)/workloads/traces" "$(SHARE)/plots" "$(SHARE)/report" "$(SHARE)/schema" "$(LIBEXEC)"
	$(Q)install -m 644 docs/skeleton.c docs/plugins/wheel.c docs/plugins/priority_queue.cpp "$(SHARE)/plugins"
	$(Q)install -m 644 workloads/*.json "$(SHARE)/workloads"
	$(Q)install -m 644 workloads/traces/*.tt.xz "$(SHARE)/workloads/traces"
	$(Q)install -m 644 plots/*.gp "$(SHARE)/plots"
	$(Q)install -m 644 report/report.css report/report.js "$(SHARE)/report"
	$(Q)install -m 644 schema/*.json "$(SHARE)/schema"
	$(Q)install -D -m 644 $(BUILD)/completions/twbench "$(DESTDIR)$(BASH_COMPLETIONS)/twbench"
	$(Q)install -D -m 644 $(BUILD)/completions/_twbench "$(DESTDIR)$(ZSH_COMPLETIONS)/_twbench"
	$(Q)install -D -m 644 $(BUILD)/completions/twbench.fish "$(DESTDIR)$(FISH_COMPLETIONS)/twbench.fish"

# A lab's program, its plot scripts and schemas; what else it has, its lab.mk installs (install-NAME::).
$(LABS:%=install-%):: install-%: core %
	$(Q)install -d "$(LIBEXEC)" "$(SHARE)/plots" "$(SHARE)/schema"
	$(Q)$(if $(filter %/twbench-$*,$(PROGRAMS)),install -m 755 $(BUILD)/twbench-$* "$(LIBEXEC)/twbench-$*")
	$(Q)$(foreach gp,$(wildcard labs/$*/plots/*.gp),install -m 644 $(gp) "$(SHARE)/plots";)
	$(Q)$(foreach json,$(wildcard labs/$*/schema/*.json),install -m 644 $(json) "$(SHARE)/schema";)

uninstall: ## remove what install put there
	$(Q)rm -f "$(DESTDIR)$(BASH_COMPLETIONS)/twbench" "$(DESTDIR)$(ZSH_COMPLETIONS)/_twbench" "$(DESTDIR)$(FISH_COMPLETIONS)/twbench.fish"
	$(Q)rm -f "$(DESTDIR)$(PREFIX)/bin/twbench" "$(DESTDIR)$(PREFIX)/share/man/man1/twbench.1"
	$(Q)rm -f "$(DESTDIR)$(LIBDIR)/libtwtimers."* "$(DESTDIR)$(LIBDIR)/pkgconfig/twtimers.pc"
	$(Q)rm -f "$(DESTDIR)$(LIBDIR)/libtwlog."* "$(DESTDIR)$(LIBDIR)/pkgconfig/twlog.pc" "$(INCLUDE)/twlog.h" "$(DESTDIR)$(PREFIX)/share/man/man3/twlog.3"
	$(Q)rm -rf "$(SHARE)" "$(LIBEXEC)" "$(INCLUDE)/twbench" "$(INCLUDE)/twtimers"

# A copy of the sources is built, so that no object of ours gets into a package, nor the folder's name.
deb: ## build Debian packages into build/deb
	$(Q)tools/deps.sh build package 'labs/*/build'
	$(Q)tools/deb.sh build/deb

clean: ## remove everything that was built
	$(Q)rm -rf build twbench

FORCE:
.PHONY: FORCE core all help deps bench figures reference pages completions test test-core test-slow test-all test-timing tests unit-tests fuzzers \
        run-tests sanitized asan ubsan tsan run-flavour fuzz test-report cross test-cross test-container faults coverage \
        run-coverage check check-all tidy format format-check shellcheck werror manual install install-core uninstall deb clean \
        $(LABS) $(LABS:%=install-%)
