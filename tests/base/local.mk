# base: the small helpers.
base_libs = src/base/libbase.a
base_tests = \
	%D%/test-descriptor \
	%D%/test-json \
	%D%/test-option \
	%D%/test-pool \
	%D%/test-quote \
	%D%/test-text
$(base_tests): private ROOM_LIBS = $(base_libs)
$(base_tests): $(base_libs)
check_PROGRAMS += $(base_tests)
