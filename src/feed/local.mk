# feed: what keeps a device busy.
%C%_libfeed_a_SOURCES = \
	%D%/backlog.c %D%/backlog.h \
	%D%/device_lane.c %D%/device_lane.h \
	%D%/dispatch.c %D%/dispatch.h \
	%D%/feeder.c %D%/feeder.h \
	%D%/schedule.c %D%/schedule.h
EXTRA_DIST += %D%/README.md
