# lab: what `lab new` hands out.
EXTRAS_lab := $(BUILD)/lab

$(BUILD)/lab: | $(BUILD)/flags
	$(Q)ln -sfn ../../labs/lab/data $@

# The header is a link to the contract; what is installed is the file.
install-lab::
	$(Q)install -d "$(SHARE)/lab"
	$(Q)cp -rL labs/lab/data/. "$(SHARE)/lab"
