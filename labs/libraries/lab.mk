# libraries: each is a design in a shared object of its own, which the core loads by its name (lab.def).  It is built
# when its header is here; what makes it: the header, and how to compile and to link with it.
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
HEADER_timerfd     := sys/timerfd.h
HEADER_posix_timer := sys/signalfd.h

LIBRARIES      := libev libuv libevent glib sd_event asio timerfd posix_timer
LIBRARIES_HERE  = $(foreach name,$(LIBRARIES),$(if $(filter-out /usr/include/node/%,$(wildcard /usr/include/$(HEADER_$(name)) /usr/include/*/$(HEADER_$(name)))),$(name)))
LIBRARIES_BUILT = $(BUILD)/labs/libraries

NOT_IN_PROGRAM_libraries := $(wildcard labs/libraries/*.c)
EXTRAS_libraries := $(LIBRARIES_HERE:%=$(BUILD)/libraries/%.so)
TIDIED_libraries := $(LIBRARIES_HERE:%=$(LIBRARIES_BUILT)/%.timed.o)
SUITES_libraries := labs/libraries/tests/libraries.sh
DEEP_libraries   := $(SUITES_libraries)
FAULTS_libraries := labs/libraries/tests/faults.sh

# Private, or the word of the flags would have it too whenever a library happens to ask for that first.
$(LIBRARIES_BUILT)/%.o $(LIBRARIES_BUILT)/%.tidy: private EXTRA = -fPIC $(EXTRA_$(firstword $(subst ., ,$(@F))))
$(LIBRARIES_BUILT)/asio.timed.o $(LIBRARIES_BUILT)/asio.counted.o: private COMPILE = $(COMPILE_CXX)
$(LIBRARIES_BUILT)/%.counted.o: labs/libraries/%.c $(BUILD)/flags
	$(call compile,-DTW_COUNTED)
$(LIBRARIES_BUILT)/%.timed.o: labs/libraries/%.cpp $(BUILD)/flags
	$(call compile)
$(LIBRARIES_BUILT)/%.counted.o: labs/libraries/%.cpp $(BUILD)/flags
	$(call compile,-DTW_COUNTED)
$(LIBRARIES_BUILT)/%.module.o: labs/libraries/module.c $(BUILD)/flags
	$(call compile,-DTW_MODULE=$*)
$(LIBRARIES_BUILT)/answer.o: src/harness/prove/answer.c $(BUILD)/flags
	$(call compile)
$(LIBRARIES_BUILT)/asio.timed.tidy: labs/libraries/asio.cpp $(LIBRARIES_BUILT)/asio.timed.o .clang-tidy
	$(Q)clang-tidy --quiet --warnings-as-errors='*' $< -- $(LANGUAGE_CXX) -I$(BUILD) $(EXTRA)
	@touch $@

# A module: the design, timed and counted, what answers for the system, and the symbol to find it by.
$(BUILD)/libraries/%.so: $(LIBRARIES_BUILT)/%.timed.o $(LIBRARIES_BUILT)/%.counted.o $(LIBRARIES_BUILT)/%.module.o \
                         $(LIBRARIES_BUILT)/answer.o
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(LINK) -shared $^ $(LINK_$*) -o $@

test-libraries: ## the real libraries as designs: conformance and the oracle; their planted faults: make faults
	$(Q)tools/deps.sh build bench test labs/libraries
	$(Q)$(MAKE) libraries
	$(Q)TWBENCH=$(CURDIR)/twbench LIMIT_SECONDS=900 tests/run.sh $(SUITES_libraries)

install-libraries:: libraries
	$(Q)install -d "$(LIBEXEC)/libraries"
	$(Q)$(if $(LIBRARIES_HERE),install -m 755 $(EXTRAS_libraries) "$(LIBEXEC)/libraries")
