# fleet: what its tests need beyond the rules of the Makefile.
DEEP_fleet := labs/fleet/tests/slurm.sh labs/fleet/tests/ssh.sh
SUITES_fleet := $(DEEP_fleet)
