# feed: what keeps a device busy.
%C%_libfeed_a_SOURCES = \
	%D%/backlog.c %D%/backlog.h \
	%D%/dispatch.c %D%/dispatch.h \
	%D%/feeder.c %D%/feeder.h \
	%D%/share.c %D%/share.h \
	%D%/stream.c %D%/stream.h
EXTRA_DIST += %D%/README.md
