# output: lines, messages, JSON, progress.
output_tests = \
	%D%/test-digest-line \
	%D%/test-json-line \
	%D%/test-output \
	%D%/test-quote \
	%D%/test-report \
	%D%/test-status-line \
	%D%/test-verdict-report
$(output_tests): private ROOM_LIBS = $(ALL_LIBS)
$(output_tests): $(ALL_LIBS)
check_PROGRAMS += $(output_tests)

%C%_test_json_line_LDFLAGS = $(wrap)strerror,--wrap=newlocale
