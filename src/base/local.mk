# base: what every room may use.
noinst_LIBRARIES += %D%/libbase.a
%C%_libbase_a_SOURCES = \
	%D%/clock.h \
	%D%/completion.c %D%/completion.h \
	%D%/descriptor.c %D%/descriptor.h \
	%D%/diag.h \
	%D%/engine.h \
	%D%/facts.c %D%/facts.h \
	%D%/fips180.c %D%/fips180.h \
	%D%/json.c %D%/json.h \
	%D%/lock.h \
	%D%/option.c %D%/option.h \
	%D%/outfile.h \
	%D%/pool.c %D%/pool.h \
	%D%/quote.c %D%/quote.h \
	%D%/rows.h \
	%D%/text.c %D%/text.h \
	%D%/thread.c %D%/thread.h
%C%_libbase_a_CFLAGS = $(PIC_CFLAGS)
