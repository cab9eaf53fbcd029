# pipeline: lanes, workers, order, devices.
pipeline_tests = \
	%D%/test-balance \
	%D%/test-device \
	%D%/test-device-choice \
	%D%/test-device-failures \
	%D%/test-disk \
	%D%/test-disk-claims \
	%D%/test-dispatch \
	%D%/test-dispatch-rests \
	%D%/test-engines \
	%D%/test-exchange \
	%D%/test-feeder \
	%D%/test-feeder-inputs \
	%D%/test-feeder-turns \
	%D%/test-fifo-registry \
	%D%/test-hand-over \
	%D%/test-lane \
	%D%/test-lane-group \
	%D%/test-lane-jobs \
	%D%/test-look-up \
	%D%/test-lookahead \
	%D%/test-migrate \
	%D%/test-migrate-offers \
	%D%/test-mount \
	%D%/test-no-descriptors \
	%D%/test-patience \
	%D%/test-order \
	%D%/test-pipeline \
	%D%/test-pipeline-start \
	%D%/test-progress \
	%D%/test-readahead \
	%D%/test-reader \
	%D%/test-reader-modes \
	%D%/test-reader-waits \
	%D%/test-rests \
	%D%/test-rotating-disks \
	%D%/test-sequencer \
	%D%/test-sequencer-steps \
	%D%/test-shortage \
	%D%/test-stream \
	%D%/test-stream-inputs \
	%D%/test-stream-memory \
	%D%/test-threads \
	%D%/test-turns \
	%D%/test-verify \
	%D%/test-waits \
	%D%/test-worker-turns \
	%D%/test-work-rates \
	%D%/test-work-speeds \
	%D%/test-work-split \
	%D%/test-worker
noinst_HEADERS += \
	%D%/allocations.h \
	%D%/chaining.h \
	%D%/dispatch-rig.h \
	%D%/fake-dispatch.h \
	%D%/fake-sys.h \
	%D%/feeder-rig.h \
	%D%/locks.h \
	%D%/lone-feeder.h \
	%D%/numbered.h \
	%D%/opinion.h \
	%D%/stream-rig.h \
	%D%/transfers.h \
	%D%/worker-rig.h
check_LIBRARIES += %D%/librig.a
%C%_librig_a_SOURCES = %D%/rig.c %D%/rig.h %D%/rig_engines.c
$(pipeline_tests): private ROOM_LIBS = %D%/librig.a $(ALL_LIBS)
$(pipeline_tests): %D%/librig.a $(ALL_LIBS)
check_PROGRAMS += $(pipeline_tests)

locks = $(wrap)pthread_mutex_init,--wrap=pthread_mutex_destroy \
	-Wl,--wrap=pthread_mutex_lock,--wrap=pthread_mutex_unlock \
	-Wl,--wrap=pthread_mutex_trylock \
	-Wl,--wrap=pthread_cond_init,--wrap=pthread_cond_destroy
fake_dispatch = -Wl,--wrap=dispatch_take,--wrap=dispatch_take_rest \
	-Wl,--wrap=dispatch_return,--wrap=dispatch_wants_workers \
	-Wl,--wrap=dispatch_note_worker,--wrap=dispatch_take_any_rest \
	-Wl,--wrap=dispatch_note_standstill
allocations = malloc,--wrap=calloc,--wrap=aligned_alloc,--wrap=free
transfers = --wrap=lane_transfer_new,--wrap=lane_transfer_free
lone_feeder = \
	$(locks),$(transfers) -Wl,--wrap=$(allocations) \
	-Wl,--wrap=clock_ns,--wrap=progress_note \
	-Wl,--wrap=dispatch_plan,--wrap=dispatch_promise_rest \
	-Wl,--wrap=dispatch_note_filling,--wrap=dispatch_note_launch \
	-Wl,--wrap=dispatch_wants_workers,--wrap=dispatch_look_ahead \
	-Wl,--wrap=stream_fill,--wrap=sequencer_publish \
	-Wl,--wrap=sequencer_wait_source \
	-Wl,--wrap=sequencer_set_busy
stream_rig = $(locks),--wrap=clock_ns,--wrap=descriptor_open \
	-Wl,--wrap=read,--wrap=poll,--wrap=malloc,--wrap=calloc
worker_rig = \
	$(wrap)clock_ns,$(transfers) -Wl,--wrap=malloc,--wrap=calloc,--wrap=read \
	-Wl,--wrap=migrate_offer,--wrap=progress_note \
	-Wl,--wrap=dispatch_leave_rest,--wrap=dispatch_return_rest \
	-Wl,--wrap=dispatch_take,--wrap=dispatch_take_rest \
	-Wl,--wrap=dispatch_return,--wrap=dispatch_wants_workers \
	-Wl,--wrap=dispatch_note_worker,--wrap=dispatch_note_standstill
