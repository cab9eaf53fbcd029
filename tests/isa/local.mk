# isa: encodings.
isa_libs = $(QPU_TOOLCHAIN)
isa_tests = \
	%D%/test-linemap \
	%D%/test-pack
$(isa_tests): private ROOM_LIBS = $(isa_libs)
$(isa_tests): $(isa_libs)
EXTRA_PROGRAMS += $(isa_tests)
if WITH_QPU
check_PROGRAMS += $(isa_tests)
endif
