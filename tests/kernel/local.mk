# kernel: the programs for the QPUs; the tutorial's are here.
kernel_libs = qpu/kernel/libkernel.a $(QPU_TOOLCHAIN) $(EMULATOR) $(CPU_LIBS)
kernel_tests = \
	%D%/test-kernels \
	%D%/test-pair
kernel_suites = \
	%D%/search.bats \
	%D%/sources.bats
tutorial_m4 = \
	%D%/hello.m4 \
	%D%/plain.m4 \
	%D%/simple.m4
tutorial_words = %D%/simple.words
EXTRA_DIST += $(kernel_suites) $(tutorial_m4) $(tutorial_words)
MOSTLYCLEANFILES += $(tutorial_words:.words=.s)
MAINTAINERCLEANFILES += $(tutorial_words)
# The kernels as qpuasm -O makes them without the kept sections.
unscheduled_words = %D%/unscheduled.words %D%/unscheduled-pair.words
EXTRA_DIST += $(unscheduled_words)
MAINTAINERCLEANFILES += $(unscheduled_words)
%D%/unscheduled.words: $(kernel_m4)
%D%/unscheduled-pair.words: $(pair_m4)
%D%/unscheduled-pair.words: private QPUASM_FOR = --for=drm
$(unscheduled_words): $(qpu_opt_libopt_a_SOURCES) | $(QPUASM)
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN)$(M4) -s -DUNSCHEDULED -I $(srcdir) \
		$(filter %/pair.m4 %/optimised.m4,$^) >$@.s && \
	$(QPUASM) $(QPUASM_FOR) -O --format hex -o $@.tmp $@.s && \
	sed 's/.*/	0x&,/' $@.tmp >$@.new && \
	rm -f $@.tmp $@.s && mv -f $@.new $@
%D%/test-kernels.$(OBJEXT): %D%/unscheduled.words
$(tutorial_words): $(tutorial_m4) qpu/kernel/abi.m4 | $(QPUASM)
%D%/test-kernels.$(OBJEXT): $(tutorial_words)
$(kernel_tests): private ROOM_LIBS = $(kernel_libs)
$(kernel_tests): $(kernel_libs)
EXTRA_PROGRAMS += $(kernel_tests)

if WITH_QPU
check_PROGRAMS += $(kernel_tests)
endif
if WITH_TOOLS
TESTS += $(kernel_suites)
# A suite that runs alone needs them.
check_DATA += $(tutorial_words)
endif
