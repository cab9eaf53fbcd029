# feed: what keeps a device busy.
%C%_libfeed_a_SOURCES = \
	%D%/dispatch.c %D%/dispatch.h \
	%D%/feeder.c %D%/feeder.h \
	%D%/look_ahead.c %D%/look_ahead.h \
	%D%/stream.c %D%/stream.h \
	%D%/stream_memory.c %D%/stream_memory.h \
	%D%/team.c %D%/team.h \
	%D%/work_rates.c %D%/work_rates.h \
	%D%/work_split.c %D%/work_split.h
EXTRA_DIST += %D%/README.md
