# ways: how QPUs are reached.
%C%_libways_a_SOURCES = \
	%D%/barrier.c %D%/barrier.h \
	%D%/bin_list.c %D%/bin_list.h \
	%D%/buffer.c %D%/buffer.h \
	%D%/buffers.c %D%/buffers.h \
	%D%/clock_job.c %D%/clock_job.h \
	%D%/drm.c %D%/drm.h \
	%D%/drm_details.c %D%/drm_details.h \
	%D%/emulated.c %D%/emulated.h \
	%D%/emulated_tiles.c \
	%D%/faults.c %D%/faults.h \
	%D%/firmware.c %D%/firmware.h \
	%D%/firmware_handles.c %D%/firmware_handles.h \
	%D%/job.c %D%/job.h \
	%D%/keeper.c %D%/keeper.h \
	%D%/node.c %D%/node.h \
	%D%/pi_board.c %D%/pi_board.h \
	%D%/pi_details.c %D%/pi_details.h \
	%D%/registers.c %D%/registers.h \
	%D%/render.c %D%/render.h \
	%D%/requests.c %D%/requests.h \
	%D%/v3d_clock.c %D%/v3d_clock.h \
	%D%/vcio.c %D%/vcio.h \
	%D%/vcio_options.c %D%/vcio_options.h \
	%D%/way.h
# qpuemu's board has these, too.
%C%_libdevice_a_SOURCES = \
	%D%/emulated_options.c %D%/emulated_options.h \
	%D%/shared_facts.c %D%/shared_facts.h
%C%_libdevice_a_CFLAGS = $(PIC_CFLAGS)

# Programs for the kernel's driver; made and distributed as those in
# qpu/kernel/local.mk.
ways_words = \
	%D%/coordinate.words \
	%D%/count.words \
	%D%/vertex.words
EXTRA_DIST += %D%/README.md %D%/DRM.md $(ways_words) $(ways_words:.words=.m4)
MOSTLYCLEANFILES += $(ways_words:.words=.s)
MAINTAINERCLEANFILES += $(ways_words)
$(ways_words): private QPUASM_FOR = --for=drm
$(ways_words): | $(QPUASM)
%D%/render.$(OBJEXT): %D%/coordinate.words %D%/vertex.words
%D%/clock_job.$(OBJEXT): %D%/count.words

if WITH_QPU
noinst_LIBRARIES += %D%/libways.a %D%/libdevice.a
endif
