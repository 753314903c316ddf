# durable: the stores, and what stands between them and the disk while they are proved.

# What stands behind a library or a server is a module, build/FLAVOUR/stores/NAME.so, built when its source and the header
# are here (stores/stores.def has the packages): the header, how to link, and which other files it shares with modules
# (STORE_PARTS).  Every other file of stores/ is in the program, and so are the parts that its own stores use
# (PARTS_program).
HEADER_redis_wheel := hiredis/hiredis.h
LINK_redis_wheel   := -lhiredis
PARTS_redis_wheel  := redis_server store_directory store_flusher store_payloads store_server
HEADER_redis_zset  := hiredis/hiredis.h
LINK_redis_zset    := -lhiredis
PARTS_redis_zset   := redis_server store_directory store_flusher store_payloads store_server
HEADER_sqlite      := sqlite3.h
LINK_sqlite        := -lsqlite3
PARTS_sqlite       := store_company store_directory store_flusher store_ordered store_payloads store_writer
HEADER_lmdb        := lmdb.h
LINK_lmdb          := -llmdb
PARTS_lmdb         := $(PARTS_sqlite)
HEADER_rocksdb     := rocksdb/c.h
LINK_rocksdb       := -lrocksdb
PARTS_rocksdb      := store_directory store_flusher store_ordered store_payloads
HEADER_postgres    := libpq-fe.h
LINK_postgres      := -lpq
PARTS_postgres     := store_directory store_ordered store_payloads store_server
PARTS_program      := store_company

STORE_MODULES := redis_wheel redis_zset sqlite lmdb rocksdb postgres
STORE_PARTS   := $(sort $(foreach name,$(STORE_MODULES),$(PARTS_$(name))))
STORES_HERE   := $(foreach name,$(filter-out $(WITHOUT),$(STORE_MODULES)),$(if $(wildcard /usr/include/$(HEADER_$(name)) \
                   /usr/include/*/$(HEADER_$(name))),$(name)))
STORE_OBJECTS := $(STORES_HERE:%=$(BUILD)/stores/%.so)
DISK_LAYER    := $(BUILD)/disk_layer.so

NOT_IN_PROGRAM_durable := labs/durable/disk/disk_layer.c labs/durable/stores/store_module.c \
    $(patsubst %,labs/durable/stores/%.c,$(STORE_MODULES) $(filter-out $(PARTS_program),$(STORE_PARTS)))
EXTRAS_durable := $(STORE_OBJECTS) $(DISK_LAYER)
TIDIED_durable := $(patsubst %,$(BUILD)/labs/durable/stores/%.o,$(STORES_HERE) $(STORE_PARTS)) $(BUILD)/labs/durable/disk/disk_layer.o
SLOW_durable   := labs/durable/tests/stores.bats $(BUILD)/labs/durable/tests/test_stores
SUITES_durable := labs/durable/tests/faults.sh labs/durable/tests/stores_format.sh
FAULTS_durable := labs/durable/tests/faults.sh

$(patsubst %,$(BUILD)/labs/durable/stores/%.o,$(STORE_MODULES) $(STORE_PARTS)) \
    $(patsubst %,$(BUILD)/labs/durable/stores/%.tidy,$(STORE_MODULES) $(STORE_PARTS)) \
    $(BUILD)/labs/durable/disk/disk_layer.o $(BUILD)/labs/durable/disk/disk_layer.tidy: private EXTRA = -fPIC
# Debian keeps libpq's header in a folder.
$(BUILD)/labs/durable/stores/postgres.o $(BUILD)/labs/durable/stores/postgres.tidy: private EXTRA = -fPIC -isystem /usr/include/postgresql

# A store's module: its file, the parts that it shares with others, and the symbol to find it by.
$(BUILD)/labs/durable/stores/%.module.o: labs/durable/stores/store_module.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(Q)$(COMPILE) -fPIC -DTW_MODULE=$* -MMD -MP -c $< -o $@
$(foreach name,$(STORE_MODULES),$(eval $(BUILD)/stores/$(name).so: $(PARTS_$(name):%=$(BUILD)/labs/durable/stores/%.o)))
# A part that is missing from its list is an error here, not when the module is loaded; instrumented code has its
# runtime in the program.
$(BUILD)/stores/%.so: $(BUILD)/labs/durable/stores/%.o $(BUILD)/labs/durable/stores/%.module.o
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(LINK) -shared $(if $(INSTRUMENT),,-Wl$(comma)-z$(comma)defs) $^ $(LINK_$*) -o $@
$(DISK_LAYER): $(BUILD)/labs/durable/disk/disk_layer.o
	$(call say,LINK,$@)
	$(Q)$(LINK) -shared $^ -o $@

# The test of all stores loads those that lie beside it.
$(BUILD)/labs/durable/tests/test_stores: | $(STORE_OBJECTS) $(BUILD)/labs/durable/tests/stores
$(BUILD)/labs/durable/tests/stores:
	@mkdir -p $(@D)
	$(Q)ln -sfn ../../../stores $@

install-durable:: durable
	$(Q)install -d "$(LIBEXEC)/stores"
	$(Q)$(if $(strip $(STORES_HERE)),install -m 755 $(STORE_OBJECTS) "$(LIBEXEC)/stores")
	$(Q)install -m 755 $(DISK_LAYER) "$(LIBEXEC)"

prove-stores: ## each store killed a thousand times under each policy, in every state of a disk: a quarter of an hour (STORES="sqlite lmdb")
	$(Q)tools/deps.sh build test labs/durable
	$(Q)$(MAKE) durable
	$(Q)TWBENCH=$(CURDIR)/twbench STORES="$(STORES)" LIMIT_SECONDS=36000 tests/run.sh labs/durable/tests/store_proofs.sh
.PHONY: prove-stores
