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
FUZZ_TARGETS = asm code debugger emulator checklist mailbox vc4

fuzz_library = $(filter %.c %.S,$(sort $(src_base_libbase_a_SOURCES) \
	src/inputs/checklist.c src/output/digest_line.c qpu/ways/drm_job.c \
	$(foreach room,api asm debugger emulator isa opt validate pi, \
		$(qpu_$(room)_lib$(room)_a_SOURCES)) \
	$(qpu_abi_libabi_a_SOURCES)))
fuzz_asm_flags = -dict=%D%/asm.dict -max_len=4096
fuzz_code_flags = -max_len=2048
fuzz_debugger_flags = -dict=%D%/debugger.dict -max_len=512
fuzz_emulator_flags = -max_len=4096
fuzz_checklist_flags = -max_len=4096
fuzz_mailbox_flags = -max_len=4096 -close_fd_mask=2
fuzz_vc4_flags = -max_len=1024
# Seeds are in tests/ROOM/corpus/TARGET; programs are seeds of the emulator as well.
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

# All targets share a library; each links what it needs of it.
fuzz_objects = %D%/objects
fuzz_compile = $(FUZZ_CC) $(DEFS) $(DEFAULT_INCLUDES) $(AM_CPPFLAGS) $(CPPFLAGS) \
	-std=gnu11 $(FUZZ_CFLAGS) -DLIBFUZZER
fuzz_all_objects = $(patsubst %,$(fuzz_objects)/%.o,$(fuzz_library) \
	$(FUZZ_TARGETS:%=%D%/fuzz-%.c))
$(fuzz_all_objects): $(fuzz_objects)/%.o: % config.h
	@$(MKDIR_P) $(@D)
	@$(fuzz_compile) -MMD -MP -c -o $@ $<
$(fuzz_objects)/library.a: $(fuzz_library:%=$(fuzz_objects)/%.o)
	@rm -f $@ && $(AR) rc $@ $^
-include $(fuzz_all_objects:.o=.d)

clean-local: clean-fuzz
fuzz: $(FUZZ_TARGETS:%=fuzz-%)
$(FUZZ_TARGETS:%=fuzz-%): fuzz-%: $(fuzz_objects)/%D%/fuzz-%.c.o \
		$(fuzz_objects)/library.a
	@$(MKDIR_P) %D%/found/$* %D%/broken
	@echo "  FUZZ     $* for $(SECONDS) s"
	@$(FUZZ_CC) $(FUZZ_CFLAGS) -o %D%/fuzz-$* $(filter %.o %.a,$^) -lm
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
	%D%/fuzz-emulator.c %D%/fuzz-mailbox.c %D%/fuzz-vc4.c %D%/corpus
