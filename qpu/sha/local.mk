# sha: SHA-256 on QPUs, in the 16 lanes of a device or as the tiles of one that
# draws.
%C%_libsha_a_SOURCES = \
	%D%/engine_qpu.c %D%/engine_qpu.h \
	%D%/figures.c \
	%D%/forms.c %D%/forms.h \
	%D%/known.c %D%/known.h \
	%D%/lanes.c \
	%D%/lanes_launch.c %D%/lanes_launch.h \
	%D%/lanes_memory.c \
	%D%/lanes_result.c \
	%D%/launcher.h \
	%D%/proofs.h \
	%D%/sample.c %D%/sample.h \
	%D%/thread_shapes.c \
	%D%/tiles.c \
	%D%/tiles_launch.c %D%/tiles_launch.h \
	%D%/tiles_memory.c \
	%D%/tiles_pieces.c \
	%D%/tiles_plan.c %D%/tiles_plan.h

# Its programs are made and distributed as those in qpu/kernel/local.mk.
sha_tiles_words = %D%/probe.words %D%/forms_tiles.words
sha_words = $(sha_tiles_words) %D%/forms_lanes.words
EXTRA_DIST += %D%/FAULTS.md %D%/README.md %D%/probe.m4 $(forms_m4) $(sha_words)
forms_m4 = %D%/forms.m4 %D%/forms_lanes.m4 %D%/forms_tiles.m4
MOSTLYCLEANFILES += $(sha_words:.words=.s)
MAINTAINERCLEANFILES += $(sha_words)
$(sha_tiles_words): private QPUASM_FOR = --for=drm
%D%/probe.words: %D%/probe.m4 | $(QPUASM)
%D%/forms_lanes.words: $(forms_m4) qpu/kernel/abi.m4 | $(QPUASM)
%D%/forms_tiles.words: $(forms_m4) | $(QPUASM)
%D%/tiles.$(OBJEXT): %D%/probe.words
%D%/forms.$(OBJEXT): %D%/forms_lanes.words %D%/forms_tiles.words

if WITH_QPU
noinst_LIBRARIES += %D%/libsha.a
endif
