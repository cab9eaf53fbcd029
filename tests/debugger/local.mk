# debugger: the commands of --debug.
debugger_libs = $(QPU_TOOLCHAIN) $(EMULATOR)
debugger_tests = \
	%D%/test-line-input \
	%D%/test-session \
	%D%/test-trace \
	%D%/test-transcripts
EXTRA_DIST += %D%/transcripts.golden
$(debugger_tests): private ROOM_LIBS = $(debugger_libs)
$(debugger_tests): $(debugger_libs)
EXTRA_PROGRAMS += $(debugger_tests)
if WITH_QPU
check_PROGRAMS += $(debugger_tests)
endif
