# scheduler: the search for the kernel; only make search builds and runs it.
scheduler_libs = qpu/scheduler/libscheduler.a qpu/isa/libisa.a
scheduler_tests = %D%/test-search
scheduler_suites = %D%/qpusched.bats
EXTRA_DIST += $(scheduler_suites)
$(scheduler_tests): private ROOM_LIBS = $(scheduler_libs)
$(scheduler_tests): $(scheduler_libs)
EXTRA_PROGRAMS += $(scheduler_tests)
