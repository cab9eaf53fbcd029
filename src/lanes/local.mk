# lanes: jobs, lanes, reading, order.
%C%_liblanes_a_SOURCES = \
	%D%/ahead.c %D%/ahead.h \
	%D%/buffer_layout.h \
	%D%/disk.c %D%/disk.h \
	%D%/holes.c %D%/holes.h \
	%D%/handover.c %D%/handover.h \
	%D%/input.c %D%/input.h \
	%D%/job.h \
	%D%/lane.c %D%/lane.h \
	%D%/mapping.c %D%/mapping.h \
	%D%/message.c %D%/message.h \
	%D%/opening.c %D%/opening.h \
	%D%/page_cache.c %D%/page_cache.h \
	%D%/run.h \
	%D%/sequencer.c %D%/sequencer.h \
	%D%/source.h \
	%D%/worker.c %D%/worker.h
EXTRA_DIST += %D%/README.md