%C%_test_turns_LDFLAGS = $(wrap)read
%C%_test_balance_LDFLAGS = $(balance)
%C%_test_device_choice_LDFLAGS = $(wrap)clock_ns
%C%_test_lane_LDFLAGS = $(balance),--wrap=read
%C%_test_lane_group_LDFLAGS = $(wrap)$(allocations)
%C%_test_lane_jobs_LDFLAGS = \
	$(wrap)descriptor_open,--wrap=disk_read,--wrap=disk_read_cached
%C%_test_readahead_LDFLAGS = \
	$(wrap)calloc,--wrap=aligned_alloc,--wrap=free,--wrap=read \
	-Wl,--wrap=pthread_create,--wrap=pthread_join \
	-Wl,--wrap=pthread_cond_wait,--wrap=pthread_cond_signal
%C%_test_rotating_disks_LDFLAGS = $(balance)
%C%_test_disk_LDFLAGS = \
	$(wrap)disk_read,--wrap=disk_read_cached,--wrap=read \
	-Wl,--wrap=preadv2,--wrap=preadv64v2
%C%_test_dispatch_LDFLAGS = \
	$(locks),--wrap=clock_ns,--wrap=malloc \
	-Wl,--wrap=pthread_cond_wait,--wrap=pthread_cond_signal
%C%_test_dispatch_rests_LDFLAGS = $(locks),--wrap=clock_ns
%C%_test_feeder_turns_LDFLAGS = $(lone_feeder)
%C%_test_hand_over_LDFLAGS = \
	$(wrap)clock_ns,--wrap=dispatch_take,--wrap=dispatch_leave_rest \
	-Wl,--wrap=stream_resume
%C%_test_no_descriptors_LDFLAGS = $(wrap)descriptor_open
%C%_test_pipeline_LDFLAGS = \
	$(wrap)read,--wrap=pread,--wrap=pread64 \
	-Wl,--wrap=pthread_create,--wrap=mallopt
%C%_test_disk_claims_LDFLAGS = \
	$(locks),--wrap=clock_ns,--wrap=rotating_disks_find \
	-Wl,--wrap=preadv2,--wrap=preadv64v2
%C%_test_migrate_offers_LDFLAGS = $(wrap)$(allocations)
%C%_test_patience_LDFLAGS = $(wrap)clock_ns,--wrap=poll
%C%_test_pipeline_start_LDFLAGS = \
	$(locks),--wrap=worker_new,--wrap=worker_run,--wrap=worker_free \
	-Wl,--wrap=feeder_new,--wrap=feeder_run,--wrap=feeder_free \
	-Wl,--wrap=feeder_dispatch,--wrap=feeder_lose_device \
	-Wl,--wrap=pthread_create,--wrap=pthread_join \
	-Wl,--wrap=mmap,--wrap=mmap64,--wrap=munmap
%C%_test_progress_LDFLAGS = $(wrap)clock_gettime
%C%_test_sequencer_LDFLAGS = $(wrap)malloc \
	-Wl,--wrap=pthread_cond_broadcast,--wrap=pthread_cond_signal
%C%_test_sequencer_steps_LDFLAGS = \
	$(locks),--wrap=poll,--wrap=pthread_cond_wait \
	-Wl,--wrap=pthread_cond_broadcast,--wrap=pthread_cond_signal
%C%_test_reader_modes_LDFLAGS = \
	$(wrap)descriptor_open,--wrap=disk_read,--wrap=disk_read_cached \
	-Wl,--wrap=read,--wrap=pread,--wrap=pread64
%C%_test_reader_waits_LDFLAGS = \
	$(wrap)read,--wrap=poll,--wrap=posix_fadvise,--wrap=posix_fadvise64
%C%_test_waits_LDFLAGS = \
	$(wrap)disk_claim,--wrap=disk_read_cached,--wrap=descriptor_open \
	-Wl,--wrap=reader_next,--wrap=rotating_disks_find \
	-Wl,--wrap=sequencer_wait,--wrap=sequencer_wait_idle \
	$(fake_dispatch)
%C%_test_stream_LDFLAGS = $(stream_rig)
%C%_test_stream_inputs_LDFLAGS = $(stream_rig)
%C%_test_worker_LDFLAGS = $(wrap)read
%C%_test_stream_memory_LDFLAGS = $(balance)
%C%_test_work_split_LDFLAGS = $(wrap)$(allocations)
%C%_test_worker_turns_LDFLAGS = $(worker_rig)
%C%_test_shortage_LDFLAGS = \
	$(wrap)malloc,--wrap=calloc,--wrap=realloc,--wrap=descriptor_open \
	-Wl,--wrap=descriptor_open_below
