# output: lines, messages, JSON, progress.
output_tests = \
	%D%/test-job-report \
	%D%/test-output \
	%D%/test-report \
	%D%/test-status-line
$(output_tests): private ROOM_LIBS = $(OUTPUT_LIBS)
$(output_tests): $(OUTPUT_LIBS)
check_PROGRAMS += $(output_tests)
EXTRA_DIST += %D%/status-line.golden

%C%_test_job_report_LDFLAGS = \
	$(AM_LDFLAGS) $(wrap)strerror,--wrap=newlocale
