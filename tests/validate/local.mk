# validate: hazard rules.
validate_libs = $(QPU_TOOLCHAIN)
validate_tests = \
	%D%/test-pair \
	%D%/test-single \
	%D%/test-validate
validate_suites = \
	%D%/reports.bats
noinst_HEADERS += \
	%D%/reported.h
EXTRA_DIST += $(validate_suites)
$(validate_tests): private ROOM_LIBS = $(validate_libs)
$(validate_tests): $(validate_libs)
EXTRA_PROGRAMS += $(validate_tests)
if WITH_QPU
check_PROGRAMS += $(validate_tests)
endif
if WITH_TOOLS
TESTS += $(validate_suites)
endif

%C%_test_validate_LDFLAGS = $(wrap)calloc,--wrap=realloc,--wrap=free
