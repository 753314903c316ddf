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
LIBDIR  ?= $(PREFIX)/lib
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

KINDS := release asan ubsan tsan coverage fuzz cross
ifeq ($(filter $(KIND),$(KINDS)),)
$(error FLAVOUR=$(FLAVOUR): expected one of $(KINDS), with or without -clang)
endif

CHECKED          := -O1 -g -fno-omit-frame-pointer -fno-sanitize-recover=all
CFLAGS_release   := -O2 -g
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

# Each is a design in a shared object of its own, built when its source and its package's header are here and WITHOUT
# does not name it
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
LIBRARIES_HERE := $(foreach name,$(filter-out $(WITHOUT),$(LIBRARIES)),$(if $(and $(wildcard src/libraries/$(name).c src/libraries/$(name).cpp),\
                    $(wildcard /usr/include/$(HEADER_$(name)) /usr/include/*/$(HEADER_$(name)))),$(name)))
# What the libraries share is linked into each of them.
LIBRARY_PARTS  := $(filter-out $(LIBRARIES:%=src/libraries/%.c) src/libraries/module.c,$(wildcard src/libraries/*.c))

# ---- Stores ---------------------------------------------------------------------------------------

# What stands behind a library or a server is a module, built when its source and the header are here
# (src/stores/stores.def has the packages): the header, how to compile and to link with it, and which other files of
# src/stores it shares with modules (STORE_PARTS).  Every other file there is in the program, and so are the parts that its
# own stores use, too (PARTS_program).
HEADER_redis_wheel := hiredis/hiredis.h
LINK_redis_wheel   := -lhiredis
PARTS_redis_wheel  := redis_server store_directory store_flusher store_payloads store_server store_set
HEADER_redis_zset  := hiredis/hiredis.h
LINK_redis_zset    := -lhiredis
PARTS_redis_zset   := redis_server store_directory store_flusher store_payloads store_server
HEADER_sqlite      := sqlite3.h
LINK_sqlite        := -lsqlite3
PARTS_sqlite       := store_company store_directory store_flusher store_group store_ordered store_payloads store_set store_writer
HEADER_lmdb        := lmdb.h
LINK_lmdb          := -llmdb
PARTS_lmdb         := $(PARTS_sqlite)
HEADER_rocksdb     := rocksdb/c.h
LINK_rocksdb       := -lrocksdb
PARTS_rocksdb      := store_directory store_flusher store_ordered store_payloads store_set
HEADER_beanstalkd  := sys/socket.h
LINK_beanstalkd    :=
PARTS_beanstalkd   := store_directory store_payloads store_server store_set

PARTS_program      := store_company store_group

STORE_MODULES := redis_wheel redis_zset sqlite lmdb rocksdb beanstalkd
STORES_HERE   := $(foreach name,$(filter-out $(WITHOUT),$(STORE_MODULES)),$(if $(and $(wildcard src/stores/$(name).c),\
                   $(wildcard /usr/include/$(HEADER_$(name)) /usr/include/*/$(HEADER_$(name)))),$(name)))
STORE_PARTS   := $(sort $(foreach name,$(STORE_MODULES),$(PARTS_$(name))))

# What stands between a store and the disk while it is proved (src/disk/disk.h).
DISK_LAYER := $(BUILD)/disk_layer.so

# ---- Files ----------------------------------------------------------------------------------------

