# lab: what `lab new` hands out and what `lab grade` compiles beside a solution.
SLOW_lab   := labs/lab/tests/grade.bats
EXTRAS_lab := $(BUILD)/lab $(BUILD)/hunts

$(BUILD)/lab: | $(BUILD)/flags
	$(Q)ln -sfn ../../labs/lab/data $@

# The wrong designs of `lab hunt`.
$(BUILD)/hunts: labs/lab/hunts.sh labs/lab/hunts.def tests/faults/wrapped.c tests/faults/wrapped.hooks tests/faults/faults.list $(wildcard labs/teach/museum/* src/impls/*) $(BUILD)/flags
	$(call say,HUNTS,$@)
	$(Q)CC='$(CC)' labs/lab/hunts.sh $@

# The header is a link to the contract; what is installed is the file.
install-lab:: lab
	$(Q)install -d "$(SHARE)/lab"
	$(Q)cp -rL labs/lab/data/. "$(SHARE)/lab"
	$(Q)install -d "$(LIBEXEC)/hunts"
	$(Q)install -m 755 $(BUILD)/hunts/*.so "$(LIBEXEC)/hunts"
