# Twelve seconds of processor time.
SLOW_fleet := labs/fleet/tests/history.bats
