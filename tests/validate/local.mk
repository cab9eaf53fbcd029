# validate: hazard rules.
validate_libs = $(QPU_TOOLCHAIN) $(EMULATOR)
validate_tests = \
	%D%/test-hazards \
	%D%/test-validate
EXTRA_DIST += %D%/drm.golden %D%/hazards.golden
$(validate_tests): private ROOM_LIBS = $(validate_libs)
$(validate_tests): $(validate_libs)
EXTRA_PROGRAMS += $(validate_tests)
if WITH_QPU
check_PROGRAMS += $(validate_tests)
endif

