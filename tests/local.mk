# tests: every test speaks TAP.  Folders are those of what is tested.
#
# A C program is named after its only source and is linked with LDADD, unless
# lines below say otherwise.
LDADD = tests/support/libcapture.a $(PROGRAM_LIBS) $(QPU_LIBS) \
	$(TEST_TOOLCHAIN) $(CPU_LIBS) $(CRYPTO_LIBS) -lm
LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) \
	$(top_srcdir)/build-aux/tap-driver.sh

check_LIBRARIES += %D%/support/libcapture.a
%C%_support_libcapture_a_SOURCES = \
	%D%/support/capture.c %D%/support/capture.h
noinst_HEADERS += \
	%D%/asm/message-rows.h \
	%D%/asm/random-inst.h \
	%D%/bench/bench-rig.h \
	%D%/bench/board-bound.h \
	%D%/bench/file-sets.h \
	%D%/cli/command-line.h \
	%D%/debugger/session.h \
	%D%/driver/firmware-double.h \
	%D%/driver/pi-tree.h \
	%D%/driver/vcio-double.h \
	%D%/emulator/emu.h \
	%D%/emulator/reference.h \
	%D%/engine/chains.h \
	%D%/engine/device-double.h \
	%D%/engine/launch-rig.h \
	%D%/kernel/rig.h \
	%D%/pipeline/allocations.h \
	%D%/pipeline/chaining.h \
	%D%/pipeline/dispatch-rig.h \
	%D%/pipeline/fake-dispatch.h \
	%D%/pipeline/fake-sys.h \
	%D%/pipeline/feeder-rig.h \
	%D%/pipeline/locks.h \
	%D%/pipeline/lone-feeder.h \
	%D%/pipeline/numbered.h \
	%D%/pipeline/opinion.h \
	%D%/pipeline/stream-rig.h \
	%D%/pipeline/transfers.h \
	%D%/pipeline/worker-rig.h \
	%D%/scheduler/digest.h \
	%D%/scheduler/small.h \
	%D%/support/balance.h \
	%D%/support/random.h \
	%D%/support/scarce.h \
	%D%/support/tap.h \
	%D%/trace/text.h \
	%D%/virtual/made-board.h \
	%D%/virtual/made-launch.h \
	%D%/validate/reported.h \
	%D%/virtual/trap-device.h \
	%D%/virtual/trap-instructions.h

# --- C programs ----------------------------------------------------------------
check_PROGRAMS += \
	%D%/base/test-descriptor \
	%D%/base/test-descriptor-below \
	%D%/base/test-engine-stats \
	%D%/base/test-plain \
	%D%/base/test-stream \
	%D%/base/test-text \
	%D%/bench/test-balance \
	%D%/bench/test-bench \
	%D%/bench/test-bench-engines \
	%D%/bench/test-cycles \
	%D%/bench/test-listing \
	%D%/bench/test-rates \
	%D%/bench/test-rates-file \
	%D%/bench/test-canary \
	%D%/cli/test-extensions \
	%D%/cli/test-options \
	%D%/cli/test-options-gnu \
	%D%/cli/test-processors \
	%D%/cpu/test-calibration \
	%D%/cpu/test-choice \
	%D%/cpu/test-engine-cpu \
	%D%/cpu/test-engine-cpu-open \
	%D%/cpu/test-engine-reference \
	%D%/cpu/test-features \
	%D%/cpu/test-kernels \
	%D%/cpu/test-libcrypto \
	%D%/cpu/test-messages \
	%D%/cpu/test-sha256 \
	%D%/cpu/test-vectors \
	%D%/inputs/fuzz-checklist \
	%D%/inputs/test-check-source \
	%D%/inputs/test-checklist \
	%D%/inputs/test-directory \
	%D%/inputs/test-listed-names \
	%D%/inputs/test-missing \
	%D%/inputs/test-names \
	%D%/inputs/test-note \
	%D%/inputs/test-pseudo \
	%D%/inputs/test-records \
	%D%/inputs/test-survey \
	%D%/inputs/test-tree \
	%D%/inputs/test-unlisted \
	%D%/output/test-digest-line \
	%D%/output/test-json \
	%D%/output/test-json-line \
	%D%/output/test-output \
	%D%/output/test-quote \
	%D%/output/test-report \
	%D%/output/test-status-line \
	%D%/output/test-ticker \
	%D%/output/test-verdict-report \
	%D%/pipeline/test-balance \
	%D%/pipeline/test-device-choice \
	%D%/pipeline/test-disk \
	%D%/pipeline/test-disk-claims \
	%D%/pipeline/test-dispatch \
	%D%/pipeline/test-dispatch-rests \
	%D%/pipeline/test-engines \
	%D%/pipeline/test-exchange \
	%D%/pipeline/test-feeder \
	%D%/pipeline/test-feeder-inputs \
	%D%/pipeline/test-feeder-turns \
	%D%/pipeline/test-fifo-registry \
	%D%/pipeline/test-hand-over \
	%D%/pipeline/test-lane \
	%D%/pipeline/test-lane-group \
	%D%/pipeline/test-lane-jobs \
	%D%/pipeline/test-look-up \
	%D%/pipeline/test-lookahead \
	%D%/pipeline/test-migrate \
	%D%/pipeline/test-migrate-offers \
	%D%/pipeline/test-mount \
	%D%/pipeline/test-no-descriptors \
	%D%/pipeline/test-patience \
	%D%/pipeline/test-pipeline \
	%D%/pipeline/test-pipeline-start \
	%D%/pipeline/test-progress \
	%D%/pipeline/test-readahead \
	%D%/pipeline/test-reader \
	%D%/pipeline/test-reader-modes \
	%D%/pipeline/test-reader-waits \
	%D%/pipeline/test-rests \
	%D%/pipeline/test-rotating-disks \
	%D%/pipeline/test-sequencer \
	%D%/pipeline/test-sequencer-steps \
	%D%/pipeline/test-shortage \
	%D%/pipeline/test-stream \
	%D%/pipeline/test-stream-inputs \
	%D%/pipeline/test-stream-memory \
	%D%/pipeline/test-turns \
	%D%/pipeline/test-verify \
	%D%/pipeline/test-waits \
	%D%/pipeline/test-worker-turns \
	%D%/pipeline/test-work-rates \
	%D%/pipeline/test-work-speeds \
	%D%/pipeline/test-work-split \
	%D%/pipeline/test-worker
