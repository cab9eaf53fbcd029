# pipeline: lanes, workers, order, devices.
pipeline_tests = \
	%D%/test-balance \
	%D%/test-device \
	%D%/test-device-choice \
	%D%/test-device-failures \
	%D%/test-disk \
	%D%/test-disk-claims \
	%D%/test-engines \
	%D%/test-files \
	%D%/test-fifo-registry \
	%D%/test-hand-over \
	%D%/test-lookahead \
	%D%/test-mount \
	%D%/test-patience \
	%D%/test-order \
	%D%/test-readahead \
	%D%/test-reader \
	%D%/test-reader-modes \
	%D%/test-reader-waits \
	%D%/test-rotating-disks \
	%D%/test-shortage \
	%D%/test-streams \
	%D%/test-threads \
	%D%/test-verify \
	%D%/test-work-rates \
	%D%/test-work-speeds \
	%D%/test-work-split
noinst_HEADERS += \
	%D%/allocations.h \
	%D%/chaining.h \
	%D%/fake-sys.h \
	%D%/feeder-rig.h \
	%D%/locks.h \
	%D%/numbered.h \
	%D%/opinion.h
check_LIBRARIES += %D%/librig.a
%C%_librig_a_SOURCES = %D%/rig.c %D%/rig.h %D%/rig_engines.c
$(pipeline_tests): private ROOM_LIBS = %D%/librig.a $(ALL_LIBS)
$(pipeline_tests): %D%/librig.a $(ALL_LIBS)
check_PROGRAMS += $(pipeline_tests)

locks = $(wrap)pthread_mutex_init,--wrap=pthread_mutex_destroy \
	-Wl,--wrap=pthread_mutex_lock,--wrap=pthread_mutex_unlock \
	-Wl,--wrap=pthread_mutex_trylock \
	-Wl,--wrap=pthread_cond_init,--wrap=pthread_cond_destroy
allocations = malloc,--wrap=calloc,--wrap=aligned_alloc,--wrap=free
%C%_test_balance_LDFLAGS = $(balance)
%C%_test_device_choice_LDFLAGS = $(wrap)clock_ns
%C%_test_readahead_LDFLAGS = \
	$(wrap)calloc,--wrap=aligned_alloc,--wrap=free,--wrap=read \
	-Wl,--wrap=pthread_create,--wrap=pthread_join \
	-Wl,--wrap=pthread_cond_wait,--wrap=pthread_cond_signal
%C%_test_rotating_disks_LDFLAGS = $(balance)
%C%_test_disk_LDFLAGS = \
	$(wrap)disk_read,--wrap=disk_read_cached,--wrap=read \
	-Wl,--wrap=preadv2,--wrap=preadv64v2
%C%_test_disk_claims_LDFLAGS = \
	$(locks),--wrap=clock_ns,--wrap=rotating_disks_find \
	-Wl,--wrap=preadv2,--wrap=preadv64v2
%C%_test_patience_LDFLAGS = $(wrap)clock_ns,--wrap=poll
%C%_test_reader_modes_LDFLAGS = \
	$(wrap)descriptor_open,--wrap=disk_read,--wrap=disk_read_cached \
	-Wl,--wrap=read,--wrap=pread,--wrap=pread64
%C%_test_reader_waits_LDFLAGS = \
	$(wrap)read,--wrap=poll,--wrap=posix_fadvise,--wrap=posix_fadvise64
%C%_test_work_split_LDFLAGS = $(wrap)$(allocations)
%C%_test_shortage_LDFLAGS = \
	$(wrap)malloc,--wrap=calloc,--wrap=realloc,--wrap=descriptor_open \
	-Wl,--wrap=descriptor_open_below
