# kernel: SHA-256 on the QPUs.
#
# The .words files are C rows made from m4 by the qpuasm of this tree.  They
# are distributed; only a change of an m4 file makes them anew.  A cross build
# of a checkout needs a qpuasm that runs here: make QPUASM=/path/to/qpuasm.
QPUASM = ./qpuasm$(EXEEXT)
kernel_words = \
	%D%/hello.words \
	%D%/optimised.words \
	%D%/partial.words \
	%D%/published.words \
	%D%/simple.words
kernel_m4 = \
	%D%/abi.m4 \
	%D%/hello.m4 \
	%D%/optimised.m4 \
	%D%/optimised_hot.m4 \
	%D%/optimised_map.m4 \
	%D%/partial.m4 \
	%D%/plain.m4 \
	%D%/published.m4 \
	%D%/simple.m4
kernel_solutions = \
	%D%/heavy.sol \
	%D%/light.sol \
	%D%/end.sol
EXTRA_DIST += $(kernel_m4) $(kernel_words) $(kernel_solutions)
MOSTLYCLEANFILES += $(kernel_words:.words=.s)
MAINTAINERCLEANFILES = $(kernel_words)

%C%_libkernel_a_SOURCES = \
	%D%/abi.h \
	%D%/words.c %D%/words.h

.m4.words:
	@$(MKDIR_P) %D%
	$(AM_V_GEN)$(M4) -s -I $(srcdir) $< > $*.s && \
	$(QPUASM) --format hex -o $@.tmp $*.s && \
	sed 's/.*/	0x&,/' $@.tmp > $@.new && \
	rm -f $@.tmp && mv -f $@.new $@
SUFFIXES += .m4 .words

# Finds the schedule of the optimised kernel; its output is in the tree.
qpu_scheduler_libscheduler_a_SOURCES = \
	qpu/scheduler/allocation.c qpu/scheduler/allocation.h \
	qpu/scheduler/anneal.c qpu/scheduler/anneal.h \
	qpu/scheduler/body.c qpu/scheduler/body_end.c qpu/scheduler/body.h \
	qpu/scheduler/emit.c qpu/scheduler/emit.h \
	qpu/scheduler/graph.c qpu/scheduler/graph.h \
	qpu/scheduler/schedule.c qpu/scheduler/schedule.h \
	qpu/scheduler/section.c qpu/scheduler/section.h \
	qpu/scheduler/solution.c qpu/scheduler/solution.h
qpusched_SOURCES = qpu/scheduler/qpusched.c
qpusched_LDADD = qpu/scheduler/libscheduler.a qpu/isa/libisa.a -lm

kernel-sources: qpusched$(EXEEXT)
	./qpusched$(EXEEXT) map > $(srcdir)/%D%/optimised_map.m4
	cd $(srcdir) && $(abs_builddir)/qpusched$(EXEEXT) emit \
		$(kernel_solutions) > %D%/optimised_hot.m4
.PHONY: kernel-sources

$(kernel_words): $(kernel_m4) | $(QPUASM)
%D%/words.$(OBJEXT): $(kernel_words)

if WITH_QPU
noinst_LIBRARIES += %D%/libkernel.a qpu/scheduler/libscheduler.a
noinst_PROGRAMS += qpusched
QPU_LIBS += %D%/libkernel.a $(EMULATOR)
endif
