# isa: the instruction set: tables, encoding, disassembler, rules.
%C%_libisa_a_SOURCES = \
	%D%/counter.def \
	%D%/disasm.c %D%/disasm.h \
	%D%/isa.c %D%/isa.def %D%/isa.h \
	%D%/linemap.c %D%/linemap.h \
	%D%/pack.c %D%/pack.h \
	%D%/packet.def %D%/packet.h \
	%D%/rules.c %D%/rules.def %D%/rules.h
%C%_libisa_a_CFLAGS = $(PIC_CFLAGS)
