# trace: the execution of a machine as text.
%C%_libtrace_a_SOURCES = \
	%D%/profile.c %D%/profile.h \
	%D%/timeline.c %D%/timeline.h \
	%D%/trace.c %D%/trace.h
%C%_libtrace_a_CFLAGS = $(PIC_CFLAGS)