# A design is compiled twice, timed and counted (src/impls/backend.h), and a runner timed and proved
# (src/runners/runner.h); everything else once.
DESIGNS  := $(filter-out src/impls/registry.c,$(wildcard src/impls/*.c))
RUNNERS  := $(filter-out src/runners/runner_registry.c,$(wildcard src/runners/*.c))
STORES   := $(filter-out $(STORE_MODULES:%=src/stores/%.c) $(patsubst %,src/stores/%.c,$(filter-out $(PARTS_program),$(STORE_PARTS))) src/stores/store_module.c,\
              $(wildcard src/stores/*.c))
HARNESS  := $(wildcard src/harness/*/*.c src/harness/*/*/*.c)
OBJECTS  := $(DESIGNS:src/%.c=$(BUILD)/%.timed.o) $(DESIGNS:src/%.c=$(BUILD)/%.counted.o) \
            $(RUNNERS:src/%.c=$(BUILD)/%.timed.o) $(RUNNERS:src/%.c=$(BUILD)/%.proved.o) \
            $(BUILD)/taken.o $(BUILD)/impls/registry.o $(BUILD)/runners/runner_registry.o $(BUILD)/libraries/answer.o $(STORES:src/%.c=$(BUILD)/%.o) $(HARNESS:src/%.c=$(BUILD)/%.o)
MODULES  := $(LIBRARIES_HERE:%=$(BUILD)/libraries/%.so)
STORE_OBJECTS := $(STORES_HERE:%=$(BUILD)/stores/%.so)
C_TESTS  := $(wildcard tests/unit/test_*.c tests/conformance/test_*.c)
FUZZERS  := $(wildcard tests/fuzz/fuzz_*.c)
SCRIPTS  := $(wildcard tools/*.sh tools/fleet/* tools/*/*.sh tools/*/*.bash tests/*.sh tests/*/*.sh tests/*.bash tests/*/*.bash originals/*.sh .ci/run)
STYLED   := $(wildcard src/*.[ch] src/impls/*.[ch] src/runners/*.[ch] src/twtimers/*.[ch] src/stores/*.[ch] src/disk/*.[ch] src/libraries/*.[ch] src/libraries/*.cpp src/harness/*/*.[ch] src/harness/*/*/*.[ch] tests/*/*.[ch] docs/*.c tools/*.c docs/plugins/*.c docs/plugins/*.cpp docs/examples/*.c playground/*.[ch])

UNIT_TESTS        := $(patsubst tests/unit/%.c,$(BUILD)/tests/%,$(filter tests/unit/%,$(C_TESTS)))
CONFORMANCE_TESTS := $(patsubst tests/conformance/%.c,$(BUILD)/tests/%,$(filter tests/conformance/%,$(C_TESTS)))
FUZZ_TARGETS      := $(FUZZERS:tests/fuzz/%.c=$(BUILD)/tests/%)

# ---- Everyday targets -----------------------------------------------------------------------------

all: ./twbench modules $(if $(filter release,$(KIND)),lib completions) ## build ./twbench, and each library and store whose package is here
ifeq ($(FLAVOUR),release)
./twbench: $(BUILD)/twbench
	$(Q)cp -f $< $@
else
all: $(BUILD)/twbench
.PHONY: ./twbench
endif

modules: $(MODULES) $(STORE_OBJECTS) $(DISK_LAYER)

help: ## this list
	@awk -F':.*## ' '/^[a-z-]+: .*## |^[a-z-]+: ## / { printf "  %-14s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))
	@echo
	@echo "  Variables: CC, CFLAGS, FLAVOUR=release|asan|ubsan|tsan|coverage[-clang], WERROR=1, V=1,"
	@echo "             PREFIX, LIBDIR, DESTDIR, FUZZ_SECONDS, WITHOUT='dpdk rocksdb'"

deps: ## install the Debian packages that make, make bench and make test need
	$(Q)tools/deps.sh build bench test

bench: ## run the default comparison; tables here, JSON and pictures under results/
	$(Q)tools/deps.sh build bench
	$(Q)$(MAKE) all
	$(Q)tools/bench.sh

figures: all ## write what the catalogue of figures says into the schemas and docs/RESULT-FORMAT.md
	$(Q)tools/figures.py

reference: ## measure all that README.md and docs/ show, in one build, and write it there (24 minutes, 22 of them on a quiet machine)
	$(Q)tools/deps.sh build bench test
	$(Q)$(MAKE) all
	$(Q)tools/reference.sh
	$(Q)tools/reference_pictures.sh
	$(Q)$(MAKE) pages

pages: all ## write the figures of README.md and docs/*.md from results/reference
	$(Q)tools/pages.py

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
	$(Q)tools/deps.sh fleet record package || echo "fleet, record, package: what is missing is skipped"
	$(Q)$(MAKE) all tests
	$(Q)$(MAKE) FLAVOUR=fuzz unit-tests fuzzers
	$(Q)$(MAKE) test-cross
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
	@{ echo '$(COMPILE) $(SHAREABLE)'; $(CC) --version | head -n 1; } > $@.new
	@if cmp -s $@.new $@; then rm $@.new; else \
	    tools/headers.sh $(CC) && mv $@.new $@; fi

$(BUILD)/build_info.h: $(BUILD)/flags VERSION FORCE
	@tools/build_info.sh $@ '$(CC)' '$(LANGUAGE) $(CPPFLAGS) $(LAYOUT) $(CFLAGS) $(INSTRUMENT)' '$(PREFIX)' '$(LIBDIR)'

# Streams are drawn here, to the same bits on every processor (samemath.h): no product is joined to a sum.
$(BUILD)/harness/base/%.o $(BUILD)/harness/measure/workload/%.o: private EXTRA = -ffp-contract=off

# The timed objects are those of libtwtimers too.  With its tables hidden, code that may lie anywhere in a shared
# library is the same, byte for byte, as that of a program.
SHAREABLE := -fPIC -fvisibility=hidden
$(BUILD)/impls/%.timed.o $(BUILD)/runners/%.timed.o $(BUILD)/twtimers/twtimers.o: private EXTRA = $(SHAREABLE)
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
# What `twbench take` gives away, as text: made from the designs and runners, so that it cannot differ from them.
$(BUILD)/taken.c: tools/taken.pl VERSION LICENSE src/impls/registry.def src/runners/registry.def $(DESIGNS) $(RUNNERS) $(wildcard src/impls/*.h src/runners/*.h tools/take/*.in)
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

$(BUILD)/disk/disk_layer.o $(BUILD)/disk/disk_layer.tidy: private EXTRA = -fPIC
$(DISK_LAYER): $(BUILD)/disk/disk_layer.o
	$(call say,LINK,$@)
	$(Q)$(LINK) -shared $^ -o $@

# A store's module: its file, the parts that it shares with others, and the symbol to find it by.
$(STORE_MODULES:%=$(BUILD)/stores/%.o) $(STORE_MODULES:%=$(BUILD)/stores/%.tidy) $(STORE_PARTS:%=$(BUILD)/stores/%.o) \
    $(STORE_PARTS:%=$(BUILD)/stores/%.tidy): private EXTRA = -fPIC
$(BUILD)/stores/%.module.o: src/stores/store_module.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(Q)$(COMPILE) -fPIC -DTW_MODULE=$* -MMD -MP -c $< -o $@
$(foreach name,$(STORE_MODULES),$(eval $(BUILD)/stores/$(name).so: $(PARTS_$(name):%=$(BUILD)/stores/%.o)))
# A part that is missing from its list is an error here, not when the module is loaded; instrumented code has its
# runtime in the program.
$(BUILD)/stores/%.so: $(BUILD)/stores/%.o $(BUILD)/stores/%.module.o
	$(call say,LINK,$@)
	$(Q)$(LINK) -shared $(if $(INSTRUMENT),,-Wl$(comma)-z$(comma)defs) $^ $(LINK_$*) -o $@

# A binary looks for its workloads, experiments, plot scripts and the style of reports beside itself.
$(BUILD)/twbench: $(OBJECTS) $(BUILD)/main.o
	$(call say,LINK,$@)
	$(Q)$(LINK) $^ $(LIBS) -o $@
	@for data in workloads claims plots report; do ln -sfn ../../$$data $(BUILD)/$$data; done

# libtwtimers: the designs and runners for programs that link them.  Its version is that of the two contracts, because
# a program reads their tables.  The static one is a single object in which all that is hidden has become local.
LIB_VERSION = $(shell sed -nE 's/^.define TW_(RUNNER_)?ABI_VERSION ([0-9]+)u$$/\2/p' src/impls/backend.h src/runners/runner.h | paste -sd.)
LIB_SHARED  = libtwtimers.so.$(LIB_VERSION)
LIB_OBJECTS := $(DESIGNS:src/%.c=$(BUILD)/%.timed.o) $(RUNNERS:src/%.c=$(BUILD)/%.timed.o) $(BUILD)/twtimers/twtimers.o

# For bash, zsh and fish, by the names under which each of them looks for what completes twbench.
COMPLETIONS := $(addprefix $(BUILD)/completions/,twbench _twbench twbench.fish)
completions: $(COMPLETIONS) ## write the completions of shells from the table of flags
$(BUILD)/completions/twbench: SHELL_NAME := bash
$(BUILD)/completions/_twbench: SHELL_NAME := zsh
$(BUILD)/completions/twbench.fish: SHELL_NAME := fish
$(COMPLETIONS): tools/completions.pl $(BUILD)/twbench $(MODULES)
	@mkdir -p $(@D)
	$(Q)perl tools/completions.pl $(BUILD)/twbench $(SHELL_NAME) >$@

lib: $(BUILD)/libtwtimers.so $(BUILD)/libtwtimers.a $(BUILD)/twtimers.pc $(BUILD)/include/twtimers/twtimers.h ## build libtwtimers, static and shared, with headers and pkg-config file
$(BUILD)/libtwtimers.so: $(LIB_OBJECTS)
	$(call say,LINK,$@)
	$(Q)$(LINK) -shared -Wl,-soname,$(LIB_SHARED) $(if $(INSTRUMENT),,-Wl$(comma)-z$(comma)defs) $^ -pthread -o $@
$(BUILD)/libtwtimers.a: $(LIB_OBJECTS)
	$(call say,AR,$@)
	$(Q)$(CC) -r -nostdlib $^ -o $(BUILD)/libtwtimers.o
	$(Q)objcopy --localize-hidden $(BUILD)/libtwtimers.o
	$(Q)rm -f $@ && $(AR) rcs $@ $(BUILD)/libtwtimers.o
$(BUILD)/twtimers.pc: tools/twtimers.pc.in VERSION FORCE
	@mkdir -p $(@D)
	$(Q)sed 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(LIBDIR)|; s|@VERSION@|'"$$(cat VERSION)"'|' $< >$@
$(BUILD)/include/twtimers/twtimers.h: tools/taken.pl VERSION src/impls/backend.h src/runners/runner.h src/twtimers/twtimers.h
	@mkdir -p $(@D)
	$(Q)perl tools/taken.pl --headers $(@D)

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
# It loads the stores that lie beside it.
$(BUILD)/tests/test_stores: | $(STORE_OBJECTS) $(BUILD)/tests/stores
$(BUILD)/tests/stores:
	@mkdir -p $(@D)
	$(Q)ln -sfn ../stores $@
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
SUITES = $(filter-out $(DEEP_CONFORMANCE),$(CONFORMANCE_TESTS)) tests/faults/run.sh tests/faults/runners.sh tests/faults/stores.sh $(filter-out $(DEEP_SUITES),$(wildcard tests/cli/*.bats tests/users/*.bats)) \
         tests/golden.sh tests/ablation.sh tests/schema.sh tests/doc_commands.py tests/references.py tests/claims_format.sh tests/advice_format.sh tests/selftest_format.sh \
         tests/limits_format.sh tests/stores_format.sh tests/pages.sh tests/pictures.sh tests/identity.sh tests/compiled.sh tests/floors.sh tests/workload_language.sh $(UNIT_TESTS)
# Those of the conformance tests that cost much and have a cheaper one: counts per class of growth, runners one by one.
DEEP_CONFORMANCE = $(filter %/test_growth_classes %/test_runners,$(CONFORMANCE_TESTS))
# What `make test-all` runs besides.  The unit tests run under the sanitizers too, compiled as the fuzzers are: one tree
# is enough for both.
DEEP_SUITES = $(DEEP_CONFORMANCE) tests/libraries.sh tests/cli/selftest_record.bats tests/fleet/slurm.sh tests/fleet/ssh.sh tests/packages.sh tests/originals.sh tests/reference.sh tests/ci.sh tests/lessons.sh tests/fuzz.sh tests/misses.sh tests/floors_selftest.sh tests/exports.sh \
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
	$(Q)TWBENCH=$(CURDIR)/twbench LIMIT_SECONDS=1200 tests/run.sh tests/browser/report_page.py

playground: ## one page on which the designs run in the browser: build/playground.html
	$(Q)tools/deps.sh build playground
	$(Q)$(MAKE) all build/playground/digests
	$(Q)tools/playground.py build/playground.html ./twbench

# What the page's designs answer, natively.
build/playground/digests: playground/worlds.c playground/digests.c playground/worlds.h $(BUILD)/libtwbench.a
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(COMPILE) -I. playground/worlds.c playground/digests.c $(BUILD)/libtwbench.a $(LIBS) -o $@

test-playground: playground ## the playground in a headless Chromium: digests as native ones, tours, keys, phone, dark
	$(Q)tools/deps.sh report
	$(Q)LIMIT_SECONDS=1200 tests/run.sh tests/playground.sh

cross: ## build for another processor: make cross ARCH=aarch64|riscv64|s390x|i386 (build/cross/ARCH)
	$(Q)tools/deps.sh build cross
	$(Q)MAKEFLAGS=-j$(shell nproc) tools/cross.sh $(ARCH)

test-libraries: ## the real libraries as designs: conformance, the oracle, their planted faults
	$(Q)tools/deps.sh build bench test
	$(Q)$(MAKE) all
	$(Q)TWBENCH=$(CURDIR)/twbench LIMIT_SECONDS=900 tests/run.sh tests/libraries.sh

prove-stores: ## each store killed a thousand times under each policy, in every state of a disk: a quarter of an hour (STORES="sqlite lmdb")
	$(Q)tools/deps.sh build test
	$(Q)$(MAKE) all
	$(Q)TWBENCH=$(CURDIR)/twbench STORES="$(STORES)" LIMIT_SECONDS=36000 tests/run.sh tests/store_proofs.sh

test-cross: ## streams, digests and counts of s390x (big-endian) under qemu are those here; DEPTH=all: four processors
	$(Q)tools/deps.sh build cross || echo "cross: what is missing is skipped"
	$(Q)$(MAKE) all
	$(Q)TWBENCH=$(CURDIR)/twbench LIMIT_SECONDS=$(if $(DEPTH),7200,1200) tests/run.sh tests/cross.sh

test-container: ## build the image of Containerfile and run it, without a registry (root, Debian's mirror)
	$(Q)tools/deps.sh container
	$(Q)LIMIT_SECONDS=3600 tests/run.sh tests/container.sh

faults: export DEPTH := all
faults: ## prove that each planted fault is caught, those of libraries too
	$(Q)tools/deps.sh build test
	$(Q)$(MAKE) all
	$(Q)TWBENCH=$(CURDIR)/twbench LIBRARY_FAULTS=1 LIMIT_SECONDS=900 tests/run.sh tests/faults/run.sh tests/faults/runners.sh tests/faults/stores.sh tests/libraries.sh

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
          $(LIBRARY_PARTS:src/%.c=$(BUILD)/%.tidy) $(STORES:src/%.c=$(BUILD)/%.tidy) $(patsubst %,$(BUILD)/stores/%.tidy,$(STORES_HERE) $(STORE_PARTS)) \
          $(patsubst src/%.c,$(BUILD)/%.tidy,src/impls/registry.c src/runners/runner_registry.c src/twtimers/twtimers.c $(HARNESS) $(wildcard src/main.c))
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
INCLUDE := $(DESTDIR)$(PREFIX)/include
BASH_COMPLETIONS := $(PREFIX)/share/bash-completion/completions
ZSH_COMPLETIONS  := $(PREFIX)/share/zsh/site-functions
FISH_COMPLETIONS := $(PREFIX)/share/fish/vendor_completions.d

manual: all ## write docs/man/twbench.1 from twbench.1.in and the table of flags
	$(Q)tools/manual.sh ./twbench >docs/man/twbench.1.new && mv docs/man/twbench.1.new docs/man/twbench.1

install: all ## install under DESTDIR/PREFIX: binary, libtwtimers, libraries, stores, workloads, claims, plot scripts, style, schema, man page, completions, headers, plugins to copy, examples
	$(Q)install -D -m 755 $(BUILD)/twbench "$(DESTDIR)$(PREFIX)/bin/twbench"
	$(Q)install -D -m 644 docs/man/twbench.1 "$(DESTDIR)$(PREFIX)/share/man/man1/twbench.1"
	$(Q)install -D -m 644 src/impls/backend.h "$(INCLUDE)/twbench/backend.h"
	$(Q)sed 's|"impls/backend.h"|"backend.h"|' src/runners/runner.h >"$(INCLUDE)/twbench/runner.h"
	$(Q)install -d "$(SHARE)/plugins" "$(SHARE)/examples" "$(DESTDIR)$(LIBDIR)/twbench/libraries" "$(DESTDIR)$(LIBDIR)/twbench/stores"
	$(Q)install -m 644 docs/skeleton.c docs/plugins/wheel.c docs/plugins/priority_queue.cpp "$(SHARE)/plugins"
	$(Q)install -m 644 docs/examples/*.c "$(SHARE)/examples"
	$(Q)$(if $(strip $(LIBRARIES_HERE)),install -m 755 $(MODULES) "$(DESTDIR)$(LIBDIR)/twbench/libraries")
	$(Q)$(if $(strip $(STORES_HERE)),install -m 755 $(STORE_OBJECTS) "$(DESTDIR)$(LIBDIR)/twbench/stores")
	$(Q)install -m 755 $(DISK_LAYER) "$(DESTDIR)$(LIBDIR)/twbench"
	$(Q)install -d "$(SHARE)/workloads/traces" "$(SHARE)/claims" "$(SHARE)/plots" "$(SHARE)/report" "$(SHARE)/schema"
	$(Q)install -m 644 workloads/*.json "$(SHARE)/workloads"
	$(Q)install -m 644 workloads/traces/*.tt.xz "$(SHARE)/workloads/traces"
	$(Q)install -m 644 claims/*.json "$(SHARE)/claims"
	$(Q)install -m 644 plots/*.gp "$(SHARE)/plots"
	$(Q)install -m 644 report/report.css report/report.js "$(SHARE)/report"
	$(Q)install -m 644 schema/*.json "$(SHARE)/schema"
	$(Q)install -D -m 644 $(BUILD)/completions/twbench "$(DESTDIR)$(BASH_COMPLETIONS)/twbench"
	$(Q)install -D -m 644 $(BUILD)/completions/_twbench "$(DESTDIR)$(ZSH_COMPLETIONS)/_twbench"
	$(Q)install -D -m 644 $(BUILD)/completions/twbench.fish "$(DESTDIR)$(FISH_COMPLETIONS)/twbench.fish"
	$(Q)install -d "$(DESTDIR)$(LIBDIR)/pkgconfig" "$(INCLUDE)/twtimers"
	$(Q)install -m 755 $(BUILD)/libtwtimers.so "$(DESTDIR)$(LIBDIR)/$(LIB_SHARED)"
	$(Q)ln -sfn $(LIB_SHARED) "$(DESTDIR)$(LIBDIR)/libtwtimers.so"
	$(Q)install -m 644 $(BUILD)/libtwtimers.a "$(DESTDIR)$(LIBDIR)"
	$(Q)install -m 644 $(BUILD)/twtimers.pc "$(DESTDIR)$(LIBDIR)/pkgconfig"
	$(Q)install -m 644 $(BUILD)/include/twtimers/*.h "$(INCLUDE)/twtimers"
uninstall: ## remove what install put there
	$(Q)rm -f "$(DESTDIR)$(BASH_COMPLETIONS)/twbench" "$(DESTDIR)$(ZSH_COMPLETIONS)/_twbench" "$(DESTDIR)$(FISH_COMPLETIONS)/twbench.fish"
	$(Q)rm -f "$(DESTDIR)$(PREFIX)/bin/twbench" "$(DESTDIR)$(PREFIX)/share/man/man1/twbench.1"
	$(Q)rm -f "$(DESTDIR)$(LIBDIR)/libtwtimers."* "$(DESTDIR)$(LIBDIR)/pkgconfig/twtimers.pc"
	$(Q)rm -rf "$(SHARE)" "$(DESTDIR)$(LIBDIR)/twbench" "$(INCLUDE)/twbench" "$(INCLUDE)/twtimers"

# A copy of the sources is built, so that no object of ours gets into a package, nor the folder's name.
deb: ## build Debian packages into build/deb
	$(Q)tools/deps.sh build package
	$(Q)tools/deb.sh build/deb

clean: ## remove everything that was built
	$(Q)rm -rf build twbench

FORCE:
.PHONY: FORCE deb test-container all cross test-cross prove-stores test-libraries playground test-playground lib completions manual modules help deps bench reference pages originals test test-all sanitized check check-all tests unit-tests fuzzers run-tests run-flavour \
        run-coverage test-originals test-report asan ubsan tsan fuzz faults coverage tidy format format-check shellcheck werror \
        install uninstall clean
