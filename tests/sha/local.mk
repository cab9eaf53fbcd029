# sha: SHA-256 on QPUs, in the 16 lanes of a device or as the tiles of one that
# draws.
sha_tests = \
	%D%/test-chains \
	%D%/test-device-emu \
	%D%/test-engine \
	%D%/test-faults \
	%D%/test-figures \
	%D%/test-known \
	%D%/test-launch \
	%D%/test-launch-results \
	%D%/test-runner \
	%D%/test-sample \
	%D%/test-tiles
sha_suites = \
	%D%/emulator.bats \
	%D%/tiles.bats
noinst_HEADERS += \
	%D%/chains.h \
	%D%/launch-rig.h
%C%_test_faults_SOURCES = \
	%D%/scripted_tiles.c %D%/scripted_tiles.h %D%/test-faults.c
%C%_test_tiles_SOURCES = \
	%D%/scripted_tiles.c %D%/scripted_tiles.h %D%/test-tiles.c
EXTRA_DIST += $(sha_suites)
$(sha_tests): private ROOM_LIBS = tests/pipeline/librig.a $(ALL_LIBS)
$(sha_tests): tests/pipeline/librig.a $(ALL_LIBS)
EXTRA_PROGRAMS += $(sha_tests)
if WITH_QPU
check_PROGRAMS += $(sha_tests)
TESTS += $(sha_suites)
endif

# What becomes of each thing that a device may do wrong, in FAULT_RUNS runs of
# each.
FAULT_RUNS = 100
FAULT_SEED = 1
VERIFIED_RUNS = 2048
EXTRA_DIST += %D%/verified-faults.sh
fault-table: %D%/test-faults$(EXEEXT) qpu-sha256sum$(EXEEXT)
	./%D%/test-faults$(EXEEXT) --table $(FAULT_RUNS) $(FAULT_SEED)
	@bash $(srcdir)/%D%/verified-faults.sh \
		$(abs_top_builddir)/qpu-sha256sum$(EXEEXT) $(VERIFIED_RUNS) \
		$(FAULT_SEED)
.PHONY: fault-table
