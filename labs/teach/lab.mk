# teach: the experiments of claims, and the playground.
NOT_IN_PROGRAM_teach := labs/teach/playground/worlds.c labs/teach/playground/digests.c labs/teach/playground/wasi.c $(wildcard labs/teach/museum/*.c)
EXTRAS_teach := $(BUILD)/experiments
SLOW_teach := labs/teach/tests/lessons.sh labs/teach/tests/claims_format.sh labs/teach/tests/museum.bats
SUITES_teach := labs/teach/tests/claims_format.sh labs/teach/tests/lessons.sh

# claims looks for them beside its program.
$(BUILD)/experiments: | $(BUILD)/flags
	$(Q)ln -sfn ../../labs/teach/experiments $@

install-teach::
	$(Q)install -d "$(SHARE)/experiments"
	$(Q)install -m 644 labs/teach/experiments/*.json "$(SHARE)/experiments"

playground: ## one page on which the designs run in the browser: build/playground.html
	$(Q)tools/deps.sh build labs/teach/playground
	$(Q)$(MAKE) teach build/playground/digests
	$(Q)labs/teach/playground/playground.py build/playground.html ./twbench

# What the page's designs answer, natively.
build/playground/digests: labs/teach/playground/worlds.c labs/teach/playground/digests.c labs/teach/playground/worlds.h \
        labs/teach/playground/quiz.c labs/teach/playground/quiz.h labs/teach/show/kinds.c $(BUILD)/libtwbench.a
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(COMPILE) $(filter %.c %.a,$^) $(LIBS) -o $@

test-playground: playground ## the playground in a headless Chromium: digests and questions as natively, tours, keys, phone, dark
	$(Q)tools/deps.sh report
	$(Q)LIMIT_SECONDS=1200 tests/run.sh labs/teach/tests/playground.sh
.PHONY: playground test-playground
