# pipeline: a run: its engine and its threads.
%C%_libpipeline_a_SOURCES = \
	%D%/device_choice.c %D%/device_choice.h \
	%D%/engines.c %D%/engines.h \
	%D%/pipeline.c %D%/pipeline.h
