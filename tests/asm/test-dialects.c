/* SPDX-License-Identifier: MIT */
/*
 * What published sources write in another form assembles to the same words
 * as the plain form, and where two dialects mean different things a warning
 * says so.
 */
#include "config.h"

#include "qpu/asm/asm.h"

#include <stdlib.h>

#include "tests/support/tap.h"

/* Each row: the foreign form, the plain form, and the warning, or 0. */
static const struct {
	const char *foreign;
	const char *plain;
	unsigned warning;
} rows[] = {
	/* Conditions. */
	{ "mov.ifcc r0, r1", "mov r0.cc, r1", 0 },
	{ "mov.ifcs r0, r1", "mov.ifc r0, r1", 0 },
	{ "mov.ifzs r0, r1", "mov.ifz r0, r1", 0 },
	{ "mov.ifzc r0, r1", "mov.ifnz r0, r1", 0 },
	{ "mov.ifns r0, r1", "mov.ifn r0, r1", 0 },
	{ "mov r0.cs, r1", "mov.ifc r0, r1", 0 },
	{ "mov r0.zs, r1", "mov.ifz r0, r1", 0 },
	{ "mov r0.zc, r1", "mov.ifnz r0, r1", 0 },
	{ "mov r0.ns, r1", "mov.ifn r0, r1", 0 },
	{ "mov.ifnc r0, r1", "mov.ifcc r0, r1", 200 },
	{ "mov r0.nc, r1", "mov.ifcc r0, r1", 200 },
	{ "brr.allcc -, 0", "brr.allnc -, 0", 0 },
	{ "brr.allcs -, 0", "brr.allc -, 0", 0 },
	{ "brr.anycc -, 0", "brr.anync -, 0", 0 },
	{ "brr.anycs -, 0", "brr.anyc -, 0", 0 },

	/* Pack and unpack suffixes. */
	{ "add r0, r4, ra1.unpack8b", "add r0, r4, ra1.8b", 0 },
	{ "fadd.unpack8af r0, r4, r1", "fadd r0, r4.8a, r1", 0 },
	{ "add.unpack8af r0, r4, ra1", "add r0, r4.8a, ra1", 0 },
	{ "add.unpack16bi r0, r4, ra1", "add r0, r4, ra1.16b", 0 },
	{ "add r0, ra0.8dr, ra0", "add r0, ra0.8dr, ra0.8dr", 205 },
	{ "add r0, ra0, ra0.8a", "add r0, ra0.8a, ra0.8a", 205 },
	{ "mov r0, ra0.16af", "fmin r0, ra0.16a, ra0.16a", 0 },
	{ "mov r0, ra0.16af; fmul r1, ra0.16af, ra0.16af",
	  "fmin r0, ra0.16a, ra0.16a; fmul r1, ra0.16a, ra0.16a", 0 },
	{ "mov r0, ra1.8ddupe", "mov r0, ra1.8dr", 0 },
	{ "mov.unpack8ddupe r0, ra1", "mov r0, ra1.8dr", 0 },
	{ "mov ra1.8ddupe, r0", "mov ra1.8abcd, r0", 0 },
	{ "mov ra1.8ddupeclamp, r0", "mov ra1.8abcds, r0", 0 },
	{ "mov ra1.8aclamp, r0", "mov ra1.8as, r0", 0 },
	{ "mov.pack16aclamp ra1, r0", "mov ra1.16as, r0", 0 },
	{ "mov ra1.pack8b, r0", "mov ra1.8b, r0", 0 },

	/* Constants. */
	{ "add r0, r1, 16", "sub r0, r1, -16", 0 },
	{ "sub r0, r1, 16", "add r0, r1, -16", 0 },
	{ "add r0, 16, r1", "sub r0, r1, -16", 0 },
	{ "add.setf r0, r1, 16", "sub.setf r0, r1, -16", 201 },
	{ "mov r0, 0x80000000; mov r1, 1", "ror r0, 1, 1; mov r1, 1", 0 },
	{ "mov r1, 1; mov r0, 0x80000000", "clz r1, 2.0; v8adds r0, 2.0, 2.0",
	  0 },
	{ "mov r0, 12; mov r1, -13", "not r0, -13; mov r1, -13", 0 },
	{ "mov r0, 64; add r1, r2, 8", "add r1, r2, 8; mul24 r0, 8, 8", 0 },
	{ "mov ra0, 0xf3f3f3f3; mov rb0, 12",
	  "not rb0, -13; mmov ra0.8abcdi, -13", 0 },
	{ "mov r0, 128; mov ra1, r3", "ftoi r0, 128.0; mov ra1, r3", 0 },
	{ "mov r0, 3.0; mov ra1, r3", "itof r0, 3; mov ra1, r3", 0 },
	{ "mov ra1, rb1, 5", "mov ra1, 5; mov rb1, 5", 0 },
	{ "mov ra1, rb1, 0x12345", "ldi ra1, rb1, 0x12345", 0 },
	{ "mov ra1, rb2, r3", "mov ra1, r3; mov rb2, r3", 0 },
	{ "mov.setf ra1, rb2, r3", "mov.setf ra1, r3; mov rb2, r3", 0 },
	{ "mov ra1, rb2, sacq3", "sacq ra1, rb2, 3", 0 },
	{ "srel -, 0x13", "srel -, 3", 0 },
	{ "sacq -, 0x13", "sacq -, 3", 0 },

	/* Suffixes that pack and unpack. */
	{ "mov ra1.8aclamp, r0", "mov ra1.8as, r0", 0 },
	{ "mov ra1.8aclampi, r0", "mov ra1.8asi, r0", 0 },
	{ "mov ra1.pack16bs, r0", "mov ra1.16bs, r0", 0 },
	{ "mov r0, ra1.unpack16a", "mov r0, ra1.16a", 0 },
	{ "mov ra1.8888, r0", "mov ra1.8abcd, r0", 0 },
	{ "mov r0, ra1.8dr", "mov r0, ra1.8ddup", 0 },

	/* Operations without effect, and reads. */
	{ "anop", "nop", 0 },
	{ "mnop", "nop", 0 },
	{ "anop; mov r0, r1", "nop; mov r0, r1", 0 },
	{ "nop ra1; mov r0, r1", "anop ra1; mmov r0, r1", 0 },
	{ "mnop; mov r0, r1", "mov r0, r1", 0 },
	{ "read 8", ".int 0x009c8000, 0xd00009e7", 0 },

	/* A base in a register and the offset of a label. */
	{ "bra ra1, ra30, r:x\nnop\n:x", "bra ra1, ra30, 16\nnop", 0 },
	{ "brr -, 8 + r:x\nnop\n:x", "brr -, r:x + 8\nnop\n:x", 0 },

	/* Flags. */
	{ "mov.sf r0, r1", "mov.setf r0, r1", 0 },
	{ "mov r0.sf, r1", "mov.setf r0, r1", 0 },
	{ "mov r0.setf.z, r1", "mov.setf.ifz r0, r1", 0 },
	{ "ldi.setf r0, 500\nldi.ifz r0, 500\nsacq.setf.ifz r0, 1",
	  "ldi r0.setf, 500\nldi r0.z, 500\nsacq r0.z.setf, 1", 0 },

	/* Rotations of what rotates within groups of four lanes only. */
	{ "mul24 r2, ra0 << 8, r1 << 8", "mul24.rot -8, r2, ra0, r1", 202 },
	{ "nop; mul24 r2, ra0, r1 << 8", "mul24.rot -8, r2, ra0, r1", 202 },
	{ "nop; fmul r0, r0 << 7, ra0 << 3", "fmul.rot -7, r0, r0, ra0", 202 },
	{ "nop; fmul r0, r0 << 7, r4 << 3", "fmul.rot -7, r0, r0, r4", 202 },
	{ "nop; fmul r0, r4 << 3, r0 << 7", "fmul.rot -7, r0, r4, r0", 202 },
	{ "nop; fmul r0, r3 << 7, r3 << 7", "fmul.rot -7, r0, r3, r3", 0 },
	{ "nop; fmul r2 >> 8, r4, ra0", "fmul.rot 8, r2, r4, ra0", 202 },
	{ "nop; fmul r0, r0 << 8, r1", "fmul r0, r0 << 8, r1 << 8", 203 },
	{ "mov r0, ra1 << 1", "mov.rot -1, r0, ra1", 202 },
	{ "mov.rot r5, r0, r1", "mov r0, r1 << r5", 0 },
	{ "mov.rot 3, r0, r1", "mov r0, r1 >> 3", 0 },
	{ "mov.rot -15, r0, r1", "mov r0, r1 >> 1", 0 },
	{ "mov r0 << 3, r1", "mov r0, r1 >> 3", 0 },
	{ "mov r0 >> 3, r1", "mov r0, r1 >> 13", 0 },
	{ "mov r0 << r5, r1", "mov r0, r1 << r5", 0 },
	{ "mov r0 >> r5, r1", "mov r0, r1 << r5", 0 },
	{ "mov r0, r1 << 18", "mov r0, r1 << 2", 0 },

	/* Labels and blocks. */
	{ ".macro m\n:l .rep i, 2\nnop\n.endr\n.endm\nm", "nop\nnop", 0 },
	{ "l: .if 1\nl2: .if 0\nbkpt\n.endif\nnop\n.endif", "nop", 0 },
	{ ":1 .local\nnop\n.endloc\nbrr -, r:1b", "nop\nbrr -, -40", 0 },
	{ ":0_start nop\nbrr -, r:0_start", "nop\nbrr -, -40", 0 },
	{ ":a nop\n:0b1x nop\nldi r0, :0b1x - :a", "nop\nnop\nldi r0, 8", 0 },
	{ ".rep q, 2\n:0_a .int :0_b - :0_a\n.int 0\n:0_b .int 7\n.endr",
	  ".int 8, 0, 7, -4, 0, 7", 0 },
	{ ": nop\n:\n: : bkpt", "nop\nbkpt", 0 },
	{ "brr -, :7\n:7 nop", "brr -, -24\nnop", 0 },
	{ ".foreach x, ra1, rb2, 3\nmov r0, x\n.endfor",
	  "mov r0, ra1\nmov r0, rb2\nmov r0, 3", 0 },
	{ ".foreach x, 1\nmov r0, x\n.endr", "mov r0, 1", 0 },
	{ ".if 0\n.elif 1\nnop\n.endif\n.rep i, 1\nbkpt\n.endrep", "nop\nbkpt",
	  0 },
	{ ".func f(x)\nx + 1\n.endfunc\nldi r0, f(1)", "ldi r0, 2", 0 },
	/* Blocks that are gone through again, on another way. */
	{ ".rep i, 3\n.if i == 1\nbkpt\n.elseif i == 2\n.if 1\nldtmu0\n.else\n"
	  ".endif\n.else\n.rep j, 2\nnop\n.endr\n.endif\n.endr",
	  "nop\nnop\nbkpt\nldtmu0", 0 },
	{ "nop\n.back 1\nbkpt\n.endback", "bkpt\nnop", 0 },
	{ "nop\n.back 1\n.byte 1\nbkpt\n.byte 2\n.endb",
	  ".byte 1\nbkpt\n.byte 2\nnop", 0 },
	{ "nop\n.back 1\n.byte 1\n:l .byte 2\n.endb\n.int :l",
	  ".byte 1\n:l .byte 2\nnop\n.int :l", 0 },
	{ ".set a, 1\n.undef a\n.ifset a\nnop\n.endif\nbkpt", "bkpt", 0 },
	{ "brr -, r:f + 16\n.clone :f, 2\nnop\n:f mov r0, 1\nmov r1, 2",
	  "brr -, r:f + 16\nmov r0, 1\nmov r1, 2\nnop\n"
	  ":f mov r0, 1\nmov r1, 2",
	  0 },
	{ ".clone :f, 2\n:f nop\nbrr -, r:f",
	  "nop\nbrr -, -24\nnop\n"
	  "brr -, -40",
	  0 },

	{ ":l\n.clone :l + 8, 100000\nbkpt", ".rep i, 100001\nbkpt\n.endr", 0 },

	/* Data. */
	{ ".bit 1, 0, 1, 1, 0, 0, 0, 0, 1", ".byte 13, 1", 0 },
	{ ".half 1.0, -2.0, 65504.0, 0.00006103515625, 0.1",
	  ".short 0x3c00, 0xc000, 0x7bff, 0x0400, 0x2e66", 0 },
	{ ".half 1.0e9, 5.9604644775390625e-8, 1.0e-12", ".short 0x7c00, 1, 0",
	  0 },
	{ ".long 0x123456789abcdef0", ".int 0x9abcdef0, 0x12345678", 0 },
	{ ".qword -1\n.int64 1", ".quad -1, 1", 0 },
	{ ".int8 1\n.int16 2\n.int32 3\n.dword 4",
	  ".byte 1\n.short 2\n.int 3, 4", 0 },
	{ ".float32 1.0\n.float64 2.0\n.float16 1.0",
	  ".float 1.0\n.double 2.0\n.short 0x3c00", 0 },
	{ ".word 1, 2", ".int 1, 2", 204 },
	{ ".rodata\n.int 1", ".int 1", 0 },
	{ ".byte 1\n.align 8, 4\n.byte 2", ".byte 1, 0, 0, 0, 2", 0 },
	{ ".byte 1\n.align 16\nbkpt", ".byte 1, 0, 0, 0, 0, 0, 0, 0\nnop\nbkpt",
	  0 },
	{ ".byte 1\n.align 16, 13\n.byte 2",
	  ".byte 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2", 0 },
	{ ".byte 1\n:l .byte 2\n.align 4, :l\n.byte 3",
	  ".byte 1, 2, 0, 0, 0, 3", 0 },
	{ "nop\n.align 0\nbkpt", "nop\nbkpt", 0 },
	{ ".func f(x)\n.byte 7\nx\n.endf\n.byte 1\n:a mov r0, f(1)\n.long :a",
	  ".byte 1, 0, 0, 0, 0, 0, 0, 0, 7\nmov r0, 1\n.long 8", 0 },

	/* A semicolon at the end joins a semicolon at the next beginning. */
	{ "add r0, r0, 1;\n;mov r2, ra1", "add r0, r0, 1; mov r2, ra1", 0 },
	{ "mov r0, ra1;\n\n# then\n; mov r1, rb1; # end",
	  "mov r0, ra1; mov r1, rb1", 0 },
	{ "add r0, r0, 1;\n;mov r1, ra1;\n;mov r2, ra1",
	  "add r0, r0, 1; mov r1, ra1\nmov r2, ra1", 0 },
	{ ".rep i, 3\n;mov ra1, r0;\n.endr",
	  "mov ra1, r0\nmov ra1, r0\nmov ra1, r0", 0 },
	{ ".macro m, r\n;mov r, 0;\n.endm\nm ra1\nm rb1\nm ra2",
	  "mov ra1, 0; mov rb1, 0\nmov ra2, 0", 0 },
	{ "nop;\nbkpt;\n.back 1\n;mov r0, ra1;\n;mov r1, rb1;\n.endb\n"
	  ";mov r2, 1",
	  "nop\nmov r0, ra1; mov r1, rb1\nbkpt\nmov r2, 1", 0 },
	{ "mov ra8, r1;\n.back 0\nmov t0s, ra8;\n;add ra8, ra8, 4;\n.endb",
	  "mov ra8, r1\nadd ra8, ra8, 4; mov t0s, ra8", 0 },
	{ "add r0, r0, 1;\n;add r1, r1, 2", "add r0, r0, 1\nadd r1, r1, 2", 0 },
	{ "add r0, r0, 1;\nmov r2, 1", "add r0, r0, 1\nmov r2, 1", 0 },
	{ "add r0, r0, 1\n;mov r2, 1", "add r0, r0, 1\nmov r2, 1", 0 },
	{ "add r0, r0, 1;\n:l ;mov r2, ra1", "add r0, r0, 1\nmov r2, ra1", 0 },
	{ "add r0, r0, 1;\n:\n;mov r2, ra1", "add r0, r0, 1\nmov r2, ra1", 0 },
	{ ".func f(x)\n.int 7\nx\n.endf\nmov r0, 1;\n;mov r2, f(1)",
	  "mov r0, 1\n.int 7\nmov r2, 1", 0 },
	{ "add r0, r0, 1;\n;add r1, r1, 2\n:l .long :l",
	  "add r0, r0, 1\nadd r1, r1, 2\n.long 16", 0 },
	{ "mov r0, ra1;\n.int 1, 2\n;mov r1, rb1",
	  "mov r0, ra1\n.int 1, 2\nmov r1, rb1", 0 },
	/* What a later label decides is not joined, wherever it stands. */
	{ "mov r0, ra1;\n;mov r1, :e - :s\n:s nop\n:e",
	  "mov r0, ra1\nmov r1, 8\nnop", 0 },
	{ "mov r1, :e - :s;\n;mov r0, ra1\n:s nop\n:e",
	  "mov r1, 8\nmov r0, ra1\nnop", 0 },
	{ "mov r0, ra1;\n;add r1, ra1, :e - :s\n:s nop\n:e",
	  "mov r0, ra1\nadd r1, ra1, 8\nnop", 0 },
	{ "add r1, ra1, :e - :s;\n;mov r0, ra1\n:s nop\n:e",
	  "add r1, ra1, 8\nmov r0, ra1\nnop", 0 },
	{ ":s nop\n:e mov r0, ra1;\n;add r1, ra1, :e - :s",
	  "nop\nadd r1, ra1, 8; mov r0, ra1", 0 },
	{ ".rep i, 300\nadd r0, r0, 1;\n;mov r2, ra1\nadd r0, r0, r1;\n;add r1, r1, r2\n"
	  ".endr",
	  ".rep i, 300\nadd r0, r0, 1; mov r2, ra1\nadd r0, r0, r1\nadd r1, r1, r2\n"
	  ".endr",
	  0 },
	{ "mov r0, :l;\n;mov r1, ra1\nnop\n:l",
	  "ldi r0, 24\nmov r1, ra1\n"
	  "nop",
	  0 },

	/* Counts of shifts; of others there are no such numbers. */
	{ "shl r0, r1, 31", "shl r0, r1, -1", 0 },
	{ "shr r0, r1, 16", "shr r0, r1, -16", 0 },
	{ "asr r0, r1, 20", "asr r0, r1, -12", 0 },
	{ "ror r0, r1, 17", "ror r0, r1, -15", 0 },
	{ "shl r0, r1, 15", ".int 0x119cf3c0, 0xd0020827", 0 },

	/* Where there are several ways, the plain form says which is taken. */
	{ "mov ra0, 0; mov r1, 5", "xor ra0, r0, r0; mov r1, 5", 0 },
	{ "mov r1, 5; mov ra0, 0", "mov r1, 5; v8subs ra0, r0, r0", 0 },
	{ "mov ra0, 0; mov r1, r2; ldtmu0",
	  "xor ra0, r0, r0; mov r1, r2; ldtmu0", 0 },
	{ "mov r0, 0; ldtmu0", "xor r0, r0, r0; ldtmu0", 0 },
	{ "mov r0, 3", "or r0, 3, 3", 0 },
	{ "mov r0, 16", "ldi r0, 16", 0 },
	{ "mov r0, 30; mov r1, r2", "add r0, 15, 15; mov r1, r2", 0 },
	{ "mov r0, r4.8af", "or r0, r4.8a, r4.8a", 0 },
	{ "mov r0, 5; ldi ra1, 5", "ldi r0, ra1, 5", 0 },
	{ "mov r0, 0x12345; mov ra1, 0x12345", "ldi r0, ra1, 0x12345", 0 },
	{ "ldi.setf r0, 5; ldi ra1, 5", "ldi.setf r0, ra1, 5", 0 },
	{ "ldi r0, 5; ldi.setf ra1, 5", "ldi.setf r0, ra1, 5", 0 },
	{ "ldi rb0, ra1.8a, 1.0", "ldi rb0, ra1.8asf, 1.0", 0 },
	{ "ldi rb0, ra1.8a, 5", "ldi rb0, ra1.8ai, 5", 0 },
	{ "ldi ra1.16a, 1.0", "ldi ra1.16af, 1.0", 0 },
	{ "ldi r0, [0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3]; "
	  "ldi ra1, [0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3]",
	  "ldi r0, ra1, [0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3]", 0 },
	{ "mov r0, [0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3]",
	  "ldi r0, [0,1,2,3,0,1,2,3,0,1,2,3,0,1,2,3]", 0 },
	{ "v8adds r0, r1, r2", "nop; mv8adds r0, r1, r2", 0 },
	{ "v8adds r0, r1, r2; v8subs r3, r1, r2",
	  "av8adds r0, r1, r2; mv8subs r3, r1, r2", 0 },
	{ "v8adds r0, r1, r2; fmul r3, r1, r2",
	  "av8adds r0, r1, r2; fmul r3, r1, r2", 0 },
	{ "fmul r3, r1, r2; v8adds r0, r1, r2",
	  "av8adds r0, r1, r2; fmul r3, r1, r2", 0 },
	{ "v8adds r0, r1, r2; add r3, r1, r2",
	  "add r3, r1, r2; mv8adds r0, r1, r2", 0 },
	{ "mov r0, r1; add r2, r1, r3", "add r2, r1, r3; mmov r0, r1", 0 },
	{ "fmul r0, r1, r2; mov r3, r1", "amov r3, r1; fmul r0, r1, r2", 0 },
	{ "mov r0, r1", "or r0, r1, r1", 0 },
	{ "mmov r0, r1", "nop; v8min r0, r1, r1", 0 },

	{ "ldi r0, [0,1,0,1,0,0,0,0,0,0,0,0,0,0,0,0]",
	  ".int 0x0000000a, 0xe6020827", 0 },
	{ "ldi r0, [0,-1,0,-2,0,0,0,0,0,0,0,0,0,0,0,1]",
	  ".int 0x000a8002, 0xe2020827", 0 },

	/* Constants and their negatives. */
	{ "add r0, r1, 0xbf800000", "sub r0, r1, 0x40800000", 0 },
	{ "sub r0, r1, -17 + 33", "add r0, r1, -16", 0 },

	/* Registers that either file reads. */
	{ "add r0, unif, unif", "add r0, ra32, ra32", 0 },
	{ "add r0, rb1, unif", "add r0, rb1, ra32", 0 },
	{ "add r0, ra1, unif", "add r0, ra1, rb32", 0 },
	{ "add r0, unif, elem_num", "add r0, rb32, elem_num", 0 },
	{ "add r0, vpm, unif", "add r0, ra48, rb32", 0 },
	{ "add r0, unif, 5", "add r0, ra32, 5", 0 },
	{ "add r0, rb32, unif", "add r0, rb32, rb32", 0 },
	{ "add r0, ra32, unif", "add r0, ra32, ra32", 0 },
	{ "mov r0, unif; mov r1, unif", "mov r0, ra32; mov r1, ra32", 0 },
	{ "mov r0, unif; read vpm", "mov r0, ra32; read rb48", 0 },
	{ "read ra1; mov r0, unif", "read ra1; mov r0, rb32", 0 },
	{ "add r0, r1, 5; mul24 r2, r3, 5; read 5",
	  "add r0, r1, 5; mul24 r2, r3, 5", 0 },

	/* What is not the same register is not unpacked alike. */
	{ "add r0, ra1.8a, rb1", "add.unpack8a r0, ra1, rb1", 0 },
	{ "add r0, r4.8a, r5", "add.unpack8a r0, r4, r5", 0 },
	{ "add r0, ra1.8a, unif", "add.unpack8a r0, ra1, unif", 0 },
	{ "add r0, ra1.8a, ra1.8a", "add.unpack8a r0, ra1, ra1", 0 },
	{ "fadd.unpack16a r0, ra1, ra1", "fadd r0, ra1.16a, ra1.16a", 0 },
	{ "mov.unpack8a r0, ra1; mul24 r1, r2, ra1.8a",
	  "mov r0, ra1.8a; mul24 r1, r2, ra1.8a", 0 },
	{ "add.unpack8a r0, ra1, 3", "add r0, ra1.8a, 3", 0 },

	/* Rotations; an immediate may be what the field stands for. */
	{ "mov.rot 1, r0, r1", "mov r0, r1 >> 1", 0 },
	{ "mov.rot r5, r0, r1", "mov r0, r1 << r5", 0 },
	{ "mov r0 << 1, r1", "mov.rot 1, r0, r1", 0 },
	{ "mov r0 << r5, r1", "mov.rot r5, r0, r1", 0 },
	{ "mul24 r0, r1 << 1, r1 << 1", "mul24.rot -1, r0, r1, r1", 0 },
	{ "add r0, r1, -15; mov.rot 1, r2, r3", ".int 0x8c9f13db, 0xd0024822",
	  0 },
	{ "mul24 r0, r4 << 5, ra1 << 1", "mul24.rot -5, r0, r4, ra1", 202 },
	{ "mul24 r0, r4 << 1, ra1 << 5", "mul24.rot -1, r0, r4, ra1", 202 },
	{ "mul24 r0, r4 << r5, r1 << r5", "mul24.rot r5, r0, r4, r1", 202 },
};