qpu_tests = \
	%D%/asm/test-arena \
	%D%/asm/test-asm \
	%D%/asm/test-constants \
	%D%/asm/test-dialects \
	%D%/asm/test-directives \
	%D%/asm/test-expressions \
	%D%/asm/test-fields \
	%D%/asm/test-fuzz \
	%D%/asm/test-lex \
	%D%/asm/test-limits \
	%D%/asm/test-messages \
	%D%/asm/test-mistakes \
	%D%/asm/test-names \
	%D%/asm/test-refusals \
	%D%/asm/test-source \
	%D%/asm/test-suggest \
	%D%/asm/test-symbols \
	%D%/asm/test-values \
	%D%/debugger/test-command-refusals \
	%D%/debugger/test-commands \
	%D%/debugger/test-launches \
	%D%/debugger/test-line-input \
	%D%/debugger/test-operand \
	%D%/debugger/test-places \
	%D%/debugger/test-setup-word \
	%D%/debugger/test-stops \
	%D%/driver/test-pi-board \
	%D%/driver/test-pi-board-texts \
	%D%/driver/test-pi-details \
	%D%/driver/test-pieces \
	%D%/driver/test-claims-patience \
	%D%/driver/test-claims-stops \
	%D%/driver/test-counters \
	%D%/driver/test-device-options \
	%D%/driver/test-firmware \
	%D%/driver/test-firmware-claims \
	%D%/driver/test-mailbox \
	%D%/driver/test-memory \
	%D%/driver/test-memory-source \
	%D%/driver/test-options \
	%D%/driver/test-registers \
	%D%/driver/test-soc \
	%D%/driver/test-vcio \
	%D%/driver/test-vcio-failures \
	%D%/emulator/test-alu \
	%D%/emulator/test-branch \
	%D%/emulator/test-check \
	%D%/emulator/test-checklist \
	%D%/emulator/test-costs \
	%D%/emulator/test-dma \
	%D%/emulator/test-flags \
	%D%/emulator/test-hazards \
	%D%/emulator/test-fuzz \
	%D%/emulator/test-machine \
	%D%/emulator/test-memory \
	%D%/emulator/test-pack \
	%D%/emulator/test-registers \
	%D%/emulator/test-rotate \
	%D%/emulator/test-shortage \
	%D%/emulator/test-stale \
	%D%/emulator/test-steps \
	%D%/emulator/test-sync \
	%D%/emulator/test-timing \
	%D%/emulator/test-transfers \
	%D%/emulator/test-units \
	%D%/emulator/test-view \
	%D%/emulator/test-vpm \
	%D%/emulator/test-words \
	%D%/engine/test-balance \
	%D%/engine/test-chained \
	%D%/engine/test-chains \
	%D%/engine/test-device-emu \
	%D%/engine/test-engine-qpu \
	%D%/engine/test-engine-steps \
	%D%/engine/test-fault-kinds \
	%D%/engine/test-faults \
	%D%/engine/test-figures \
	%D%/engine/test-known-answer \
	%D%/engine/test-launch \
	%D%/engine/test-launch-results \
	%D%/engine/test-runner \
	%D%/engine/test-segment-plan \
	%D%/engine/test-slow-device \
	%D%/isa/test-disasm \
	%D%/isa/test-linemap \
	%D%/isa/test-pack \
	%D%/kernel/test-kernels \
	%D%/kernel/test-speed \
	%D%/trace/test-notice \
	%D%/trace/test-profile \
	%D%/trace/test-timeline \
	%D%/trace/test-trace \
	%D%/scheduler/test-graph \
	%D%/scheduler/test-schedule \
	%D%/scheduler/test-search \
	%D%/scheduler/test-slot \
	%D%/scheduler/test-solution \
	%D%/validate/test-pair \
	%D%/validate/test-single \
	%D%/validate/test-validate
qpuemu_tests = \
	%D%/virtual/test-balance \
	%D%/virtual/test-board \
	%D%/virtual/test-board-directory \
	%D%/virtual/test-board-files \
	%D%/virtual/test-board-found \
	%D%/virtual/test-buffer-heap \
	%D%/virtual/test-classic \
	%D%/virtual/test-firmware \
	%D%/virtual/test-gpu-costs \
	%D%/virtual/test-gpu-memory \
	%D%/virtual/test-leftovers \
	%D%/virtual/test-pool \
	%D%/virtual/test-profile-system \
	%D%/virtual/test-program \
	%D%/virtual/test-range \
	%D%/virtual/test-trap \
	%D%/virtual/test-trap-arm64 \
	%D%/virtual/test-trap-x86 \
	%D%/virtual/test-x86-decode \
	%D%/virtual/test-x86-operands
if WITH_QPU
check_PROGRAMS += $(qpu_tests)
TEST_TOOLCHAIN = $(QPU_TOOLCHAIN)
endif
if WITH_TOOLS
check_PROGRAMS += \
	%D%/asm/test-hazard-report \
	%D%/emulator/example-fft \
	%D%/emulator/test-balance \
	%D%/emulator/test-qpurun
