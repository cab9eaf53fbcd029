# output: lines, messages, JSON, progress.
output_tests = \
	%D%/test-output \
	%D%/test-results \
	%D%/test-status-line
$(output_tests): private ROOM_LIBS = $(OUTPUT_LIBS)
$(output_tests): $(OUTPUT_LIBS)
check_PROGRAMS += $(output_tests)
EXTRA_DIST += %D%/status-line.golden

%C%_test_results_LDFLAGS = \
	$(AM_LDFLAGS) $(wrap)strerror,--wrap=newlocale
