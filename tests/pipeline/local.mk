# pipeline: lanes, workers, order, devices.
pipeline_room_tests = \
	%D%/test-device \
	%D%/test-device-choice \
	%D%/test-device-failures \
	%D%/test-disk \
	%D%/test-far-storage \
	%D%/test-files \
	%D%/test-input \
	%D%/test-mapping \
	%D%/test-order \
	%D%/test-storage \
	%D%/test-streams \
	%D%/test-threads
# These need the program's inputs or its list of devices.
pipeline_wide_tests = \
	%D%/test-engines \
	%D%/test-hand-over \
	%D%/test-shortage
pipeline_tests = $(pipeline_room_tests) $(pipeline_wide_tests)
noinst_HEADERS += \
	%D%/fake-sys.h
check_LIBRARIES += %D%/librig.a
%C%_librig_a_SOURCES = \
	%D%/rig.c %D%/rig.h \
	%D%/rig_cpu.c %D%/rig_device.c %D%/rig_inputs.c \
	%D%/storage.c %D%/storage.h
if !WITH_OPENSSL
%C%_librig_a_SOURCES += tests/support/wrong-crypto.c
endif
$(pipeline_room_tests): private ROOM_LIBS = %D%/librig.a $(PIPELINE_LIBS)
$(pipeline_room_tests): %D%/librig.a $(PIPELINE_LIBS)
$(pipeline_wide_tests): private ROOM_LIBS = %D%/librig.a $(ALL_LIBS)
$(pipeline_wide_tests): %D%/librig.a $(ALL_LIBS)
check_PROGRAMS += $(pipeline_tests)

