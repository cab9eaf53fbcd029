# trace: execution as text.
trace_libs = $(QPU_TOOLCHAIN) $(EMULATOR)
trace_tests = \
	%D%/test-trace
$(trace_tests): private ROOM_LIBS = $(trace_libs)
$(trace_tests): $(trace_libs)
EXTRA_PROGRAMS += $(trace_tests)
if WITH_QPU
check_PROGRAMS += $(trace_tests)
endif