endif
if WITH_QPUEMU
check_PROGRAMS += $(qpuemu_tests)
# A program as other people write them; the suites of qpuemu run it.
noinst_PROGRAMS += %D%/virtual/board-calls %D%/virtual/board-maps \
	%D%/virtual/board-requests %D%/virtual/board-signals \
	%D%/virtual/show-board %D%/virtual/vcio-client %D%/driver/device-client
%C%_virtual_vcio_client_SOURCES = %D%/virtual/vcio-client.c \
	%D%/virtual/vcio_buffers.c %D%/virtual/vcio_buffers.h \
	%D%/virtual/vcio_hello.c %D%/virtual/vcio_hello.h
%C%_virtual_vcio_client_LDADD =
%C%_virtual_board_calls_LDADD = -ldl
%C%_virtual_board_maps_LDADD =
%C%_virtual_board_requests_LDADD = -ldl
%C%_virtual_board_signals_LDADD = -ldl
%C%_virtual_show_board_SOURCES = %D%/virtual/show-board.c $(virtual_shared)
endif
EXTRA_PROGRAMS += $(qpu_tests) $(qpuemu_tests) \
	%D%/asm/test-hazard-report \
	%D%/emulator/example-fft %D%/emulator/test-balance \
	%D%/virtual/board-calls %D%/virtual/board-maps \
	%D%/virtual/board-requests %D%/virtual/board-signals \
	%D%/virtual/show-board %D%/virtual/vcio-client \
	%D%/emulator/test-qpurun \
	%D%/virtual/vcio-client \
	%D%/driver/device-client

%C%_asm_test_hazard_report_SOURCES = %D%/asm/test-hazard-report.c \
	src/tools/hazard_report.c
%C%_emulator_test_balance_SOURCES = %D%/emulator/test-balance.c \
	src/tools/qpurun/image.c src/tools/qpurun/line_editing.c \
	src/tools/qpurun/message.c src/tools/qpurun/options.c \
	src/tools/qpurun/report.c
%C%_emulator_test_balance_LDADD = $(LDADD) $(LINE_EDITING_LIBS)
%C%_emulator_test_qpurun_SOURCES = %D%/emulator/test-qpurun.c \
	src/tools/qpurun/image.c src/tools/qpurun/message.c \
	src/tools/qpurun/options.c src/tools/qpurun/report.c
%C%_virtual_test_balance_SOURCES = %D%/virtual/test-balance.c \
	$(virtual_shared) src/tools/qpuemu/board_directory.c \
	src/tools/qpuemu/board_files.c \
	src/tools/qpuemu/child.c src/tools/qpuemu/observation.c \
	src/tools/qpuemu/program.c
%C%_virtual_test_balance_LDADD = qpu/virtual/mmio/libmmio.a $(LDADD)
scheduler = qpu/scheduler/libscheduler.a $(LDADD)
%C%_scheduler_test_graph_LDADD = $(scheduler)
%C%_scheduler_test_schedule_LDADD = $(scheduler)
%C%_scheduler_test_search_LDADD = $(scheduler)
%C%_scheduler_test_slot_LDADD = $(scheduler)
%C%_scheduler_test_solution_LDADD = $(scheduler)
%C%_virtual_test_board_SOURCES = %D%/virtual/test-board.c $(virtual_board)
%C%_virtual_test_board_directory_SOURCES = \
	%D%/virtual/test-board-directory.c $(virtual_shared) \
	src/tools/qpuemu/board_directory.c
%C%_virtual_test_board_files_SOURCES = %D%/virtual/test-board-files.c \
	$(virtual_shared) src/tools/qpuemu/board_files.c
%C%_virtual_test_board_found_SOURCES = %D%/virtual/test-board-found.c \
	$(virtual_board)
%C%_virtual_test_buffer_heap_SOURCES = %D%/virtual/test-buffer-heap.c \
	$(virtual_board)
%C%_virtual_test_classic_SOURCES = %D%/virtual/test-classic.c $(virtual_board)
%C%_virtual_test_firmware_SOURCES = %D%/virtual/test-firmware.c \
	$(virtual_board)
%C%_virtual_test_gpu_costs_SOURCES = %D%/virtual/test-gpu-costs.c \
	$(virtual_board)
%C%_virtual_test_gpu_memory_SOURCES = %D%/virtual/test-gpu-memory.c \
	$(virtual_board)
%C%_virtual_test_leftovers_SOURCES = %D%/virtual/test-leftovers.c \
	src/tools/qpuemu/leftovers.c
%C%_virtual_test_pool_SOURCES = %D%/virtual/test-pool.c $(virtual_board)
%C%_virtual_test_profile_system_SOURCES = %D%/virtual/test-profile-system.c \
	$(virtual_shared)
%C%_virtual_test_program_SOURCES = %D%/virtual/test-program.c \
	src/tools/qpuemu/program.c
%C%_virtual_test_range_LDADD = qpu/virtual/mmio/libmmio.a
%C%_virtual_test_trap_LDADD = qpu/virtual/mmio/libmmio.a
%C%_virtual_test_trap_arm64_LDADD = qpu/virtual/mmio/libmmio.a
%C%_virtual_test_trap_x86_LDADD = qpu/virtual/mmio/libmmio.a
%C%_virtual_test_x86_decode_LDADD = qpu/virtual/mmio/libmmio.a
%C%_virtual_test_x86_operands_LDADD = qpu/virtual/mmio/libmmio.a

# Functions that a test replaces by its own.
wrap = $(AM_LDFLAGS) -Wl,--wrap=
balance = $(wrap)malloc,--wrap=calloc,--wrap=realloc,--wrap=aligned_alloc \
	-Wl,--wrap=strdup,--wrap=free,--wrap=mmap,--wrap=mmap64 \
	-Wl,--wrap=munmap,--wrap=pthread_create,--wrap=pthread_join
