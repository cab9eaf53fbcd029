# tiles: SHA-256 on a tile device.
%C%_libtiles_a_SOURCES = \
	%D%/engine_tiles.c %D%/engine_tiles.h \
	%D%/known_chain.c %D%/known_chain.h \
	%D%/nonce.c %D%/nonce.h \
	%D%/piece.c %D%/piece.h \
	%D%/stage.c %D%/stage.h \
	%D%/thread_shapes.c %D%/thread_shapes.h \
	%D%/tile_lanes.c %D%/tile_lanes.h \
	%D%/tile_launch.c %D%/tile_launch.h \
	%D%/tile_launch_open.c \
	%D%/tile_plan.c %D%/tile_plan.h

# Its program is made and distributed as those in qpu/kernel/local.mk.
tiles_words = %D%/probe.words
EXTRA_DIST += %D%/README.md %D%/probe.m4 $(tiles_words)
MOSTLYCLEANFILES += $(tiles_words:.words=.s)
MAINTAINERCLEANFILES += $(tiles_words)
$(tiles_words): private QPUASM_FOR = --for=drm
$(tiles_words): %D%/probe.m4 | $(QPUASM)
%D%/tile_launch_open.$(OBJEXT): $(tiles_words)

if WITH_QPU
noinst_LIBRARIES += %D%/libtiles.a
endif
