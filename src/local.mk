# src: the program.  Everything but main is in libraries, for the tests.
include src/lanes/local.mk
include src/feed/local.mk
include src/pipeline/local.mk
%C%_output_liboutput_a_SOURCES = \
	%D%/output/digest_line.c %D%/output/digest_line.h \
	%D%/output/fact_line.c %D%/output/fact_line.h \
	%D%/output/json_line.c %D%/output/json_line.h \
	%D%/output/output.c %D%/output/output.h \
	%D%/output/quote.c %D%/output/quote.h \
	%D%/output/report.c %D%/output/report.h \
	%D%/output/stats.c %D%/output/stats.h \
	%D%/output/status_line.c %D%/output/status_line.h \
	%D%/output/verdict_report.c %D%/output/verdict_report.h
%C%_inputs_libinputs_a_SOURCES = \
	%D%/inputs/check_source.c %D%/inputs/check_source.h \
	%D%/inputs/checklist.c %D%/inputs/checklist.h \
	%D%/inputs/directory.c %D%/inputs/directory.h \
	%D%/inputs/hash_source.c %D%/inputs/hash_source.h \
	%D%/inputs/input_options.h \
	%D%/inputs/listed_names.c %D%/inputs/listed_names.h \
	%D%/inputs/names.c %D%/inputs/names.h \
	%D%/inputs/pseudo.c %D%/inputs/pseudo.h \
	%D%/inputs/records.c %D%/inputs/records.h \
	%D%/inputs/tree.c %D%/inputs/tree.h \
	%D%/inputs/unlisted.c %D%/inputs/unlisted.h
%C%_bench_libbench_a_SOURCES = \
	%D%/bench/bench.c %D%/bench/bench.h \
	%D%/bench/listing.c %D%/bench/listing.h \
	%D%/bench/measure.c %D%/bench/measure.h \
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
	%D%/pipeline/libpipeline.a \
	%D%/feed/libfeed.a \
	%D%/lanes/liblanes.a
noinst_LIBRARIES += $(PROGRAM_LIBS)

bin_PROGRAMS += qpu-sha256sum
qpu_sha256sum_SOURCES = %D%/main.c
qpu_sha256sum_LDADD = $(PROGRAM_LIBS) $(QPU_LIBS) $(CPU_LIBS)
CPU_LIBS = cpu/libcpu.a src/base/libbase.a
man1_MANS += man/qpu-sha256sum.1
schemadir = $(datadir)/qpu-sha256sum
dist_schema_DATA = man/qpu-sha256sum.schema.json
EXTRA_DIST += %D%/README.md man/qpu-sha256sum.1
