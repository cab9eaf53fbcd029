# driver: the QPUs of a real Raspberry Pi.
%C%_libdriver_a_SOURCES = \
	%D%/barrier.c %D%/barrier.h \
	%D%/buffer.c %D%/buffer.h \
	%D%/buffers.c %D%/buffers.h \
	%D%/firmware.c %D%/firmware.h \
	%D%/firmware_handles.c %D%/firmware_handles.h \
	%D%/keeper.c %D%/keeper.h \
	%D%/pi_board.c %D%/pi_board.h \
	%D%/pi_details.c %D%/pi_details.h \
	%D%/registers.c %D%/registers.h \
	%D%/v3d_clock.c %D%/v3d_clock.h \
	%D%/vcio.c %D%/vcio.h \
	%D%/vcio_options.c %D%/vcio_options.h
EXTRA_DIST += %D%/README.md
