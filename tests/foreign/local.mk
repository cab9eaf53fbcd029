# foreign: other people's programs.
foreign_suites = \
	%D%/foreign.bats
EXTRA_DIST += $(foreign_suites) \
	%D%/README.md \
	%D%/programs.rows \
	%D%/run
if WITH_TOOLS
TESTS += $(foreign_suites)
endif
