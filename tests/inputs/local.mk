# inputs: operands, trees, check lists.
inputs_tests = \
	%D%/test-checklist \
	%D%/test-lists \
	%D%/test-list-rows \
	%D%/test-survey \
	%D%/test-tree \
	%D%/test-unlisted \
	%D%/test-walkers
$(inputs_tests): private ROOM_LIBS = $(OUTPUT_LIBS)
$(inputs_tests): $(OUTPUT_LIBS)
check_PROGRAMS += $(inputs_tests)
