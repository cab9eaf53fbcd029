# pi: a model of a Raspberry Pi.

# Shared by qpuemu, its object in other programs, and the emulated devices.
%C%_libpi_a_SOURCES = \
	%D%/bin_list.c \
	%D%/board_memory.c %D%/board_memory.h \
	%D%/buffer_object.c \
	%D%/cma.c %D%/cma.h \
	%D%/emulated_options.c %D%/emulated_options.h \
	%D%/fault.c %D%/fault.def %D%/fault.h \
	%D%/faults.c %D%/faults.h \
	%D%/gpu.c %D%/gpu.h \
	%D%/machine_faults.c \
	%D%/observer.c %D%/observer.h \
	%D%/power.c %D%/power.h \
	%D%/profile.c %D%/profile.h \
	%D%/queue.c \
	%D%/render_node.c %D%/render_node.h \
	%D%/shared.c %D%/shared.h \
	%D%/vc4.h \
	%D%/vc4_job.c \
	%D%/vc4_node.c %D%/vc4_node.h \
	%D%/vcsm.c %D%/vcsm.h \
	%D%/virtual_board.c %D%/virtual_board.h \
	%D%/virtual_firmware.c %D%/virtual_firmware.h
%C%_libpi_a_CFLAGS = $(PIC_CFLAGS)

# Devices of the program on that model.
%C%_libemulated_a_SOURCES = \
	%D%/emulated.c %D%/emulated.h \
	%D%/emulated_tiles.c

EXTRA_DIST += %D%/README.md

if WITH_QPU
noinst_LIBRARIES += %D%/libpi.a %D%/libemulated.a
endif
PI = %D%/libpi.a qpu/validate/libvalidate.a $(EMULATOR) qpu/abi/libabi.a \
	src/base/libbase.a
