# debugger: the commands of --debug, and what a user sees of a machine.
%C%_libdebugger_a_SOURCES = \
	%D%/control.c %D%/control.h \
	%D%/debugger.c %D%/debugger.h \
	%D%/gdb_words.c \
	%D%/line_input.c \
	%D%/operand.c %D%/operand.h \
	%D%/session.c %D%/session.h \
	%D%/show.c \
	%D%/source_text.c
%C%_libdebugger_a_CFLAGS = $(PIC_CFLAGS)
