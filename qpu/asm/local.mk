# asm: the assembler.
%C%_libasm_a_SOURCES = \
	%D%/arena.c %D%/arena.h \
	%D%/asm.c %D%/asm.h \
	%D%/assembly.h \
	%D%/block.c \
	%D%/dialect.c \
	%D%/directive.c \
	%D%/encode.c \
	%D%/expr.c \
	%D%/fit.c \
	%D%/inst.c \
	%D%/lex.c \
	%D%/message.c %D%/message.h \
	%D%/word_output.c %D%/word_output.h \
	%D%/reg.c \
	%D%/result.c \
	%D%/run.c \
	%D%/source.c %D%/source.h \
	%D%/stmt.c %D%/stmt.h \
	%D%/symbol.c %D%/symbol.h \
	%D%/value.c %D%/value.h \
	%D%/vc4_qinc.c
%C%_libasm_a_CFLAGS = $(PIC_CFLAGS)
EXTRA_DIST += %D%/README.md
