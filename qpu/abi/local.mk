# abi: numbers of the kernel's and the firmware's interfaces.
%C%_libabi_a_SOURCES = \
	%D%/dma_heap.h \
	%D%/mailbox.h \
	%D%/soc.c %D%/soc.h \
	%D%/vc4.h \
	%D%/vcsm.h
%C%_libabi_a_CFLAGS = $(PIC_CFLAGS)
