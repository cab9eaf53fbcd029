# fuzz: targets of libFuzzer, built with clang and its sanitizers.
#
#	make fuzz [SECONDS=10] [FUZZ_TARGETS='asm vc4']
#
# Each runs for SECONDS seconds from its corpus; new inputs are kept below
# tests/fuzz/found, and those that broke a promise in tests/fuzz/broken.
FUZZ_CC = clang
FUZZ_CFLAGS = -g1 -O1 -fno-omit-frame-pointer \
	-fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined
SECONDS = 10
FUZZ_TARGETS = asm code debugger emulator job checklist mailbox vc4

fuzz_base = $(src_base_libbase_a_SOURCES)
fuzz_libqpu = $(fuzz_base) $(qpu_api_libapi_a_SOURCES) \
	$(qpu_asm_libasm_a_SOURCES) $(qpu_validate_libvalidate_a_SOURCES) \
	$(qpu_trace_libtrace_a_SOURCES) \
	$(qpu_emulator_libemulator_a_SOURCES) $(qpu_isa_libisa_a_SOURCES)
fuzz_asm_sources = %D%/fuzz-asm.c $(fuzz_libqpu)
fuzz_code_sources = %D%/fuzz-code.c $(fuzz_libqpu)
fuzz_debugger_sources = %D%/fuzz-debugger.c $(fuzz_base) \
	$(qpu_debugger_libdebugger_a_SOURCES) $(qpu_trace_libtrace_a_SOURCES) \
	$(qpu_emulator_libemulator_a_SOURCES) $(qpu_isa_libisa_a_SOURCES)
fuzz_emulator_sources = %D%/fuzz-emulator.c $(fuzz_base) \
	$(qpu_emulator_libemulator_a_SOURCES) $(qpu_isa_libisa_a_SOURCES)
fuzz_job_sources = %D%/fuzz-job.c $(fuzz_base) \
	$(qpu_asm_libasm_a_SOURCES) \
	$(qpu_emulator_libemulator_a_SOURCES) $(qpu_isa_libisa_a_SOURCES)
fuzz_checklist_sources = %D%/fuzz-checklist.c \
	src/inputs/checklist.c src/output/digest_line.c src/base/quote.c \
	src/base/text.c
fuzz_mailbox_sources = %D%/fuzz-mailbox.c $(fuzz_base) \
	$(qpu_virtual_board_libboard_a_SOURCES) $(qpu_abi_libabi_a_SOURCES) \
	$(qpu_ways_libdevice_a_SOURCES) \
	$(qpu_emulator_libemulator_a_SOURCES) $(qpu_isa_libisa_a_SOURCES) \
	$(qpu_trace_libtrace_a_SOURCES) $(qpu_debugger_libdebugger_a_SOURCES) \
	$(qpu_validate_libvalidate_a_SOURCES) $(qpu_vc4_libvc4_a_SOURCES)
fuzz_vc4_sources = %D%/fuzz-vc4.c qpu/ways/drm_job.c $(fuzz_base) \
	$(qpu_emulator_libemulator_a_SOURCES) $(qpu_isa_libisa_a_SOURCES) \
	$(qpu_validate_libvalidate_a_SOURCES) $(qpu_vc4_libvc4_a_SOURCES)
fuzz_asm_flags = -dict=%D%/asm.dict -max_len=4096
fuzz_code_flags = -max_len=2048
fuzz_debugger_flags = -dict=%D%/debugger.dict -max_len=512
fuzz_emulator_flags = -max_len=4096
fuzz_job_flags = -max_len=512
fuzz_checklist_flags = -max_len=4096
fuzz_mailbox_flags = -max_len=4096 -close_fd_mask=2
fuzz_vc4_flags = -max_len=1024
# Seeds are in tests/ROOM/corpus/TARGET; programs are seeds of the emulator, too.
fuzz_emulator_seeds = $(srcdir)/%D%/corpus/code

# Words of the assembler, for its target.
fuzz_names = $(srcdir)/qpu/isa/isa.def $(wildcard $(srcdir)/qpu/asm/*.c)
%D%/asm.dict: $(fuzz_names)
	@$(MKDIR_P) $(@D)
	@grep -Eho '"[^" \%]{1,12}"' $(fuzz_names) | LC_ALL=C sort -u >$@
fuzz-asm: %D%/asm.dict

# Words of the debugger, likewise.
%D%/debugger.dict: $(srcdir)/qpu/debugger/debugger.c \
		$(srcdir)/qpu/debugger/show.c
	@$(MKDIR_P) $(@D)
	@grep -Eho '"[a-z ]{1,16}"' $^ | LC_ALL=C sort -u >$@
fuzz-debugger: %D%/debugger.dict

# All targets share the objects, of which each links what it names.
fuzz_objects = %D%/objects
fuzz_compile = $(FUZZ_CC) $(DEFS) $(DEFAULT_INCLUDES) $(AM_CPPFLAGS) $(CPPFLAGS) \
	-std=gnu11 $(FUZZ_CFLAGS) -DLIBFUZZER

fuzz_objects_of = $(patsubst %,$(fuzz_objects)/%.o,$(sort \
	$(filter %.c %.S,$(fuzz_$1_sources))))
fuzz_all_objects = $(sort $(foreach target,$(FUZZ_TARGETS), \
	$(call fuzz_objects_of,$(target))))
$(fuzz_all_objects): $(fuzz_objects)/%.o: % config.h
	@$(MKDIR_P) $(@D)
	@$(fuzz_compile) -MMD -c -o $@ $<
-include $(fuzz_all_objects:.o=.d)

clean-local: clean-fuzz
fuzz: $(FUZZ_TARGETS:%=fuzz-%)
.SECONDEXPANSION:
$(FUZZ_TARGETS:%=fuzz-%): fuzz-%: $$(call fuzz_objects_of,$$*)
	@$(MKDIR_P) %D%/found/$* %D%/broken
	@echo "  FUZZ     $* for $(SECONDS) s"
	@$(FUZZ_CC) $(FUZZ_CFLAGS) -o %D%/fuzz-$* $(filter %.o,$^) -lm
	@%D%/fuzz-$* -max_total_time=$(SECONDS) -timeout=120 -verbosity=0 \
		-print_final_stats=1 -artifact_prefix=%D%/broken/$*- \
		$(fuzz_$*_flags) %D%/found/$* $(fuzz_$*_seeds) \
		$(wildcard $(srcdir)/tests/*/corpus/$*) \
		>%D%/fuzz-$*.log 2>&1 || { tail -n 60 %D%/fuzz-$*.log; exit 1; }
	@sed -n 's/^stat::number_of_executed_units: */           runs: /p' \
		%D%/fuzz-$*.log
clean-fuzz:
	rm -rf $(fuzz_objects) $(FUZZ_TARGETS:%=%D%/fuzz-%) %D%/fuzz-*.log \
		%D%/*.dict fuzz-mailbox-* %D%/found %D%/broken
.PHONY: fuzz clean-fuzz $(FUZZ_TARGETS:%=fuzz-%)

EXTRA_DIST += %D%/check-program.h %D%/fuzz.h \
	%D%/fuzz-asm.c %D%/fuzz-checklist.c %D%/fuzz-code.c %D%/fuzz-debugger.c \
	%D%/fuzz-emulator.c %D%/fuzz-job.c \
	%D%/fuzz-mailbox.c %D%/fuzz-vc4.c %D%/corpus
