# embed: what `take` gives away, and libtwtimers.
NOT_IN_PROGRAM_embed := labs/embed/twtimers.c labs/embed/examples/idle_server.c
OBJECTS_embed := $(BUILD)/labs/embed/taken.o
TAKEN_RUNNERS := $(filter-out %/runner_registry.c,$(wildcard labs/live/runners/*.c))

# What is given away, as text: made from the designs and runners, so that it cannot differ from them.
$(BUILD)/labs/embed/taken.c: labs/embed/taken.pl VERSION LICENSE src/impls/registry.def $(DESIGNS) $(TAKEN_RUNNERS) \
        $(wildcard src/impls/*.h labs/live/runners/*.h labs/live/runners/registry.def labs/embed/take/*.in)
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
$(BUILD)/libtwtimers.so: $(LIB_OBJECTS)
	$(call say,LINK,$@)
	$(Q)$(LINK) -shared -Wl,-soname,$(LIB_SHARED) $(if $(INSTRUMENT),,-Wl$(comma)-z$(comma)defs) $^ -pthread -o $@
$(BUILD)/libtwtimers.a: $(LIB_OBJECTS)
	$(call say,AR,$@)
	$(Q)$(CC) -r -nostdlib $^ -o $(BUILD)/libtwtimers.o
	$(Q)objcopy --localize-hidden $(BUILD)/libtwtimers.o
	$(Q)rm -f $@ && $(AR) rcs $@ $(BUILD)/libtwtimers.o
$(BUILD)/twtimers.pc: labs/embed/twtimers.pc.in VERSION FORCE
	@mkdir -p $(@D)
	$(Q)sed 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(LIBDIR)|; s|@VERSION@|'"$$(cat VERSION)"'|' $< >$@
$(BUILD)/include/twtimers/twtimers.h: labs/embed/taken.pl VERSION src/impls/backend.h labs/embed/twtimers.h labs/embed/twt.h $(wildcard labs/live/runners/runner.h)
	@mkdir -p $(@D)
	$(Q)perl $< --headers $(@D)

install-embed::
	$(Q)install -d "$(DESTDIR)$(LIBDIR)/pkgconfig" "$(INCLUDE)/twtimers" "$(SHARE)/examples"
	$(Q)install -m 755 $(BUILD)/libtwtimers.so "$(DESTDIR)$(LIBDIR)/$(LIB_SHARED)"
	$(Q)ln -sfn $(LIB_SHARED) "$(DESTDIR)$(LIBDIR)/libtwtimers.so"
	$(Q)install -m 644 $(BUILD)/libtwtimers.a "$(DESTDIR)$(LIBDIR)"
	$(Q)install -m 644 $(BUILD)/twtimers.pc "$(DESTDIR)$(LIBDIR)/pkgconfig"
	$(Q)install -m 644 $(BUILD)/include/twtimers/*.h "$(INCLUDE)/twtimers"
	$(Q)install -m 644 labs/embed/examples/*.c "$(SHARE)/examples"