static bool
assemble(const char *text, struct qpu_asm_program *program)
{
	const bool good = qpu_asm_text("t", text, strlen(text), NULL, program);

	for (size_t i = 0; i < program->nmessages && !good; i++)
		tap_note("%s", program->messages[i].diag.text);
	return good;
}

static bool
same_words(const struct qpu_asm_program *a, const struct qpu_asm_program *b)
{
	bool same = a->nwords == b->nwords;

	for (size_t i = 0; i < a->nwords && same; i++)
		same = a->words[i].word == b->words[i].word;
	return same;
}

static bool
warns(const struct qpu_asm_program *program, unsigned number)
{
	bool found = !number;

	for (size_t i = 0; i < program->nmessages; i++) {
		if (program->messages[i].diag.rule != number)
			return false;
		found = true;
	}
	return found;
}

/* A row's source on one line, for the name of its test. */
static const char *
one_line(const char *text, char buffer[256])
{
	snprintf(buffer, 256, "%s", text);
	for (char *c = buffer; *c; c++)
		*c = *c == '\n' ? '|' : *c == '#' ? '*' : *c;
	return buffer;
}

static void
check_row(size_t row)
{
	struct qpu_asm_program foreign, plain;
	char text[256], plain_text[256];

	one_line(rows[row].foreign, text);
	one_line(rows[row].plain, plain_text);

	const bool foreign_good = assemble(rows[row].foreign, &foreign);
	const bool plain_good = assemble(rows[row].plain, &plain);
	if (foreign_good && plain_good) {
		if (!ok(same_words(&foreign, &plain), "'%s' is '%s'", text,
			plain_text))
			for (size_t i = 0; i < foreign.nwords; i++)
				tap_note("%016llx",
					 (unsigned long long)foreign.words[i]
						 .word);
		ok(warns(&foreign, rows[row].warning),
		   "with the warning W%u alone (0: none)", rows[row].warning);
	} else {
		ok(false, "'%s' and '%s' assemble", text, plain_text);
	}
	qpu_asm_free(&foreign);
	qpu_asm_free(&plain);
}

