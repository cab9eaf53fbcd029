# debugger: the commands of --debug.
debugger_libs = $(QPU_TOOLCHAIN) $(EMULATOR)
debugger_tests = \
	%D%/test-command-refusals \
	%D%/test-commands \
	%D%/test-launches \
	%D%/test-line-input \
	%D%/test-operand \
	%D%/test-places \
	%D%/test-setup-word \
	%D%/test-stops
noinst_HEADERS += \
	%D%/session.h
$(debugger_tests): private ROOM_LIBS = $(debugger_libs)
$(debugger_tests): $(debugger_libs)
EXTRA_PROGRAMS += $(debugger_tests)
if WITH_QPU
check_PROGRAMS += $(debugger_tests)
endif

%C%_test_line_input_LDFLAGS = $(wrap)isatty
%C%_test_places_LDFLAGS = $(wrap)realloc
