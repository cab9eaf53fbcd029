# vc4: the model of the kernel's driver.
vc4_libs = $(PI) $(QPU_TOOLCHAIN)
vc4_tests = \
	%D%/test-requests
EXTRA_DIST += %D%/jobs.golden %D%/lists.golden %D%/render.golden \
	%D%/requests.golden
%C%_test_requests_SOURCES = \
	%D%/clear-job.h %D%/commands.h %D%/job_commands.c %D%/test-requests.c
$(vc4_tests): private ROOM_LIBS = $(vc4_libs)
$(vc4_tests): $(vc4_libs)
EXTRA_PROGRAMS += $(vc4_tests)
if WITH_QPU
check_PROGRAMS += $(vc4_tests)
endif
