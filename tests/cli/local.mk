# cli: the program as users see it.
cli_tests = \
	%D%/test-options \
	%D%/test-processors
cli_suites = \
	%D%/accidents.bats \
	%D%/changes.bats \
	%D%/descriptors.bats \
	%D%/differential.test \
	%D%/extensions.bats \
	%D%/faults.bats \
	%D%/hard-links.bats \
	%D%/histories.bats \
	%D%/json.bats \
	%D%/limits.bats \
	%D%/lists.bats \
	%D%/pipes.bats \
	%D%/progress.bats \
	%D%/signals.bats \
	%D%/streams.bats \
	%D%/tree.bats \
	%D%/unlisted.bats \
	%D%/update.bats \
	%D%/recipes.bats \
	%D%/schema.bats \
	%D%/vectors.bats
EXTRA_DIST += $(cli_suites) \
	%D%/differential/check.rows \
	%D%/differential/input.rows \
	%D%/differential/lists.rows \
	%D%/differential/names.rows \
	%D%/differential/options.rows \
	%D%/histories.py \
	%D%/options.golden
$(cli_tests): private ROOM_LIBS = $(ALL_LIBS)
$(cli_tests): $(ALL_LIBS)
check_PROGRAMS += $(cli_tests)
TESTS += $(cli_suites)

# Ask the installed sha256sum again, and keep its answers.
record-differential:
	bash $(srcdir)/%D%/differential.test --record
.PHONY: record-differential
