# output: all that is printed.
%C%_liboutput_a_SOURCES = \
	%D%/digest_line.c %D%/digest_line.h \
	%D%/output.c %D%/output.h \
	%D%/report.c %D%/report.h \
	%D%/results.c %D%/results.h \
	%D%/stats.c %D%/stats.h \
	%D%/status_line.c %D%/status_line.h
