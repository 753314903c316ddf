# live: runners are compiled twice, timed and proved (labs/live/runners/runner.h); the drivers of other runtimes' timers
# are built by a script of their own.
RUNNERS_live        := $(filter-out %/runner_registry.c,$(wildcard labs/live/runners/*.c))
NOT_IN_PROGRAM_live := $(RUNNERS_live) labs/live/docs/%
OBJECTS_live         = $(RUNNERS_live:%.c=$(BUILD)/%.timed.o) $(RUNNERS_live:%.c=$(BUILD)/%.proved.o)
# Shared objects that are proved read the clock that conform plants (race_clock.c).
LIBS_live           := -lpthread -Wl,--export-dynamic-symbol=moment_planted_lead,--export-dynamic-symbol=moment_planted_wait
DEEP_live           := labs/live/tests/originals.sh labs/live/tests/conform_runners.bats
SUITES_live         := labs/live/tests/points.sh labs/live/tests/faults/runners.sh labs/live/tests/originals.sh
FAULTS_live         := labs/live/tests/faults/runners.sh
TSAN_SUITES         += labs/live/tests/races.sh

$(BUILD)/labs/live/runners/%.timed.o: private EXTRA = $(SHAREABLE)
$(BUILD)/labs/live/runners/%.proved.o: labs/live/runners/%.c $(BUILD)/flags
	$(call compile,-DTW_PROVED)

originals: ## install the JDK, Netty and Go, and build their timers' drivers (labs/live/originals/README.md)
	$(Q)tools/deps.sh labs/live/originals || echo "originals: what is missing is skipped"
	$(Q)labs/live/originals/build.sh build/originals

test-originals: ## the drivers of labs/live/originals against their runtimes, which it installs
	$(Q)$(MAKE) originals live
	$(Q)TWBENCH=$(CURDIR)/twbench tests/run.sh labs/live/tests/originals.sh

install-live::
	$(Q)install -d "$(INCLUDE)/twbench"
	$(Q)sed 's|"impls/backend.h"|"backend.h"|' labs/live/runners/runner.h >"$(INCLUDE)/twbench/runner.h"
.PHONY: originals test-originals