%C%_asm_test_arena_LDFLAGS = $(wrap)calloc,--wrap=realloc,--wrap=free
%C%_asm_test_hazard_report_LDFLAGS = \
	$(wrap)qpu_validate,--wrap=calloc,--wrap=realloc,--wrap=free
%C%_asm_test_source_LDFLAGS = $(wrap)realloc,--wrap=free
locks = $(wrap)pthread_mutex_init,--wrap=pthread_mutex_destroy \
	-Wl,--wrap=pthread_mutex_lock,--wrap=pthread_mutex_unlock \
	-Wl,--wrap=pthread_mutex_trylock \
	-Wl,--wrap=pthread_cond_init,--wrap=pthread_cond_destroy
fake_dispatch = -Wl,--wrap=dispatch_take,--wrap=dispatch_take_rest \
	-Wl,--wrap=dispatch_return,--wrap=dispatch_wants_workers \
	-Wl,--wrap=dispatch_note_worker,--wrap=dispatch_take_any_rest \
	-Wl,--wrap=dispatch_note_standstill
%C%_base_test_descriptor_LDFLAGS = $(wrap)open,--wrap=open64
%C%_base_test_descriptor_below_LDFLAGS = \
	$(wrap)openat,--wrap=openat64,--wrap=syscall
%C%_base_test_engine_stats_LDFLAGS = \
	$(wrap)clock_gettime,--wrap=__clock_gettime64
%C%_base_test_text_LDFLAGS = $(wrap)realloc
%C%_pipeline_test_turns_LDFLAGS = $(wrap)read
%C%_cli_test_processors_LDFLAGS = \
	$(wrap)fopen,--wrap=fopen64,--wrap=sched_getaffinity
%C%_cpu_test_calibration_LDFLAGS = $(wrap)clock_ns
%C%_cpu_test_engine_cpu_LDFLAGS = \
	$(wrap)libcrypto_load,--wrap=mmap,--wrap=mmap64,--wrap=munmap \
	-Wl,--wrap=libcrypto_blocks
%C%_cpu_test_engine_cpu_open_LDFLAGS = $(wrap)malloc,--wrap=calloc
%C%_cpu_test_libcrypto_LDFLAGS = \
	$(wrap)dlopen,--wrap=dlerror,--wrap=dlsym,--wrap=dlclose
%C%_debugger_test_line_input_LDFLAGS = $(wrap)isatty
%C%_debugger_test_places_LDFLAGS = $(wrap)realloc
%C%_driver_test_claims_patience_LDFLAGS = \
	$(wrap)ioctl,--wrap=clock_ns,--wrap=poll
%C%_driver_test_claims_stops_LDFLAGS = $(wrap)ioctl
%C%_driver_test_firmware_LDFLAGS = \
	$(wrap)open,--wrap=open64,--wrap=flock,--wrap=mailbox_call
%C%_driver_test_firmware_claims_LDFLAGS = $(wrap)ioctl
%C%_driver_test_mailbox_LDFLAGS = $(wrap)ioctl
%C%_driver_test_memory_LDFLAGS = \
	$(wrap)ioctl,--wrap=mmap,--wrap=mmap64,--wrap=munmap
%C%_driver_test_memory_source_LDFLAGS = \
	$(wrap)ioctl,--wrap=mmap,--wrap=mmap64,--wrap=munmap \
	-Wl,--wrap=firmware_open_node,--wrap=open,--wrap=open64,--wrap=read \
	-Wl,--wrap=close
%C%_driver_test_pi_board_LDFLAGS = $(wrap)uname
%C%_driver_test_pi_board_texts_LDFLAGS = $(wrap)uname,--wrap=read
%C%_driver_test_pi_details_LDFLAGS = \
	$(wrap)pi_board_look,--wrap=pi_board_steps,--wrap=mailbox_call \
	-Wl,--wrap=firmware_open_node,--wrap=memory_cma_kib,--wrap=uname
%C%_driver_test_pieces_LDFLAGS = \
	$(wrap)memory_take,--wrap=memory_give_back,--wrap=memory_flush \
	-Wl,--wrap=memory_refresh,--wrap=memory_wipe,--wrap=memory_close \
	-Wl,--wrap=claims_enter,--wrap=claims_leave,--wrap=clock_ns \
	-Wl,--wrap=malloc
%C%_driver_test_registers_LDFLAGS = \
	$(wrap)sched_yield,--wrap=clock_ns,--wrap=memory_publish
vcio_double = \
	$(wrap)pi_board_look,--wrap=firmware_open,--wrap=firmware_open_node \
	-Wl,--wrap=mailbox_call,--wrap=clock_ns,--wrap=mmap,--wrap=mmap64 \
	-Wl,--wrap=munmap,--wrap=calloc,--wrap=free,--wrap=pieces_take,--wrap=pieces_flush \
	-Wl,--wrap=pieces_refresh,--wrap=memory_give_up_cache
%C%_driver_test_vcio_LDFLAGS = $(vcio_double)
%C%_driver_test_vcio_failures_LDFLAGS = $(vcio_double)
%C%_validate_test_validate_LDFLAGS = $(wrap)calloc,--wrap=realloc,--wrap=free
%C%_bench_test_balance_LDFLAGS = $(balance)
%C%_bench_test_bench_LDFLAGS = \
	$(wrap)cycles_open,--wrap=cycles_has_counter,--wrap=cycles_start \
	-Wl,--wrap=cycles_stop,--wrap=cycles_close,--wrap=canary_open \
	-Wl,--wrap=canary_read,--wrap=malloc,--wrap=calloc \
	-Wl,--wrap=realloc,--wrap=aligned_alloc,--wrap=free
