# scheduler: looks for a shorter schedule of the kernels.
#
# What it found is in the tree, as solutions and as the source made from them,
# so that neither make nor make check builds it.  make search does, checks that
# the solutions give that source, and runs the tests of the search.
EXTRA_LIBRARIES = %D%/libscheduler.a
CLEANFILES += %D%/libscheduler.a
%C%_libscheduler_a_SOURCES = \
	%D%/allocation.c %D%/allocation.h \
	%D%/anneal.c %D%/anneal.h \
	%D%/body.c %D%/body_end.c %D%/body.h \
	%D%/emit.c %D%/emit.h \
	%D%/graph.c %D%/graph.h \
	%D%/ops.c %D%/ops.h \
	%D%/pair.c %D%/pair.h \
	%D%/pair_pass.c %D%/pair_pass.h \
	%D%/schedule.c %D%/schedule.h \
	%D%/section.c %D%/section.h \
	%D%/solution.c %D%/solution.h
EXTRA_PROGRAMS += qpusched
qpusched_SOURCES = %D%/qpusched.c
qpusched_LDADD = %D%/libscheduler.a qpu/isa/libisa.a -lm

kernel_solutions = \
	qpu/kernel/heavy.sol \
	qpu/kernel/light.sol \
	qpu/kernel/end.sol
pair_solutions = \
	qpu/kernel/pair_heavy.sol \
	qpu/kernel/pair_light.sol
EXTRA_DIST += $(kernel_solutions) $(pair_solutions)

search: qpusched$(EXEEXT) qpuasm$(EXEEXT) $(scheduler_tests)
	for test in $(scheduler_tests); do ./$$test$(EXEEXT) || exit 1; done
	$(MAKE) $(AM_MAKEFLAGS) check-TESTS check_PROGRAMS= check_LIBRARIES= \
		check_DATA= TESTS='$(scheduler_suites)'

# The sources of the kernels, from the solutions.
kernel-sources: qpusched$(EXEEXT)
	./qpusched$(EXEEXT) map > $(srcdir)/qpu/kernel/optimised_map.m4
	cd $(srcdir) && $(abs_builddir)/qpusched$(EXEEXT) emit \
		$(kernel_solutions) > qpu/kernel/optimised_hot.m4
	./qpusched$(EXEEXT) map pair > $(srcdir)/qpu/kernel/pair_map.m4
	cd $(srcdir) && $(abs_builddir)/qpusched$(EXEEXT) emit \
		$(pair_solutions) > qpu/kernel/pair_hot.m4
.PHONY: kernel-sources search
