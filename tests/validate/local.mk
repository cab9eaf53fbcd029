# validate: hazard rules.
validate_libs = $(QPU_TOOLCHAIN) $(EMULATOR)
validate_tests = \
	%D%/test-hazards \
	%D%/test-validate
validate_suites = \
	%D%/reports.bats
EXTRA_DIST += $(validate_suites) %D%/drm.golden %D%/hazards.golden
$(validate_tests): private ROOM_LIBS = $(validate_libs)
$(validate_tests): $(validate_libs)
EXTRA_PROGRAMS += $(validate_tests)
if WITH_QPU
check_PROGRAMS += $(validate_tests)
endif
if WITH_TOOLS
TESTS += $(validate_suites)
endif