%C%_bench_test_canary_LDFLAGS = \
	$(wrap)cycles_hz,--wrap=cpu_kernel_ns,--wrap=cpu_kernel_choose
%C%_bench_test_cycles_LDFLAGS = \
	$(wrap)clock_ns,--wrap=syscall,--wrap=read
%C%_bench_test_listing_LDFLAGS = $(wrap)rates_load,--wrap=realloc
%C%_bench_test_rates_file_LDFLAGS = \
	$(wrap)uname,--wrap=time,--wrap=open,--wrap=open64,--wrap=fdopen
%C%_bench_test_bench_engines_LDFLAGS = $(%C%_bench_test_bench_LDFLAGS)
%C%_emulator_test_balance_LDFLAGS = $(balance)
%C%_emulator_test_shortage_LDFLAGS = \
	$(wrap)calloc,--wrap=realloc,--wrap=aligned_alloc,--wrap=free \
	-Wl,--wrap=dlsym
%C%_emulator_test_qpurun_LDFLAGS = $(wrap)calloc
%C%_engine_test_balance_LDFLAGS = $(balance)
%C%_engine_test_device_emu_LDFLAGS = \
	$(wrap)calloc,--wrap=mmap,--wrap=mmap64,--wrap=munmap \
	-Wl,--wrap=machine_add_memory
%C%_engine_test_engine_steps_LDFLAGS = \
	$(wrap)calloc,--wrap=malloc,--wrap=aligned_alloc
%C%_engine_test_fault_kinds_LDFLAGS = $(wrap)malloc
%C%_engine_test_runner_LDFLAGS = $(wrap)calloc \
	-Wl,--wrap=pthread_mutex_init,--wrap=pthread_mutex_destroy \
	-Wl,--wrap=pthread_mutex_lock,--wrap=pthread_mutex_unlock \
	-Wl,--wrap=pthread_cond_init,--wrap=pthread_cond_destroy \
	-Wl,--wrap=pthread_attr_init,--wrap=pthread_attr_destroy \
	-Wl,--wrap=pthread_cond_wait,--wrap=pthread_create,--wrap=pthread_join
%C%_virtual_test_balance_LDFLAGS = $(balance)
%C%_inputs_test_check_source_LDFLAGS = $(wrap)descriptor_open
%C%_inputs_test_directory_LDFLAGS = $(wrap)readdir,--wrap=readdir64
%C%_inputs_test_listed_names_LDFLAGS = $(wrap)realloc,--wrap=reallocarray
%C%_inputs_test_names_LDFLAGS = \
	$(wrap)malloc,--wrap=free,--wrap=descriptor_open,--wrap=read
%C%_inputs_test_pseudo_LDFLAGS = $(wrap)fstatfs,--wrap=fstatfs64
%C%_inputs_test_records_LDFLAGS = $(wrap)read,--wrap=poll,--wrap=realloc
%C%_inputs_test_unlisted_LDFLAGS = $(wrap)realloc,--wrap=reallocarray
%C%_inputs_test_tree_LDFLAGS = $(wrap)syscall
%C%_isa_test_linemap_LDFLAGS = $(wrap)realloc,--wrap=strdup
%C%_output_test_digest_line_LDFLAGS = $(wrap)realloc
%C%_output_test_json_LDFLAGS = $(wrap)realloc
%C%_output_test_json_line_LDFLAGS = $(wrap)strerror,--wrap=newlocale
%C%_output_test_output_LDFLAGS = $(wrap)write
%C%_output_test_quote_LDFLAGS = $(wrap)realloc
%C%_output_test_report_LDFLAGS = $(wrap)malloc,--wrap=realloc,--wrap=free
%C%_output_test_ticker_LDFLAGS = \
	$(wrap)clock_gettime,--wrap=__clock_gettime64,--wrap=clock_ns \
	-Wl,--wrap=pthread_cond_timedwait \
	-Wl,--wrap=__pthread_cond_timedwait64 \
	-Wl,--wrap=status_line_open,--wrap=status_line_show \
	-Wl,--wrap=status_line_close,--wrap=status_line_erasure \
	-Wl,--wrap=progress_begin,--wrap=progress_expect \
	-Wl,--wrap=progress_words
%C%_output_test_verdict_report_LDFLAGS = $(wrap)realloc
%C%_output_test_status_line_LDFLAGS = \
	$(wrap)pthread_mutex_lock,--wrap=tcgetpgrp
%C%_trace_test_notice_LDFLAGS = $(wrap)realloc
%C%_trace_test_profile_LDFLAGS = $(wrap)calloc
%C%_pipeline_test_balance_LDFLAGS = $(balance)
%C%_pipeline_test_device_choice_LDFLAGS = $(wrap)clock_ns
%C%_pipeline_test_lane_LDFLAGS = $(balance),--wrap=read
%C%_pipeline_test_lane_group_LDFLAGS = $(wrap)$(allocations)
%C%_pipeline_test_lane_jobs_LDFLAGS = \
	$(wrap)descriptor_open,--wrap=disk_read,--wrap=disk_read_cached
%C%_pipeline_test_readahead_LDFLAGS = \
	$(wrap)calloc,--wrap=aligned_alloc,--wrap=free,--wrap=read \
	-Wl,--wrap=pthread_create,--wrap=pthread_join \
	-Wl,--wrap=pthread_cond_wait,--wrap=pthread_cond_signal
%C%_pipeline_test_rotating_disks_LDFLAGS = $(balance)
%C%_pipeline_test_disk_LDFLAGS = \
	$(wrap)disk_read,--wrap=disk_read_cached,--wrap=read \
	-Wl,--wrap=preadv2,--wrap=preadv64v2
