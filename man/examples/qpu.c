/* SPDX-License-Identifier: MIT */
/*
 * Each of 12 QPUs adds a uniform to the numbers 0 to 15 in its 16 lanes and
 * stores the sums; this prints its hazards, its modelled time and a sum.
 *
 *	cc example.c $(pkg-config --cflags --libs libqpu) && ./a.out
 */
#include <inttypes.h>
#include <qpu.h>
#include <stdlib.h>
#include <string.h>

enum { QPUS = 12, CODE = 0x40000000, DATA = 0x40010000 };

static const char source[] =
	"mov r1, unif                  # which QPU this is\n"
	"add r0, elem_num, unif\n"
	"shl r2, r1, 7                 # its row of the DMA\n"
	"mov r3, 0x1a00                # VPM: rows of 32-bit words\n"
	"mov ra1, 1                    # nobody needs it\n"
	"mov -, ra1                    # hazard: read right after its write\n"
	"add vw_setup, r3, r1\n"
	"mov vpm, r0\n"
	"mov r3, 0x80904000            # DMA: one row of 16 words\n"
	"mov -, mutex_acq\n"
	"add vw_setup, r3, r2\n"
	"mov vw_addr, unif\n"
	"mov -, vw_wait\n"
	"mov mutex_rel, 0\n"
	"mov interrupt, 1\n"
	"thrend\n"
	"nop\n"
	"nop\n";

static void
print(const struct qpu_message *message)
{
	if (message)
		printf("%s:%u: [%s] at 0x%" PRIx64 ": %s\n", message->file,
		       message->line, message->rule, message->address,
		       message->text);
}

int
main(void)
{
	static uint32_t data[QPUS][32]; /* 3 uniforms, at 16 the result */
	struct qpu_program *program = qpu_program_new();
	struct qpu_machine *machine = qpu_machine_new(QPUS, QPU_TIMED, 0);
	struct qpu_launch launches[QPUS];
	enum qpu_status status;

	for (uint32_t i = 0; i < QPUS; i++) {
		const uint32_t at = DATA + i * sizeof(data[i]);
		const uint32_t uniforms[] = { i, 100 * i, at + 64 };

		memcpy(data[i], uniforms, sizeof(uniforms));
		launches[i] = (struct qpu_launch){ CODE, at };
	}
	status = qpu_program_assemble_text(program, "add.qasm", source,
					   strlen(source));
	if (status == QPU_OK)
		qpu_program_validate(program, QPU_HAZARDS);
	for (size_t i = 0; i < qpu_program_messages(program); i++)
		print(qpu_program_message(program, i));
	if (qpu_machine_add_program(machine, program, CODE) == QPU_OK &&
	    qpu_machine_add_memory(machine, DATA, data, sizeof(data)) ==
		    QPU_OK &&
	    qpu_machine_launch(machine, launches, QPUS) == QPU_OK)
		status = qpu_machine_run(machine, 100000, 0);
	for (size_t i = 0; i < qpu_machine_messages(machine); i++)
		print(qpu_machine_message(machine, i));
	printf("%s: QPU 7, lane 15: %" PRIu32 "; %.1f us (modelled)\n",
	       qpu_status_text(status), data[7][16 + 15],
	       qpu_machine_microseconds(machine));
	qpu_machine_free(machine);
	qpu_program_free(program);
	return status == QPU_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
