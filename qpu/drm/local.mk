# drm: the QPUs through the kernel's driver vc4.
%C%_libdrm_a_SOURCES = \
	%D%/bin_list.c %D%/bin_list.h \
	%D%/clock_job.c %D%/clock_job.h \
	%D%/drm.c %D%/drm.h \
	%D%/drm_details.c %D%/drm_details.h \
	%D%/job.c %D%/job.h \
	%D%/node.c %D%/node.h \
	%D%/render.c %D%/render.h \
	%D%/requests.c %D%/requests.h

# Its programs; made and distributed as those in qpu/kernel/local.mk.
drm_words = \
	%D%/coordinate.words \
	%D%/count.words \
	%D%/vertex.words
EXTRA_DIST += %D%/README.md $(drm_words) $(drm_words:.words=.m4)
MOSTLYCLEANFILES += $(drm_words:.words=.s)
MAINTAINERCLEANFILES += $(drm_words)
$(drm_words): private QPUASM_FOR = --for=drm
$(drm_words): | $(QPUASM)
%D%/render.$(OBJEXT): %D%/coordinate.words %D%/vertex.words
%D%/clock_job.$(OBJEXT): %D%/count.words

if WITH_QPU
noinst_LIBRARIES += %D%/libdrm.a
endif