%C%_pipeline_test_dispatch_LDFLAGS = \
	$(locks),--wrap=clock_ns,--wrap=malloc \
	-Wl,--wrap=pthread_cond_wait,--wrap=pthread_cond_signal
%C%_pipeline_test_dispatch_rests_LDFLAGS = $(locks),--wrap=clock_ns
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
%C%_pipeline_test_feeder_turns_LDFLAGS = $(lone_feeder)
%C%_pipeline_test_hand_over_LDFLAGS = \
	$(wrap)clock_ns,--wrap=dispatch_take,--wrap=dispatch_leave_rest \
	-Wl,--wrap=stream_resume
%C%_pipeline_test_no_descriptors_LDFLAGS = $(wrap)descriptor_open
%C%_pipeline_test_pipeline_LDFLAGS = \
	$(wrap)read,--wrap=pread,--wrap=pread64 \
	-Wl,--wrap=pthread_create,--wrap=mallopt
%C%_pipeline_test_disk_claims_LDFLAGS = \
	$(locks),--wrap=clock_ns,--wrap=rotating_disks_find \
	-Wl,--wrap=preadv2,--wrap=preadv64v2
%C%_pipeline_test_migrate_offers_LDFLAGS = $(wrap)$(allocations)
%C%_pipeline_test_patience_LDFLAGS = $(wrap)clock_ns,--wrap=poll
%C%_pipeline_test_pipeline_start_LDFLAGS = \
	$(locks),--wrap=worker_new,--wrap=worker_run,--wrap=worker_free \
	-Wl,--wrap=feeder_new,--wrap=feeder_run,--wrap=feeder_free \
	-Wl,--wrap=feeder_dispatch,--wrap=feeder_lose_device \
	-Wl,--wrap=pthread_create,--wrap=pthread_join \
	-Wl,--wrap=mmap,--wrap=mmap64,--wrap=munmap
%C%_pipeline_test_progress_LDFLAGS = $(wrap)clock_gettime
%C%_pipeline_test_sequencer_LDFLAGS = $(wrap)malloc \
	-Wl,--wrap=pthread_cond_broadcast,--wrap=pthread_cond_signal
%C%_pipeline_test_sequencer_steps_LDFLAGS = \
	$(locks),--wrap=poll,--wrap=pthread_cond_wait \
	-Wl,--wrap=pthread_cond_broadcast,--wrap=pthread_cond_signal
%C%_pipeline_test_reader_modes_LDFLAGS = \
	$(wrap)descriptor_open,--wrap=disk_read,--wrap=disk_read_cached \
	-Wl,--wrap=read,--wrap=pread,--wrap=pread64
%C%_pipeline_test_reader_waits_LDFLAGS = \
	$(wrap)read,--wrap=poll,--wrap=posix_fadvise,--wrap=posix_fadvise64
%C%_pipeline_test_waits_LDFLAGS = \
	$(wrap)disk_claim,--wrap=disk_read_cached,--wrap=descriptor_open \
	-Wl,--wrap=reader_next,--wrap=rotating_disks_find \
	-Wl,--wrap=sequencer_wait,--wrap=sequencer_wait_idle \
	$(fake_dispatch)
stream_rig = $(locks),--wrap=clock_ns,--wrap=descriptor_open \
	-Wl,--wrap=read,--wrap=poll,--wrap=malloc,--wrap=calloc
%C%_pipeline_test_stream_LDFLAGS = $(stream_rig)
%C%_pipeline_test_stream_inputs_LDFLAGS = $(stream_rig)
%C%_pipeline_test_worker_LDFLAGS = $(wrap)read
worker_rig = \
	$(wrap)clock_ns,$(transfers) -Wl,--wrap=malloc,--wrap=calloc,--wrap=read \
	-Wl,--wrap=migrate_offer,--wrap=progress_note \
	-Wl,--wrap=dispatch_leave_rest,--wrap=dispatch_return_rest \
	-Wl,--wrap=dispatch_take,--wrap=dispatch_take_rest \
	-Wl,--wrap=dispatch_return,--wrap=dispatch_wants_workers \
	-Wl,--wrap=dispatch_note_worker,--wrap=dispatch_note_standstill
%C%_pipeline_test_stream_memory_LDFLAGS = $(balance)
%C%_pipeline_test_work_split_LDFLAGS = $(wrap)$(allocations)
%C%_pipeline_test_worker_turns_LDFLAGS = $(worker_rig)
%C%_pipeline_test_shortage_LDFLAGS = \
	$(wrap)malloc,--wrap=calloc,--wrap=realloc,--wrap=descriptor_open \
	-Wl,--wrap=descriptor_open_below

EXTRA_DIST += \
	%D%/inputs/corpus/checklist/crlf \
	%D%/inputs/corpus/checklist/escaped \
	%D%/inputs/corpus/checklist/odd \
	%D%/inputs/corpus/checklist/openssl \
	%D%/inputs/corpus/checklist/plain \
	%D%/inputs/corpus/checklist/reversed \
	%D%/inputs/corpus/checklist/signed \
	%D%/inputs/corpus/checklist/tagged \
	%D%/inputs/corpus/checklist/zero \
	%D%/inputs/corpus/checklist/zero-tagged \
	test-data/README \
	test-data/SHA256LongMsg.rsp \
	test-data/SHA256Monte.rsp \
	test-data/SHA256ShortMsg.rsp

