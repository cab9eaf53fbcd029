# engine: SHA-256 on a device with QPUs.
engine_tests = \
	%D%/test-balance \
	%D%/test-chained \
	%D%/test-chains \
	%D%/test-device-emu \
	%D%/test-engine-qpu \
	%D%/test-engine-steps \
	%D%/test-fault-kinds \
	%D%/test-faults \
	%D%/test-figures \
	%D%/test-known-answer \
	%D%/test-launch \
	%D%/test-launch-results \
	%D%/test-runner \
	%D%/test-segment-plan \
	%D%/test-slow-device
engine_suites = \
	%D%/emulator.bats
noinst_HEADERS += \
	%D%/chains.h \
	%D%/device-double.h \
	%D%/launch-rig.h
EXTRA_DIST += $(engine_suites)
$(engine_tests): private ROOM_LIBS = $(ALL_LIBS)
$(engine_tests): $(ALL_LIBS)
EXTRA_PROGRAMS += $(engine_tests)
if WITH_QPU
check_PROGRAMS += $(engine_tests)
TESTS += $(engine_suites)
endif

%C%_test_balance_LDFLAGS = $(balance)
%C%_test_device_emu_LDFLAGS = \
	$(wrap)calloc,--wrap=mmap,--wrap=mmap64,--wrap=munmap \
	-Wl,--wrap=machine_add_memory
%C%_test_engine_steps_LDFLAGS = \
	$(wrap)calloc,--wrap=malloc,--wrap=aligned_alloc
%C%_test_fault_kinds_LDFLAGS = $(wrap)malloc
%C%_test_runner_LDFLAGS = $(wrap)calloc \
	-Wl,--wrap=pthread_mutex_init,--wrap=pthread_mutex_destroy \
	-Wl,--wrap=pthread_mutex_lock,--wrap=pthread_mutex_unlock \
	-Wl,--wrap=pthread_cond_init,--wrap=pthread_cond_destroy \
	-Wl,--wrap=pthread_attr_init,--wrap=pthread_attr_destroy \
	-Wl,--wrap=pthread_cond_wait,--wrap=pthread_create,--wrap=pthread_join

# What becomes of each thing that a device may do wrong, in so many runs.
FAULT_RUNS = 1300
fault-table: %D%/test-faults$(EXEEXT)
	./%D%/test-faults$(EXEEXT) --table $(FAULT_RUNS)
.PHONY: fault-table
