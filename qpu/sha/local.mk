# sha: SHA-256 on QPUs, in the 16 lanes of a device or as the tiles of one that
# draws.
%C%_libsha_a_SOURCES = \
	%D%/engine_qpu.c %D%/engine_qpu.h \
	%D%/engine_tiles.c %D%/engine_tiles.h \
	%D%/figures.c %D%/figures.h \
	%D%/known_answer.c %D%/known_answer.h \
	%D%/known_chain.c %D%/known_chain.h \
	%D%/launch.c %D%/launch.h \
	%D%/launch_memory.c %D%/launch_memory.h \
	%D%/launch_result.c \
	%D%/nonce.c %D%/nonce.h \
	%D%/piece.c %D%/piece.h \
	%D%/runner.c %D%/runner.h \
	%D%/segment_plan.c %D%/segment_plan.h \
	%D%/stage.c %D%/stage.h \
	%D%/thread_shapes.c %D%/thread_shapes.h \
	%D%/tile_lanes.c %D%/tile_lanes.h \
	%D%/tile_launch.c %D%/tile_launch.h \
	%D%/tile_launch_open.c \
	%D%/tile_plan.c %D%/tile_plan.h

# Its program is made and distributed as those in qpu/kernel/local.mk.
sha_words = %D%/probe.words
EXTRA_DIST += %D%/README.md %D%/TILES.md %D%/probe.m4 $(sha_words)
MOSTLYCLEANFILES += $(sha_words:.words=.s)
MAINTAINERCLEANFILES += $(sha_words)
$(sha_words): private QPUASM_FOR = --for=drm
$(sha_words): %D%/probe.m4 | $(QPUASM)
%D%/tile_launch_open.$(OBJEXT): $(sha_words)

if WITH_QPU
noinst_LIBRARIES += %D%/libsha.a
endif
