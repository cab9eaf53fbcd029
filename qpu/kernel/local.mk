# kernel: SHA-256 on the QPUs.
#
# A .words file is C rows made from m4 by the qpuasm of this tree.  It is
# distributed; only a change of an m4 file makes it anew.  A cross build
# of a checkout needs a qpuasm that runs here: make QPUASM=/path/to/qpuasm.
QPUASM = ./qpuasm$(EXEEXT)
kernel_words = %D%/optimised.words
kernel_m4 = \
	%D%/abi.m4 \
	%D%/optimised.m4 \
	%D%/optimised_hot.m4 \
	%D%/optimised_map.m4 \
	%D%/optimised_rounds.m4
pair_words = %D%/pair.words
pair_uniforms = %D%/pair.uniforms
pair_m4 = \
	%D%/pair.m4 \
	%D%/pair_hot.m4 \
	%D%/pair_map.m4 \
	%D%/pair_rounds.m4
EXTRA_DIST += %D%/search.sh %D%/README.md $(kernel_m4) $(kernel_words)
EXTRA_DIST += $(pair_m4) $(pair_words) $(pair_uniforms)
MOSTLYCLEANFILES += $(kernel_words:.words=.s) $(pair_words:.words=.s)
MAINTAINERCLEANFILES = $(kernel_words) $(pair_words) $(pair_uniforms)

%C%_libkernel_a_SOURCES = \
	%D%/abi.h \
	%D%/code.c \
	%D%/pair.h

.m4.words:
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN)$(M4) -s -I $(srcdir) $< > $*.s && \
	$(QPUASM) $(QPUASM_FOR) --format hex -o $@.tmp $*.s && \
	sed 's/.*/	0x&,/' $@.tmp > $@.new && \
	rm -f $@.tmp && mv -f $@.new $@
.m4.uniforms:
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN)$(M4) -DPAIR_UNIFORMS -I $(srcdir) $< > $@.new && \
	mv -f $@.new $@
SUFFIXES += .m4 .words .uniforms

$(kernel_words): private QPUASM_FOR = -O
# The optimiser has a part in these.
$(kernel_words): $(kernel_m4) $(qpu_opt_libopt_a_SOURCES) | $(QPUASM)
%D%/code.$(OBJEXT): $(kernel_words) $(pair_words) $(pair_uniforms)
$(pair_words): private QPUASM_FOR = --for=drm
$(pair_words): $(pair_m4) | $(QPUASM)
$(pair_uniforms): $(pair_m4)

# What qpuasm makes of the unscheduled hot sections in EFFORT seconds.
KERNEL = optimised
EFFORT = 60
search: $(QPUASM)
	SOURCE='$(srcdir)' QPUASM='$(QPUASM)' M4='$(M4)' \
		bash $(srcdir)/%D%/search.sh $(KERNEL) $(EFFORT)
.PHONY: search

if WITH_QPU
noinst_LIBRARIES += %D%/libkernel.a
QPU_LIBS += %D%/libkernel.a $(EMULATOR)
endif
