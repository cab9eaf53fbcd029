# engine: SHA-256 on a device with QPUs.
engine_tests = \
	%D%/test-balance \
	%D%/test-chains \
	%D%/test-device-emu \
	%D%/test-engine-steps \
	%D%/test-faults \
	%D%/test-figures \
	%D%/test-known \
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
FAULT_RUNS = 4200
FAULT_SEED = 1
VERIFIED_RUNS = 2048
EXTRA_DIST += %D%/verified-faults.sh
fault-table: %D%/test-faults$(EXEEXT) qpu-sha256sum$(EXEEXT) tests/sha/test-tile-faults$(EXEEXT)
	./%D%/test-faults$(EXEEXT) --table $(FAULT_RUNS) $(FAULT_SEED)
	@bash $(srcdir)/%D%/verified-faults.sh \
		$(abs_top_builddir)/qpu-sha256sum$(EXEEXT) $(VERIFIED_RUNS) \
		$(FAULT_SEED)
	./tests/sha/test-tile-faults$(EXEEXT) --table $(FAULT_RUNS)
.PHONY: fault-table
# tiles: SHA-256 on a tile device.
tiles_tests = \
	%D%/test-tile-faults \
	%D%/test-tiles
tiles_suites = \
	%D%/tiles.bats
%C%_test_tile_faults_SOURCES = \
	%D%/scripted_tiles.c %D%/scripted_tiles.h %D%/test-tile-faults.c
%C%_test_tiles_SOURCES = \
	%D%/scripted_tiles.c %D%/scripted_tiles.h %D%/test-tiles.c
EXTRA_DIST += $(tiles_suites)
$(tiles_tests): private ROOM_LIBS = tests/pipeline/librig.a $(ALL_LIBS)
$(tiles_tests): tests/pipeline/librig.a $(ALL_LIBS)
EXTRA_PROGRAMS += $(tiles_tests)
if WITH_QPU
check_PROGRAMS += $(tiles_tests)
TESTS += $(tiles_suites)
endif
