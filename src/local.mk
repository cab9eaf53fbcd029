# src: the program.  Everything but main is in libraries, for the tests.
include src/lanes/local.mk
include src/feed/local.mk
include src/pipeline/local.mk
include src/output/local.mk
include src/inputs/local.mk
include src/bench/local.mk
%C%_liboptions_a_SOURCES = \
	%D%/option_rows.c %D%/option_rows.h \
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
CPU_LIBS = cpu/libcpu.a cpu/libmany.a src/base/libbase.a
man1_MANS += man/qpu-sha256sum.1
man7_MANS += \
	man/qpu-sha256sum-json.7 \
	man/qpu-sha256sum-lists.7 \
	man/qpu-sha256sum-machines.7 \
	man/qpu-sha256sum-pi.7 \
	man/qpu-sha256sum-storage.7
schemadir = $(datadir)/qpu-sha256sum
dist_schema_DATA = man/qpu-sha256sum.schema.json
EXTRA_DIST += %D%/README.md man/qpu-sha256sum.1 $(man7_MANS)
