# virtual: qpuemu's virtual Raspberry Pi for any program.

# Register access in user space, by fault.
%C%_mmio_libmmio_a_SOURCES = \
	%D%/mmio/next.h \
	%D%/mmio/signals.c %D%/mmio/signals.h \
	%D%/mmio/trap.c %D%/mmio/trap.h
%C%_mmio_libmmio_a_CFLAGS = $(PIC_CFLAGS)

EXTRA_DIST += %D%/README.md

# The object that is preloaded into programs.
preloaddir = $(pkglibdir)
qpuemu_so_SOURCES = \
	%D%/preload/bcm_host.c \
	%D%/preload/interpose_device.c \
	%D%/preload/interpose_open.c \
	%D%/preload/interpose_signal.c \
	%D%/preload/interpose_stat.c %D%/preload/stat_template.h \
	%D%/preload/interpose_time64.c \
	%D%/preload/mapping.c %D%/preload/mapping.h \
	%D%/preload/node.c %D%/preload/node.h
qpuemu_so_CFLAGS = $(PIC_CFLAGS)
qpuemu_so_LINK = $(CC) $(AM_CFLAGS) $(filter-out -fsanitize=%,$(CFLAGS)) \
	$(AM_LDFLAGS) $(filter-out -fsanitize=%,$(LDFLAGS)) -shared \
	-Wl,-z,defs -o $@
if SANITIZED
# It stands between program and C library, so it has no sanitizer: all that is
# in it is compiled once more without.
qpuemu_so_SOURCES += $(src_base_libbase_a_SOURCES) \
	$(qpu_pi_libpi_a_SOURCES) $(%C%_mmio_libmmio_a_SOURCES) \
	$(qpu_abi_libabi_a_SOURCES) \
	$(qpu_debugger_libdebugger_a_SOURCES) \
	$(qpu_emulator_libemulator_a_SOURCES) \
	$(qpu_isa_libisa_a_SOURCES) \
	$(qpu_validate_libvalidate_a_SOURCES)
qpuemu_so_LDADD = -lm
$(qpuemu_so_OBJECTS): CFLAGS := $(filter-out -fsanitize=%,$(CFLAGS))
else
qpuemu_so_LDADD = $(PI) %D%/mmio/libmmio.a src/base/libbase.a -lm
endif

if WITH_QPUEMU
preload_PROGRAMS = qpuemu.so
noinst_LIBRARIES += %D%/mmio/libmmio.a
endif