# --- Suites: the programs as users see them -----------------------------
# In bats, and one that compares with GNU, command line by command line.
# QPU_TESTS=quick leaves out what takes long, QPU_TESTS=all adds more suites on
# virtual boards (driver/on-board.bats).
TEST_EXTENSIONS = .bats .test
program_suites = \
	%D%/arrows.bats \
	%D%/bench/bench.bats \
	%D%/mutation/mutation.bats \
	%D%/cpu/kernels.bats \
	%D%/cli/changes.bats \
	%D%/cli/check-zero.bats \
	%D%/cli/differential.test \
	%D%/cli/disks.bats \
	%D%/cli/extensions.bats \
	%D%/cli/faults.bats \
	%D%/cli/json.bats \
	%D%/cli/limits.bats \
	%D%/cli/pipes.bats \
	%D%/cli/progress.bats \
	%D%/cli/signals.bats \
	%D%/cli/streams.bats \
	%D%/cli/tree.bats \
	%D%/cli/unlisted.bats \
	%D%/cli/recipes.bats \
	%D%/cli/schema.bats \
	%D%/cli/vectors.bats \
	%D%/package/bootstrap.bats \
	%D%/package/completion.bats \
	%D%/package/configure.bats \
	%D%/package/dist.bats \
	%D%/package/install.bats \
	%D%/package/man.bats \
	%D%/package/parallel.bats
qpu_suites = \
	%D%/engine/emulator.bats \
	%D%/scheduler/qpusched.bats
tool_suites = \
	%D%/asm/qpuasm.bats \
	%D%/asm/qpuasm-outputs.bats \
	%D%/asm/qpuasm-sources.bats \
	%D%/asm/qpudis.bats \
	%D%/emulator/codes.bats \
	%D%/emulator/debugger.bats \
	%D%/emulator/examples.bats \
	%D%/emulator/qpurun.bats \
	%D%/emulator/timeline.bats \
	%D%/foreign/foreign.bats \
	%D%/kernel/sources.bats \
	%D%/kernel/tutorial.bats \
	%D%/validate/reports.bats
qpuemu_suites = \
	%D%/driver/boards.bats \
	%D%/driver/faults.bats \
	%D%/driver/launches.bats \
	%D%/driver/memory.bats \
	%D%/driver/on-board.bats \
	%D%/driver/others.bats \
	%D%/driver/signals.bats \
	%D%/virtual/qpuemu-boards.bats \
	%D%/virtual/qpuemu-calls.bats \
	%D%/virtual/qpuemu-firmware.bats \
	%D%/virtual/qpuemu-heap.bats \
	%D%/virtual/qpuemu-observe.bats \
	%D%/virtual/qpuemu-options.bats \
	%D%/virtual/qpuemu-programs.bats \
	%D%/virtual/qpuemu-wrong.bats \
	%D%/virtual/qpuemu.bats
TESTS += $(check_PROGRAMS) $(program_suites)
if WITH_QPU
TESTS += $(qpu_suites)
endif
if WITH_TOOLS
TESTS += $(tool_suites)
endif
if WITH_QPUEMU
TESTS += $(qpuemu_suites)
endif
EXTRA_DIST += $(program_suites) $(qpu_suites) $(tool_suites) \
	$(qpuemu_suites) \
	%D%/cli/differential/check.rows \
	%D%/cli/differential/input.rows \
	%D%/cli/differential/lists.rows \
	%D%/cli/differential/names.rows \
	%D%/cli/differential/options.rows \
	%D%/cli/differential/recorded.txt \
	%D%/driver/pi.bash \
	%D%/foreign/README.md \
	%D%/foreign/programs.rows \
	%D%/foreign/run \
	%D%/mutation/mutants.py %D%/mutation/mutation.py %D%/mutation/rooms \
	%D%/support/check-arm \
	%D%/support/check-schema.py \
	%D%/support/common.bash \
	%D%/support/no-bats.sh \
	%D%/support/preload.c \
	%D%/support/slow-disk.c \
	%D%/support/wrong-crypto.c \
	%D%/virtual/boards.txt \
	%D%/virtual/check-boards.sh \
	%D%/virtual/qpuemu.bash

BATS_LOG_DRIVER = $(LOG_DRIVER)
if HAVE_BATS
BATS_LOG_COMPILER = $(BATS)
AM_BATS_LOG_FLAGS = --tap
else
BATS_LOG_COMPILER = $(SHELL) $(top_srcdir)/tests/support/no-bats.sh
endif
TEST_LOG_DRIVER = $(LOG_DRIVER)
TEST_LOG_COMPILER = bash
# Whoever calls make: other users may read what tests write, and no test reads
# from a terminal or finds its standard input closed.
AM_TESTS_FD_REDIRECT = </dev/null
AM_TESTS_ENVIRONMENT = umask 022; \
	QPU_SHA256SUM='$(abs_top_builddir)/qpu-sha256sum$(EXEEXT)'; \
	QPU_BUILD='$(abs_top_builddir)'; \
	export QPU_SHA256SUM QPU_BUILD;

# Libraries that suites preload: one makes system calls fail as told, one is a
# model of a rotating disk, one is a libcrypto with wrong results.  They are built without sanitizers, since they
# stand between the program and the C library.
SHARED_OBJECT = $(CC) $(DEFS) $(DEFAULT_INCLUDES) $(AM_CPPFLAGS) $(CPPFLAGS) \
	$(WARN_CFLAGS) $(filter-out -fsanitize=%,$(CFLAGS)) -fPIC -shared
shared_objects = %D%/support/preload.so %D%/support/slow-disk.so \
	%D%/support/wrong-crypto.so
check_DATA += $(shared_objects)
CLEANFILES += $(shared_objects)
%D%/support/preload.so: %D%/support/preload.c config.h
	@$(MKDIR_P) %D%/support
	$(AM_V_CCLD)$(SHARED_OBJECT) -o $@ $(srcdir)/%D%/support/preload.c -ldl
