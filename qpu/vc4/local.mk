# vc4: a model of the kernel's driver for the VideoCore IV.
%C%_libvc4_a_SOURCES = \
	%D%/bin_list.c \
	%D%/buffer_object.c \
	%D%/faults.def \
	%D%/vc4_job.c \
	%D%/vc4_node.h \
	%D%/queue.c \
	%D%/vc4.c %D%/vc4.h
%C%_libvc4_a_CFLAGS = $(PIC_CFLAGS)

if WITH_QPU
noinst_LIBRARIES += %D%/libvc4.a
endif
VC4 = %D%/libvc4.a qpu/validate/libvalidate.a $(EMULATOR)
