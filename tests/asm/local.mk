# asm: the assembler, qpuasm, qpudis.
asm_libs = $(QPU_TOOLCHAIN)
asm_tests = \
	%D%/test-asm \
	%D%/test-files \
	%D%/test-golden \
	%D%/test-limits
asm_tool_tests = \
	%D%/test-reports
asm_suites = \
	%D%/qpuasm.bats \
	%D%/qpudis.bats
EXTRA_DIST += $(asm_suites) \
	%D%/directives.golden \
	%D%/encoding.golden \
	%D%/expressions.golden \
	%D%/files.golden \
	%D%/refusals.golden \
	%D%/reports.golden \
	%D%/syntax.golden
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

%C%_test_reports_SOURCES = %D%/test-reports.c src/tools/hazard_report.c
