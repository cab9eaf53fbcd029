# engine: SHA-256 on a device with QPUs.
%C%_libengine_a_SOURCES = \
	%D%/device_emu.c %D%/device_emu.h \
	%D%/engine_qpu.c %D%/engine_qpu.h \
	%D%/faults.c %D%/faults.h \
	%D%/figures.c %D%/figures.h \
	%D%/known_answer.c %D%/known_answer.h \
	%D%/launch.c %D%/launch.h \
	%D%/launch_memory.c %D%/launch_memory.h \
	%D%/launch_result.c \
	%D%/runner.c %D%/runner.h \
	%D%/segment_plan.c %D%/segment_plan.h \
	%D%/tile_device_emu.c %D%/tile_device_emu.h
EXTRA_DIST += %D%/README.md
