# opt: the optimiser.  test-random has an optimiser of its own, which makes mistakes
# on request.
opt_libs = $(QPU_TOOLCHAIN) $(EMULATOR)
opt_tests = %D%/test-random
%C%_test_random_SOURCES = %D%/test-random.c %D%/program.c %D%/program.h \
	$(qpu_opt_libopt_a_SOURCES)
%C%_test_random_CPPFLAGS = $(AM_CPPFLAGS) -DOPT_MUTANTS
$(opt_tests): private ROOM_LIBS = $(opt_libs)
$(opt_tests): $(opt_libs)
EXTRA_PROGRAMS += $(opt_tests)
if WITH_QPU
check_PROGRAMS += $(opt_tests)
endif
EXTRA_DIST += %D%/optimise.bats
if WITH_TOOLS
TESTS += %D%/optimise.bats
endif
