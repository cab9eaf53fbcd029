# lanes: jobs, lanes, reading, order.
%C%_liblanes_a_SOURCES = \
	%D%/admission.c %D%/admission.h \
	%D%/buffer_layout.h \
	%D%/disk.c %D%/disk.h \
	%D%/fetch.c %D%/fetch.h \
	%D%/job.h %D%/note.h \
	%D%/job_supply.h \
	%D%/lane.c %D%/lane.h \
	%D%/lane_set.c %D%/lane_set.h \
	%D%/mapping.c %D%/mapping.h \
	%D%/message.c %D%/message.h \
	%D%/prefault.c %D%/prefault.h \
	%D%/progress.c %D%/progress.h \
	%D%/readahead.c %D%/readahead.h \
	%D%/reader.c %D%/reader.h \
	%D%/run.h \
	%D%/sequencer.c %D%/sequencer.h \
	%D%/source.h \
	%D%/verify.c %D%/verify.h \
	%D%/window.c %D%/window.h \
	%D%/worker.c %D%/worker.h
EXTRA_DIST += %D%/README.md
