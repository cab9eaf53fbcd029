# debugger: the commands of --debug, and what a user sees of a machine.
%C%_libdebugger_a_SOURCES = \
	%D%/debugger.c %D%/debugger.h \
	%D%/line_input.c \
	%D%/operand.c %D%/operand.h \
	%D%/session.c %D%/session.h \
	%D%/show.c \
	%D%/source_text.c \
	%D%/stop.c \
	%D%/trace.c %D%/trace.h
%C%_libdebugger_a_CFLAGS = $(PIC_CFLAGS)
