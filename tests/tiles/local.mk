# tiles: SHA-256 on a tile device.
tiles_tests = \
	%D%/test-tile-faults \
	%D%/test-tiles
tiles_suites = \
	%D%/tiles.bats
%C%_test_tile_faults_SOURCES = \
	%D%/scripted_tiles.c %D%/scripted_tiles.h %D%/test-tile-faults.c
%C%_test_tiles_SOURCES = \
	%D%/scripted_tiles.c %D%/scripted_tiles.h %D%/test-tiles.c
EXTRA_DIST += $(tiles_suites)
$(tiles_tests): private ROOM_LIBS = tests/pipeline/librig.a $(ALL_LIBS)
$(tiles_tests): tests/pipeline/librig.a $(ALL_LIBS)
EXTRA_PROGRAMS += $(tiles_tests)
if WITH_QPU
check_PROGRAMS += $(tiles_tests)
TESTS += $(tiles_suites)
endif
