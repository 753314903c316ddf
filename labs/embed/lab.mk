# embed: what `take` gives away, libtwtimers and libtwlog.
NOT_IN_PROGRAM_embed := labs/embed/twtimers.c $(wildcard labs/embed/examples/*.c) $(wildcard labs/embed/adopt/*.c)
SLOW_embed   := labs/embed/tests/take.bats labs/embed/tests/library.bats labs/embed/tests/twlog.bats
FAULTS_embed := labs/embed/tests/faults.sh
SUITES_embed := $(FAULTS_embed)
OBJECTS_embed := $(BUILD)/labs/embed/taken.o
TAKEN_STORES  := $(wildcard labs/durable/stores/store.h labs/durable/stores/store_*.[ch] labs/durable/stores/wheel_log*.[ch])
TAKEN_RUNNERS := $(filter-out %/runner_registry.c,$(wildcard labs/live/runners/*.c))

# What is given away, as text: made from the sources, so that it cannot differ from them.
$(BUILD)/labs/embed/taken.c: labs/embed/taken.pl VERSION LICENSE src/impls/registry.def $(DESIGNS) $(TAKEN_RUNNERS) $(TAKEN_STORES) \
        labs/embed/examples/delay_queue.c labs/embed/examples/handles.c labs/embed/twt.c labs/embed/twt.h $(wildcard src/impls/*.h labs/live/runners/*.h labs/live/runners/registry.def labs/embed/take/*.in)
	$(call say,TAKE,$@)
	@mkdir -p $(@D)
	$(Q)perl $< $@
$(BUILD)/labs/embed/taken.o: private EXTRA = -Wno-overlength-strings
$(BUILD)/labs/embed/taken.o: $(BUILD)/labs/embed/taken.c $(BUILD)/flags
	$(call compile)

# libtwtimers: the designs and runners for programs that link them.  Its version is that of the two contracts, because
# a program reads their tables.  The static one is a single object in which all that is hidden has become local.
LIB_VERSION = $(shell sed -nE 's/^.define TW_(RUNNER_)?ABI_VERSION ([0-9]+)u$$/\2/p' \
    src/impls/backend.h $(wildcard labs/live/runners/runner.h) | paste -sd.)
LIB_SHARED  = libtwtimers.so.$(LIB_VERSION)
LIB_OBJECTS := $(DESIGNS:src/%.c=$(BUILD)/%.timed.o) $(TAKEN_RUNNERS:%.c=$(BUILD)/%.timed.o) $(BUILD)/labs/embed/twtimers.o $(BUILD)/labs/embed/twt.o
EXTRAS_embed := $(BUILD)/libtwtimers.so $(BUILD)/libtwtimers.a $(BUILD)/twtimers.pc $(BUILD)/include/twtimers/twtimers.h

$(BUILD)/labs/live/runners/%.timed.o $(BUILD)/labs/embed/twtimers.o $(BUILD)/labs/embed/twt.o: private EXTRA = $(SHAREABLE)
$(BUILD)/libtwtimers.so: $(LIB_OBJECTS) labs/embed/twtimers.map
	$(call say,LINK,$@)
	$(Q)$(LINK) -shared -Wl,-soname,$(LIB_SHARED) -Wl,--version-script=labs/embed/twtimers.map \
	    $(if $(INSTRUMENT),,-Wl$(comma)-z$(comma)defs) $(LIB_OBJECTS) -pthread -o $@
$(BUILD)/libtwtimers.a: $(LIB_OBJECTS)
	$(call say,AR,$@)
	$(Q)$(CC) -r -nostdlib $^ -o $(BUILD)/libtwtimers.o
	$(Q)objcopy --localize-hidden $(BUILD)/libtwtimers.o
	$(Q)rm -f $@ && $(AR) rcs $@ $(BUILD)/libtwtimers.o
$(BUILD)/twtimers.pc: labs/embed/twtimers.pc.in VERSION FORCE
	@mkdir -p $(@D)
	$(Q)sed 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(LIBDIR)|; s|@VERSION@|'"$$(cat VERSION)"'|' $< >$@
$(BUILD)/include/twtimers/twtimers.h: labs/embed/taken.pl VERSION src/impls/backend.h labs/embed/twtimers.h labs/embed/twtimers.hpp labs/embed/twt.h $(wildcard labs/live/runners/runner.h)
	@mkdir -p $(@D)
	$(Q)perl $< --headers $(@D)

# libtwlog: the store wheel-log of the lab durable, from the text that `take` gives away.  The one symbol is its table.
LOG_SHARED = libtwlog.so.$(shell sed -nE 's/^.define TW_STORE_ABI_VERSION ([0-9]+)u$$/\1/p' labs/durable/stores/store.h)
EXTRAS_embed += $(if $(TAKEN_STORES),$(addprefix $(BUILD)/,libtwlog.so libtwlog.a twlog.pc))
$(BUILD)/twlog/twlog.c $(BUILD)/twlog/twlog.h &: labs/embed/taken.pl VERSION src/impls/backend.h $(TAKEN_STORES)
	@mkdir -p $(@D)
	$(Q)perl $< --log $(@D)
$(BUILD)/twlog/twlog.o: private EXTRA = $(SHAREABLE) -O2
$(BUILD)/twlog/twlog.o: $(BUILD)/twlog/twlog.c $(BUILD)/twlog/twlog.h $(BUILD)/flags
	$(call compile)
$(BUILD)/libtwlog.so: $(BUILD)/twlog/twlog.o
	$(call say,LINK,$@)
	$(Q)$(LINK) -shared -Wl,-soname,$(LOG_SHARED) $(if $(INSTRUMENT),,-Wl$(comma)-z$(comma)defs) $^ -pthread -o $@
$(BUILD)/libtwlog.a: $(BUILD)/twlog/twlog.o
	$(call say,AR,$@)
	$(Q)objcopy --localize-hidden $< $(BUILD)/twlog/local.o
	$(Q)rm -f $@ && $(AR) rcs $@ $(BUILD)/twlog/local.o
$(BUILD)/twlog.pc: labs/embed/twlog.pc.in VERSION FORCE
	$(Q)sed 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(LIBDIR)|; s|@VERSION@|'"$$(cat VERSION)"'|' $< >$@

install-embed:: embed $(if $(TAKEN_STORES),install-twlog)
install-twlog: embed
	$(Q)install -d "$(DESTDIR)$(LIBDIR)/pkgconfig" "$(INCLUDE)" "$(DESTDIR)$(PREFIX)/share/man/man3"
	$(Q)install -m 755 $(BUILD)/libtwlog.so "$(DESTDIR)$(LIBDIR)/$(LOG_SHARED)"
	$(Q)ln -sfn $(LOG_SHARED) "$(DESTDIR)$(LIBDIR)/libtwlog.so"
	$(Q)install -m 644 $(BUILD)/libtwlog.a "$(DESTDIR)$(LIBDIR)"
	$(Q)install -m 644 $(BUILD)/twlog.pc "$(DESTDIR)$(LIBDIR)/pkgconfig"
	$(Q)install -m 644 $(BUILD)/twlog/twlog.h "$(INCLUDE)"
	$(Q)install -m 644 labs/embed/twlog.3 "$(DESTDIR)$(PREFIX)/share/man/man3"
.PHONY: install-twlog
install-embed:: embed
	$(Q)install -d "$(DESTDIR)$(LIBDIR)/pkgconfig" "$(INCLUDE)/twtimers" "$(SHARE)/examples"
	$(Q)install -m 755 $(BUILD)/libtwtimers.so "$(DESTDIR)$(LIBDIR)/$(LIB_SHARED)"
	$(Q)ln -sfn $(LIB_SHARED) "$(DESTDIR)$(LIBDIR)/libtwtimers.so"
	$(Q)install -m 644 $(BUILD)/libtwtimers.a "$(DESTDIR)$(LIBDIR)"
	$(Q)install -m 644 $(BUILD)/twtimers.pc "$(DESTDIR)$(LIBDIR)/pkgconfig"
	$(Q)install -m 644 $(BUILD)/include/twtimers/*.h* "$(INCLUDE)/twtimers"
	$(Q)install -m 644 labs/embed/examples/*.c* "$(SHARE)/examples"

# Other people's programs with a taken design, from Debian's sources; needs the network, and some minutes each.
test-adopt: core embed
	$(Q)failed=; for script in labs/embed/adopt/*.sh; do echo "$$script"; TWBENCH=$(CURDIR)/twbench $$script || failed="$$failed $$script"; done; \
	    [ -z "$$failed" ] || { echo "failed:$$failed"; exit 1; }
.PHONY: test-adopt

# The exported functions and the types of the headers that they name, against the file that is kept; ABI=write writes that.
# A handle of another size has to be told, or nothing is compared.
ABIDW = abidw --no-corpus-path --no-comp-dir-path --no-show-locs --drop-undefined-syms --drop-private-types --headers-dir
test-abi: $(BUILD)/include/twtimers/twtimers.h
	$(Q)tools/deps.sh labs/embed/abi
	$(Q)$(CC) -std=c11 -D_GNU_SOURCE -g -shared $(SHAREABLE) -Isrc -I. -I$(BUILD) -Wl,--version-script=labs/embed/twtimers.map \
	    labs/embed/twt.c labs/embed/twtimers.c -o $(BUILD)/abi.so
	$(Q)$(ABIDW) $(<D) --out-file $(if $(ABI),labs/embed/twtimers.abi,$(BUILD)/now.abi) $(BUILD)/abi.so
	$(Q)$(if $(ABI),,abidiff --no-added-syms labs/embed/twtimers.abi $(BUILD)/now.abi)
	$(Q)$(if $(ABI),,sed "/'twt_timer'/s/320/384/" labs/embed/twtimers.abi >$(BUILD)/other.abi && ! abidiff $(BUILD)/other.abi $(BUILD)/now.abi >$(BUILD)/other.said)
.PHONY: test-abi
