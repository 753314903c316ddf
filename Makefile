# twbench - the build.  `make help` lists the targets.
MAKEFLAGS += --no-builtin-rules
SHELL := /bin/bash

CC     ?= gcc
ifeq ($(origin CC),default)
CC     := gcc
endif
FLAVOUR ?= release
BUILD  := build/$(FLAVOUR)
Q      := $(if $(V),,@)

WARN   := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes \
          -Wcast-qual -Wvla -Wundef
CFLAGS ?= -O2 -g
STD    := -std=c11 -D_GNU_SOURCE
INC    := -Isrc
LIBS   := -ljemalloc -lcjson -llzma -lz -lm

IMPLS   := $(filter-out src/impls/registry.c,$(wildcard src/impls/*.c))
HARNESS := $(wildcard src/harness/*/*.c)
IMPL_OBJS := $(IMPLS:src/%.c=$(BUILD)/%.timed.o) $(IMPLS:src/%.c=$(BUILD)/%.counted.o) \
             $(BUILD)/impls/registry.o
HARNESS_OBJS := $(HARNESS:src/%.c=$(BUILD)/%.o)

all: twbench ## build ./twbench

$(BUILD)/%.timed.o: src/%.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(STD) $(INC) $(CFLAGS) $(WARN) -MMD -MP -c $< -o $@
$(BUILD)/%.counted.o: src/%.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(STD) $(INC) $(CFLAGS) $(WARN) -DTW_COUNTED -MMD -MP -c $< -o $@
$(BUILD)/%.o: src/%.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(STD) $(INC) $(CFLAGS) $(WARN) -MMD -MP -c $< -o $@

twbench: $(IMPL_OBJS) $(HARNESS_OBJS) $(BUILD)/main.o
	$(Q)$(CC) $(CFLAGS) $^ $(LIBS) -o $@

-include $(shell find build -name '*.d' 2>/dev/null)

.PHONY: all
