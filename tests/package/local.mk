# package: what distributors do.  CI's step package tests the tarball and
# configure's refusals; make check does not.
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
