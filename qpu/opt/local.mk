# opt: makes programs shorter.
%C%_libopt_a_SOURCES = \
	%D%/flow.c %D%/flow.h \
	%D%/link.c \
	%D%/list.c %D%/list.h \
	%D%/live.c \
	%D%/mutant.h \
	%D%/op.c %D%/op.h \
	%D%/opt.c %D%/opt.h \
	%D%/rename.c %D%/rename.h \
	%D%/resource.def \
	%D%/search.c %D%/search.h \
	%D%/slot.c %D%/slot.h
%C%_libopt_a_CFLAGS = $(PIC_CFLAGS)
# libqpu ends no process: the optimiser's assertions are those of tests/opt/test-random.
%C%_libopt_a_CPPFLAGS = $(AM_CPPFLAGS) -DNDEBUG
