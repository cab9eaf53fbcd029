# drm: the driver over the kernel's driver vc4.
drm_tests = \
	%D%/test-nodes \
	%D%/test-render \
	%D%/test-tiles
EXTRA_DIST += \
	%D%/nodes.golden \
	%D%/stock.bats
$(drm_tests): private ROOM_LIBS = $(ALL_LIBS)
$(drm_tests): $(ALL_LIBS)
EXTRA_PROGRAMS += $(drm_tests)
if WITH_QPU
check_PROGRAMS += $(drm_tests)
endif
if WITH_QPUEMU
TESTS += %D%/stock.bats
endif
