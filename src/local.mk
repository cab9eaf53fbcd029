# src: the program.  Everything but main is in libraries, for the tests.
%C%_pipeline_libpipeline_a_SOURCES = \
	%D%/pipeline/device_choice.c %D%/pipeline/device_choice.h \
	%D%/lanes/disk.c %D%/lanes/disk.h \
	%D%/feed/dispatch.c %D%/feed/dispatch.h \
	%D%/pipeline/engines.c %D%/pipeline/engines.h \
	%D%/lanes/exchange.c %D%/lanes/exchange.h \
	%D%/pipeline/feeder.c %D%/pipeline/feeder.h \
	%D%/lanes/fifo_registry.c %D%/lanes/fifo_registry.h \
	%D%/lanes/job.h \
	%D%/feed/job_queue.c %D%/feed/job_queue.h \
	%D%/lanes/job_ring.c %D%/lanes/job_ring.h \
	%D%/lanes/lane.c %D%/lanes/lane.h \
	%D%/lanes/lane_group.c %D%/lanes/lane_group.h \
	%D%/feed/look_up.c %D%/feed/look_up.h \
	%D%/pipeline/lookahead.c %D%/pipeline/lookahead.h \
	%D%/lanes/migrate.c %D%/lanes/migrate.h \
	%D%/lanes/mount.c %D%/lanes/mount.h \
	%D%/pipeline/pipeline.c %D%/pipeline/pipeline.h \
	%D%/lanes/progress.c %D%/lanes/progress.h \
	%D%/lanes/readahead.c %D%/lanes/readahead.h \
	%D%/lanes/reader.c %D%/lanes/reader.h \
	%D%/feed/rests.c %D%/feed/rests.h \
	%D%/lanes/rotating_disks.c %D%/lanes/rotating_disks.h \
	%D%/lanes/sequencer.c %D%/lanes/sequencer.h \
	%D%/lanes/source.h \
	%D%/feed/stream.c %D%/feed/stream.h \
	%D%/feed/stream_memory.c %D%/feed/stream_memory.h \
	%D%/feed/stream_set.c %D%/feed/stream_set.h \
	%D%/lanes/verify.c %D%/lanes/verify.h \
	%D%/feed/work_rates.c %D%/feed/work_rates.h \
	%D%/feed/work_split.c %D%/feed/work_split.h \
	%D%/pipeline/worker.c %D%/pipeline/worker.h
%C%_output_liboutput_a_SOURCES = \
	%D%/output/digest_line.c %D%/output/digest_line.h \
	%D%/output/json_line.c %D%/output/json_line.h \
	%D%/output/output.c %D%/output/output.h \
	%D%/output/quote.c %D%/output/quote.h \
	%D%/output/report.c %D%/output/report.h \
	%D%/output/stats.c %D%/output/stats.h \
	%D%/output/status_line.c %D%/output/status_line.h \
	%D%/output/ticker.c %D%/output/ticker.h \
	%D%/output/verdict_report.c %D%/output/verdict_report.h
%C%_inputs_libinputs_a_SOURCES = \
	%D%/inputs/check_source.c %D%/inputs/check_source.h \
	%D%/inputs/checklist.c %D%/inputs/checklist.h \
	%D%/inputs/directory.c %D%/inputs/directory.h \
	%D%/inputs/hash_source.c %D%/inputs/hash_source.h \
	%D%/inputs/input_options.h \
	%D%/inputs/listed_names.c %D%/inputs/listed_names.h \
	%D%/inputs/names.c %D%/inputs/names.h \
	%D%/inputs/note.c %D%/inputs/note.h \
	%D%/inputs/pseudo.c %D%/inputs/pseudo.h \
	%D%/inputs/records.c %D%/inputs/records.h \
	%D%/inputs/survey.c %D%/inputs/survey.h \
	%D%/inputs/tree.c %D%/inputs/tree.h \
	%D%/inputs/unlisted.c %D%/inputs/unlisted.h
%C%_bench_libbench_a_SOURCES = \
	%D%/bench/bench.c %D%/bench/bench.h \
	%D%/bench/canary.c %D%/bench/canary.h \
	%D%/bench/cycles.c %D%/bench/cycles.h \
	%D%/bench/listing.c %D%/bench/listing.h \
	%D%/bench/rates.c %D%/bench/rates.h
%C%_liboptions_a_SOURCES = \
	%D%/extensions.c %D%/extensions.h \
	%D%/options.c %D%/options.h \
	%D%/processors.c %D%/processors.h
PROGRAM_LIBS = \
	%D%/liboptions.a \
	%D%/bench/libbench.a \
	%D%/inputs/libinputs.a \
	%D%/output/liboutput.a \
	%D%/pipeline/libpipeline.a
noinst_LIBRARIES += $(PROGRAM_LIBS)

EXTRA_DIST += %D%/pipeline/README.md

bin_PROGRAMS += qpu-sha256sum
qpu_sha256sum_SOURCES = %D%/main.c
qpu_sha256sum_LDADD = $(PROGRAM_LIBS) $(QPU_LIBS) $(CPU_LIBS)
CPU_LIBS = cpu/libcpu.a src/base/libbase.a
man1_MANS += man/qpu-sha256sum.1
schemadir = $(datadir)/qpu-sha256sum
dist_schema_DATA = man/qpu-sha256sum.schema.json
EXTRA_DIST += %D%/README.md man/qpu-sha256sum.1
