# asm: the assembler, qpuasm, qpudis.
asm_libs = $(QPU_TOOLCHAIN)
asm_tests = \
	%D%/test-arena \
	%D%/test-asm \
	%D%/test-constants \
	%D%/test-dialects \
	%D%/test-directives \
	%D%/test-expressions \
	%D%/test-fields \
	%D%/test-fuzz \
	%D%/test-lex \
	%D%/test-limits \
	%D%/test-messages \
	%D%/test-mistakes \
	%D%/test-names \
	%D%/test-refusals \
	%D%/test-source \
	%D%/test-suggest \
	%D%/test-symbols \
	%D%/test-values
asm_tool_tests = \
	%D%/test-hazard-report
asm_suites = \
	%D%/qpuasm.bats \
	%D%/qpuasm-outputs.bats \
	%D%/qpuasm-sources.bats \
	%D%/qpudis.bats
noinst_HEADERS += \
	%D%/message-rows.h \
	%D%/random-inst.h
EXTRA_DIST += $(asm_suites)
$(asm_tests) $(asm_tool_tests): private ROOM_LIBS = $(asm_libs)
$(asm_tests) $(asm_tool_tests): $(asm_libs)
EXTRA_PROGRAMS += $(asm_tests) $(asm_tool_tests)
if WITH_QPU
check_PROGRAMS += $(asm_tests)
endif
if WITH_TOOLS
check_PROGRAMS += $(asm_tool_tests)
TESTS += $(asm_suites)
endif

%C%_test_hazard_report_SOURCES = %D%/test-hazard-report.c \
	src/tools/hazard_report.c
%C%_test_arena_LDFLAGS = $(wrap)calloc,--wrap=realloc,--wrap=free
%C%_test_hazard_report_LDFLAGS = \
	$(wrap)qpu_validate,--wrap=calloc,--wrap=realloc,--wrap=free
%C%_test_source_LDFLAGS = $(wrap)realloc,--wrap=free
