# inputs: operands, trees, check lists.
inputs_tests = \
	%D%/fuzz-checklist \
	%D%/test-check-source \
	%D%/test-checklist \
	%D%/test-directory \
	%D%/test-names \
	%D%/test-records \
	%D%/test-survey \
	%D%/test-tree \
	%D%/test-unlisted
EXTRA_DIST += \
	%D%/corpus/checklist/crlf \
	%D%/corpus/checklist/escaped \
	%D%/corpus/checklist/odd \
	%D%/corpus/checklist/openssl \
	%D%/corpus/checklist/plain \
	%D%/corpus/checklist/reversed \
	%D%/corpus/checklist/signed \
	%D%/corpus/checklist/tagged \
	%D%/corpus/checklist/zero \
	%D%/corpus/checklist/zero-tagged
$(inputs_tests): private ROOM_LIBS = $(OUTPUT_LIBS)
$(inputs_tests): $(OUTPUT_LIBS)
check_PROGRAMS += $(inputs_tests)
