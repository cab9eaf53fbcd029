# output: lines, messages, JSON, progress.
output_tests = \
	%D%/test-job-report \
	%D%/test-output \
	%D%/test-progress-words \
	%D%/test-report \
	%D%/test-status-line
$(output_tests): private ROOM_LIBS = $(ALL_LIBS)
$(output_tests): $(ALL_LIBS)
check_PROGRAMS += $(output_tests)

%C%_test_job_report_LDFLAGS = \
	$(AM_LDFLAGS) $(wrap)strerror,--wrap=newlocale
