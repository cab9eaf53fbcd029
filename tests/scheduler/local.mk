# scheduler: the search for the kernel; only make search builds and runs it.
scheduler_suites = %D%/qpusched.bats
EXTRA_DIST += $(scheduler_suites)
