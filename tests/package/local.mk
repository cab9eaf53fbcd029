# package: what distributors do.
# What is in the tarball and what configure refuses is asked by CI's step package,
# and not by each make check.
distribution_suites = \
	%D%/configure.bats \
	%D%/dist.bats
package_suites = \
	%D%/bootstrap.bats \
	%D%/completion.bats \
	%D%/install.bats \
	%D%/libraries.bats \
	%D%/man.bats \
	%D%/parallel.bats
EXTRA_DIST += $(package_suites) $(distribution_suites)
TESTS += $(package_suites)
