# src: the program.  Everything but main is in libraries, for the tests.
%C%_pipeline_libpipeline_a_SOURCES = \
	%D%/pipeline/device_choice.c %D%/pipeline/device_choice.h \
	%D%/pipeline/disk.c %D%/pipeline/disk.h \
	%D%/pipeline/dispatch.c %D%/pipeline/dispatch.h \
	%D%/pipeline/engines.c %D%/pipeline/engines.h \
	%D%/pipeline/exchange.c %D%/pipeline/exchange.h \
	%D%/pipeline/feeder.c %D%/pipeline/feeder.h \
	%D%/pipeline/fifo_registry.c %D%/pipeline/fifo_registry.h \
	%D%/pipeline/job.h \
	%D%/pipeline/job_queue.c %D%/pipeline/job_queue.h \
	%D%/pipeline/job_ring.c %D%/pipeline/job_ring.h \
	%D%/pipeline/lane.c %D%/pipeline/lane.h \
	%D%/pipeline/lane_group.c %D%/pipeline/lane_group.h \
	%D%/pipeline/look_up.c %D%/pipeline/look_up.h \
	%D%/pipeline/lookahead.c %D%/pipeline/lookahead.h \
	%D%/pipeline/migrate.c %D%/pipeline/migrate.h \
	%D%/pipeline/mount.c %D%/pipeline/mount.h \
	%D%/pipeline/pipeline.c %D%/pipeline/pipeline.h \
	%D%/pipeline/progress.c %D%/pipeline/progress.h \
	%D%/pipeline/readahead.c %D%/pipeline/readahead.h \
	%D%/pipeline/reader.c %D%/pipeline/reader.h \
	%D%/pipeline/rests.c %D%/pipeline/rests.h \
	%D%/pipeline/rotating_disks.c %D%/pipeline/rotating_disks.h \
	%D%/pipeline/sequencer.c %D%/pipeline/sequencer.h \
	%D%/pipeline/source.h \
	%D%/pipeline/stream.c %D%/pipeline/stream.h \
	%D%/pipeline/stream_memory.c %D%/pipeline/stream_memory.h \
	%D%/pipeline/stream_set.c %D%/pipeline/stream_set.h \
	%D%/pipeline/verify.c %D%/pipeline/verify.h \
	%D%/pipeline/work_rates.c %D%/pipeline/work_rates.h \
	%D%/pipeline/work_split.c %D%/pipeline/work_split.h \
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
