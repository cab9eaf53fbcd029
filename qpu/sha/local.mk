# sha: SHA-256 on QPUs, in the 16 lanes of a device or as the tiles of one that
# draws.
%C%_libsha_a_SOURCES = \
	%D%/engine_qpu.c %D%/engine_qpu.h \
	%D%/figures.c %D%/figures.h \
	%D%/known.c %D%/known.h \
	%D%/lanes.c \
	%D%/lanes_launch.c %D%/lanes_launch.h \
	%D%/lanes_memory.c %D%/lanes_memory.h \
	%D%/lanes_result.c \
	%D%/launcher.h \
	%D%/piece.c %D%/piece.h \
	%D%/runner.c %D%/runner.h \
	%D%/sample.c %D%/sample.h \
	%D%/segment_plan.c %D%/segment_plan.h \
	%D%/thread_shapes.c %D%/thread_shapes.h \
	%D%/tiles.c \
	%D%/tiles_launch.c %D%/tiles_launch.h \
	%D%/tiles_plan.c %D%/tiles_plan.h \
	%D%/tiles_stage.c %D%/tiles_stage.h

# Its program is made and distributed as those in qpu/kernel/local.mk.
sha_words = %D%/probe.words
EXTRA_DIST += %D%/README.md %D%/probe.m4 $(sha_words)
MOSTLYCLEANFILES += $(sha_words:.words=.s)
MAINTAINERCLEANFILES += $(sha_words)
$(sha_words): private QPUASM_FOR = --for=drm
$(sha_words): %D%/probe.m4 | $(QPUASM)
%D%/tiles.$(OBJEXT): $(sha_words)

if WITH_QPU
noinst_LIBRARIES += %D%/libsha.a
endif
