# trace: the execution of a machine as text.
%C%_libtrace_a_SOURCES = \
	%D%/trace.c %D%/trace.h
%C%_libtrace_a_CFLAGS = $(PIC_CFLAGS)
