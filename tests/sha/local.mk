# sha: SHA-256 on QPUs, in the 16 lanes of a device or as the tiles of one that
# draws.
sha_tests = \
	%D%/test-chains \
	%D%/test-engine \
	%D%/test-faults \
	%D%/test-figures \
	%D%/test-launch \
	%D%/test-sample \
	%D%/test-shortage \
	%D%/test-tiles
sha_suites = \
	%D%/emulator.bats
noinst_HEADERS += %D%/chains.h
EXTRA_DIST += $(sha_suites)
$(sha_tests): private ROOM_LIBS = tests/pipeline/librig.a $(ALL_LIBS)
$(sha_tests): tests/pipeline/librig.a $(ALL_LIBS)
EXTRA_PROGRAMS += $(sha_tests)
if WITH_QPU
check_PROGRAMS += $(sha_tests)
TESTS += $(sha_suites)
endif

# What becomes of each thing that a device may do wrong, in FAULT_RUNS runs of
# each row in which FAULT_ROWS is; FAULT_TABLE has it after each round of ten.
FAULT_RUNS = 100
FAULT_SEED = 1
FAULT_ROWS =
FAULT_TABLE = $(abs_top_builddir)/fault.table
EXTRA_DIST += %D%/fault-table.sh
fault-table: %D%/test-faults$(EXEEXT) qpu-sha256sum$(EXEEXT)
	@./%D%/test-faults$(EXEEXT) --rows >fault.rows
	@bash $(srcdir)/%D%/fault-table.sh \
		$(abs_top_builddir)/qpu-sha256sum$(EXEEXT) \
		$(abs_top_builddir)/fault.rows $(FAULT_RUNS) $(FAULT_SEED) \
		"$(FAULT_ROWS)" "$(FAULT_TABLE)"
CLEANFILES += fault.rows fault.table
.PHONY: fault-table
