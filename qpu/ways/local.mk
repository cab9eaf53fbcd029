# ways: how QPUs are reached.
%C%_libways_a_SOURCES = \
	%D%/cleanup.c %D%/cleanup.h \
	%D%/drm.c %D%/drm.h \
	%D%/drm_job.c %D%/drm_job.h \
	%D%/execute.c %D%/execute.h \
	%D%/firmware.c %D%/firmware.h \
	%D%/host.c %D%/host.h \
	%D%/memory_holder.c %D%/memory_holder.h \
	%D%/render.c %D%/render.h \
	%D%/vcio.c \
	%D%/vcio_memory.c %D%/vcio_memory.h \
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
