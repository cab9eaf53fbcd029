# feed: what keeps a device busy.
%C%_libfeed_a_SOURCES = \
	%D%/backlog.c %D%/backlog.h \
	%D%/dispatch.c %D%/dispatch.h \
	%D%/feeder.c %D%/feeder.h \
	%D%/offers.c %D%/offers.h \
	%D%/share.c %D%/share.h \
	%D%/stream.c %D%/stream.h \
	%D%/stream_memory.c %D%/stream_memory.h
EXTRA_DIST += %D%/README.md
