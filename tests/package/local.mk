# package: what distributors do.
package_suites = \
	%D%/bootstrap.bats \
	%D%/completion.bats \
	%D%/configure.bats \
	%D%/dist.bats \
	%D%/install.bats \
	%D%/libraries.bats \
	%D%/man.bats \
	%D%/parallel.bats
EXTRA_DIST += $(package_suites)
TESTS += $(package_suites)
