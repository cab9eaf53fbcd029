/* SPDX-License-Identifier: MIT */
/*
 * directive: what begins with a dot.
 *
 * Three tables hold the directives: block.c those with an end (.if, .rep,
 * .macro, ...), data.c those that place bytes or copies (.int, .align, ...),
 * directive.c the others, which define names, check, and include files.
 */
#ifndef QPU_ASM_DIRECTIVE_H
#define QPU_ASM_DIRECTIVE_H

struct assembly;

/*
 * run takes its arguments from as->at, and a directive with an end takes the
 * lines of its body from as->next, too.  as->directive is its row.
 */
struct asm_directive {
	const char *name; /* without the dot */
	void (*run)(struct assembly *as);
	unsigned variant; /* tells apart the directives of one function */
};

/* Each table ends with a row without a name. */
extern const struct asm_directive asm_block_directives[];
extern const struct asm_directive asm_data_directives[];
extern const struct asm_directive asm_line_directives[];

/* Run the directive whose name is the next token. */
void
asm_directive_run(struct assembly *as);

#endif
