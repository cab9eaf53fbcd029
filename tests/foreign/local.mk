# foreign: other people's programs.
foreign_suites = \
	%D%/foreign.bats
EXTRA_DIST += $(foreign_suites) \
	%D%/README.md %D%/drm-compare.c %D%/drm-compare.sh %D%/drm-jobs.c %D%/drm-kernel.h \
	%D%/optimise-corpus.sh %D%/optimise.rows \
	%D%/programs.rows \
	%D%/run
if WITH_TOOLS
TESTS += $(foreign_suites)
endif
