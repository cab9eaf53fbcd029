# device: what a device with QPUs has to offer.
%C%_libdevice_a_SOURCES = \
	%D%/device.h \
	%D%/emulated_options.c %D%/emulated_options.h \
	%D%/shared_facts.c %D%/shared_facts.h \
	%D%/tile_device.h
%C%_libdevice_a_CFLAGS = $(PIC_CFLAGS)
