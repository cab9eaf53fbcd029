# api: libqpu, the toolchain as a library: qpu.h is all that its users include.
%C%_libapi_a_SOURCES = \
	%D%/hazards.c \
	%D%/machine.c \
	%D%/message.c %D%/message.h \
	%D%/program.c %D%/program.h \
	%D%/qpu.h \
	%D%/text.c
%C%_libapi_a_CFLAGS = $(PIC_CFLAGS)
