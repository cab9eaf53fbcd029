# scheduler: looks for a shorter schedule of the kernels.
#
# What it found is in the tree, as the source of the kernels, so that neither
# make nor make check builds it.  make search does, checks that it makes the
# same source of what it reads there, and runs the tests of the search.
EXTRA_LIBRARIES = %D%/libscheduler.a
CLEANFILES += %D%/libscheduler.a
%C%_libscheduler_a_SOURCES = \
	%D%/anneal.c %D%/anneal.h \
	%D%/body.c %D%/body.h \
	%D%/graph.c %D%/graph.h \
	%D%/kernel_text.c %D%/kernel_text.h \
	%D%/pair.c %D%/pair.h \
	%D%/schedule.c %D%/schedule.h \
	%D%/section.c %D%/section.h
EXTRA_PROGRAMS += qpusched
qpusched_SOURCES = %D%/qpusched.c
qpusched_LDADD = %D%/libscheduler.a qpu/isa/libisa.a -lm

search: qpusched$(EXEEXT) qpuasm$(EXEEXT)
	$(MAKE) $(AM_MAKEFLAGS) check-TESTS check_PROGRAMS= check_LIBRARIES= \
		check_DATA= TESTS='$(scheduler_suites)'

# The sources of the kernels once more; sections that the file NEW has replace
# those of these sources.
kernel-sources: qpusched$(EXEEXT)
	for kernel in optimised pair; do \
		new=$(srcdir)/qpu/kernel/$$kernel; \
		./qpusched$(EXEEXT) map $$kernel > $${new}_map.m4 && \
		./qpusched$(EXEEXT) emit $$kernel $(NEW) $${new}_hot.m4 \
			> $${new}_hot.m4.tmp && \
		mv -f $${new}_hot.m4.tmp $${new}_hot.m4 || exit 1; \
	done
.PHONY: kernel-sources search
