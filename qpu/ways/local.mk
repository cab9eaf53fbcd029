# ways: how QPUs are reached.
%C%_libways_a_SOURCES = \
	%D%/host.c %D%/host.h \
	%D%/buffers.c %D%/buffers.h \
	%D%/drm.c %D%/drm.h \
	%D%/drm_job.c %D%/drm_job.h \
	%D%/execute.c %D%/execute.h \
	%D%/firmware.c %D%/firmware.h \
	%D%/held.c %D%/held.h \
	%D%/render.c %D%/render.h \
	%D%/vcio.c \
	%D%/way.h

# Programs for the kernel's driver; made and distributed as those in
# qpu/kernel/local.mk.
ways_words = \
	%D%/coordinate.words \
	%D%/vertex.words
EXTRA_DIST += %D%/README.md $(ways_words) $(ways_words:.words=.m4)
MOSTLYCLEANFILES += $(ways_words:.words=.s)
MAINTAINERCLEANFILES += $(ways_words)
$(ways_words): private QPUASM_FOR = --for=drm
$(ways_words): | $(QPUASM)
%D%/render.$(OBJEXT): $(ways_words)

if WITH_QPU
noinst_LIBRARIES += %D%/libways.a
endif