%D%/support/slow-disk.so: %D%/support/slow-disk.c config.h
	@$(MKDIR_P) %D%/support
	$(AM_V_CCLD)$(SHARED_OBJECT) -o $@ $(srcdir)/%D%/support/slow-disk.c \
		-lpthread
wrong_crypto_sources = %D%/support/wrong-crypto.c cpu/sha256.c \
	src/base/fips180.c
%D%/support/wrong-crypto.so: $(wrong_crypto_sources) config.h
	@$(MKDIR_P) %D%/support
	$(AM_V_CCLD)$(SHARED_OBJECT) -Wno-deprecated-declarations -o $@ \
		$(wrong_crypto_sources:%=$(srcdir)/%)

# A reader of what --json prints.
EXTRA_PROGRAMS += %D%/support/json-lines
check_DATA += %D%/support/json-lines$(EXEEXT)

# Ask the installed sha256sum again, and keep its answers.
record-differential:
	bash $(srcdir)/%D%/cli/differential.test --record
.PHONY: record-differential

# The tests on the CPUs of Raspberry Pis; see support/check-arm.
EXTRA_PROGRAMS += %D%/support/stand-in
%C%_support_stand_in_LDFLAGS = -static
%C%_support_stand_in_LDADD =
check-arm: qpuasm$(EXEEXT) %D%/support/stand-in$(EXEEXT)
	@QPUASM='$(abs_builddir)/qpuasm$(EXEEXT)' \
	STAND_IN='$(abs_builddir)/%D%/support/stand-in$(EXEEXT)' \
		bash $(srcdir)/%D%/support/check-arm
.PHONY: check-arm

# What each user of each system on each Raspberry Pi has to change.
check-boards: qpu-sha256sum$(EXEEXT) qpuemu$(EXEEXT) qpuemu.so$(EXEEXT)
	@bash $(srcdir)/%D%/virtual/check-boards.sh ./qpuemu$(EXEEXT) \
		./qpu-sha256sum$(EXEEXT)
.PHONY: check-boards

# Do the tests notice small mistakes?  ONLY is a room or a file, N how many
# mutants, SEED which ones, CHANGED a revision, ID one of those that were shown.
check-data: $(check_DATA)
mutation:
	@nice python3 $(srcdir)/%D%/mutation/mutation.py \
		--source='$(srcdir)' --build=mutation-build \
		--rooms='$(srcdir)/%D%/mutation/rooms' --make='$(MAKE)' \
		--only='$(ONLY)' --count='$(or $(N),20)' \
		--seed='$(or $(SEED),1)' --changed='$(CHANGED)' --id='$(ID)' \
		-- CC='$(CC)'
.PHONY: check-data mutation

# --- Benchmarks ----------------------------------------------------------------
EXTRA_PROGRAMS += \
	%D%/bench/boards %D%/bench/cputime %D%/bench/kernel-causes \
	%D%/emulator/bench-emulator
EXTRA_DIST += \
	%D%/bench/arm-model.sh \
	%D%/bench/kernels.gp %D%/bench/peers.gp %D%/bench/terminal.gp \
	%D%/bench/plots.sh %D%/bench/rows.awk %D%/bench/run.sh \
	%D%/bench/slow-disk.sh %D%/bench/table.sh \
	%D%/bench/tree-sizes.txt
bench_environment = \
	QPU_SHA256SUM='$(abs_top_builddir)/qpu-sha256sum$(EXEEXT)' \
	CPUTIME='$(abs_top_builddir)/%D%/bench/cputime$(EXEEXT)'

# Instructions a second of the emulator.
bench-emulator: %D%/emulator/bench-emulator$(EXEEXT)
	./%D%/emulator/bench-emulator$(EXEEXT)

# Seconds on a rotating disk, modelled.
bench-disk: qpu-sha256sum$(EXEEXT) %D%/support/slow-disk.so
	@bash $(srcdir)/%D%/bench/slow-disk.sh ./qpu-sha256sum$(EXEEXT) \
		./%D%/support/slow-disk.so

# Cycles a byte of the kernels for ARM, modelled.
bench-arm-model:
	@bash $(srcdir)/%D%/bench/arm-model.sh

# Raspberry Pis, simulated with the split of work that the program makes.
bench-boards: %D%/bench/boards$(EXEEXT)
	./%D%/bench/boards$(EXEEXT) $(srcdir)/%D%/bench/tree-sizes.txt

# Against sha256sum, openssl and what is in PEERS; see bench/run.sh.
bench: qpu-sha256sum$(EXEEXT) %D%/bench/cputime$(EXEEXT)
	@$(bench_environment) bash $(srcdir)/%D%/bench/run.sh

# README's table.
bench-table: qpu-sha256sum$(EXEEXT) %D%/bench/cputime$(EXEEXT)
	@$(bench_environment) SCALE="$${SCALE-16}" \
		bash $(srcdir)/%D%/bench/table.sh

# The same as pictures, and where the kernels' clocks go; needs gnuplot.
PLOTS = plots
bench-plots: qpu-sha256sum$(EXEEXT) %D%/bench/cputime$(EXEEXT) \
		%D%/bench/kernel-causes$(EXEEXT)
	@$(bench_environment) PLOTS='$(PLOTS)' \
	KERNEL_CAUSES='$(abs_top_builddir)/%D%/bench/kernel-causes$(EXEEXT)' \
		bash $(srcdir)/%D%/bench/plots.sh
.PHONY: bench bench-arm-model bench-boards bench-disk bench-emulator \
	bench-plots bench-table

# What becomes of each thing that a device may do wrong, in so many runs.
FAULT_RUNS = 1300
fault-table: %D%/engine/test-faults$(EXEEXT)
	./%D%/engine/test-faults$(EXEEXT) --table $(FAULT_RUNS)
.PHONY: fault-table
