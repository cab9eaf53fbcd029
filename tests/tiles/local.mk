# tiles: SHA-256 on a tile device.
tiles_tests = \
	%D%/test-tile-faults \
	%D%/test-tiles
noinst_HEADERS += %D%/scripted-tiles.h
$(tiles_tests): private ROOM_LIBS = tests/pipeline/librig.a $(ALL_LIBS)
$(tiles_tests): tests/pipeline/librig.a $(ALL_LIBS)
EXTRA_PROGRAMS += $(tiles_tests)
if WITH_QPU
check_PROGRAMS += $(tiles_tests)
endif
