# engine: SHA-256 on a device with QPUs.
engine_tests = \
	%D%/test-balance \
	%D%/test-chained \
	%D%/test-chains \
	%D%/test-device-emu \
	%D%/test-engine-qpu \
	%D%/test-engine-steps \
	%D%/test-faults \
	%D%/test-figures \
	%D%/test-known-answer \
	%D%/test-launch \
	%D%/test-launch-results \
	%D%/test-runner
engine_suites = \
	%D%/emulator.bats
noinst_HEADERS += \
	%D%/chains.h \
	%D%/device-double.h \
	%D%/launch-rig.h
EXTRA_DIST += $(engine_suites)
$(engine_tests): private ROOM_LIBS = $(ALL_LIBS)
$(engine_tests): $(ALL_LIBS)
EXTRA_PROGRAMS += $(engine_tests)
if WITH_QPU
check_PROGRAMS += $(engine_tests)
TESTS += $(engine_suites)
endif

# What becomes of each thing that a device may do wrong, in FAULT_RUNS runs.
FAULT_RUNS = 1300
fault-table: %D%/test-faults$(EXEEXT) tests/tiles/test-tile-faults$(EXEEXT)
	./%D%/test-faults$(EXEEXT) --table $(FAULT_RUNS)
	./tests/tiles/test-tile-faults$(EXEEXT) --table $(FAULT_RUNS)
.PHONY: fault-table
