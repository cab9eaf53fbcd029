# bench: --benchmark and --list-devices.
%C%_libbench_a_SOURCES = \
	%D%/bench.c %D%/bench.h \
	%D%/listing.c %D%/listing.h \
	%D%/rates.c %D%/rates.h
