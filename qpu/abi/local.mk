# abi: numbers of the interfaces of the kernel, the firmware and the V3D.
%C%_libabi_a_SOURCES = \
	%D%/dma_heap.h \
	%D%/mailbox.h \
	%D%/soc.c %D%/soc.h \
	%D%/v3d.h \
	%D%/vc4.h \
	%D%/vcsm.h
%C%_libabi_a_CFLAGS = $(PIC_CFLAGS)