/* Where each word comes from, and what it is. */
static void
check_origins(void)
{
	static const char source[] =
		"nop\n.int 1, 2, 3\n#line 7 \"u\"\n.macro m\n\tmov r0, 1\n"
		".endm\n:l m\n.clone :l, 1\n.byte 9";
	static const struct {
		bool is_inst;
		const char *file;
		unsigned line;
		const char *text;
	} expected[] = {
		{ true, "t", 1, "nop" },
		{ false, "t", 2, ".int 1, 2, 3" },
		{ false, "t", 2, ".int 1, 2, 3" },
		{ true, "u", 8, "\tmov r0, 1" },
		{ true, "u", 11, ".clone :l, 1" },
		{ false, "u", 12, ".byte 9" },
	};
	const size_t n = sizeof(expected) / sizeof(*expected);
	struct qpu_asm_program program;

	ok(assemble(source, &program) && program.nwords == n,
	   "%zu words are placed", n);
	for (size_t i = 0; i < n && i < program.nwords; i++) {
		const struct qpu_asm_word *word = &program.words[i];

		ok(word->is_inst == expected[i].is_inst &&
			   strcmp(word->file, expected[i].file) == 0 &&
			   word->line == expected[i].line &&
			   strcmp(word->text, expected[i].text) == 0,
		   "word %zu comes from '%s'", i, expected[i].text);
	}
	qpu_asm_free(&program);
}

int
main(void)
{
	check_origins();
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		check_row(i);
	return tap_done();
}
