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
%D%/test-tiles.$(OBJEXT): tests/kernel/unscheduled-pair.words
EXTRA_PROGRAMS += $(sha_tests)
if WITH_QPU
check_PROGRAMS += $(sha_tests)
TESTS += $(sha_suites)
endif

# Builds in which proofs can be left out (qpu/sha/proofs.h): of the test of faults, and
# of the program.
proofs_switch = %D%/proofs_switch.c %D%/proofs_switch.h \
	$(qpu_sha_libsha_a_SOURCES)
%C%_test_faults_SOURCES = %D%/test-faults.c $(proofs_switch)
%C%_test_faults_CPPFLAGS = $(AM_CPPFLAGS) -DPROOFS_SWITCH
%C%_less_proof_SOURCES = src/main.c $(proofs_switch)
%C%_less_proof_CPPFLAGS = $(AM_CPPFLAGS) -DPROOFS_SWITCH
%C%_less_proof_LDADD = $(qpu_sha256sum_LDADD)
EXTRA_PROGRAMS += %D%/less-proof

# The outcome of each fault of a device, in FAULT_RUNS runs of each row that
# contains FAULT_ROWS; FAULT_TABLE gets it after each round of ten.
# FAULT_WITHOUT="known,seal" leaves proofs out.
FAULT_RUNS = 100
FAULT_SEED = 1
FAULT_ROWS =
FAULT_TABLE = $(abs_top_builddir)/fault.table
EXTRA_DIST += %D%/fault-table.sh
FAULT_WITHOUT =
fault-table: %D%/test-faults$(EXEEXT) %D%/less-proof$(EXEEXT)
	@./%D%/test-faults$(EXEEXT) --rows >fault.rows
	@PROOFS_LEFT_OUT='$(FAULT_WITHOUT)' bash $(srcdir)/%D%/fault-table.sh \
		$(abs_top_builddir)/%D%/less-proof$(EXEEXT) \
		$(abs_top_builddir)/fault.rows $(FAULT_RUNS) $(FAULT_SEED) \
		"$(FAULT_ROWS)" "$(FAULT_TABLE)"
CLEANFILES += fault.rows fault.table
.PHONY: fault-table
