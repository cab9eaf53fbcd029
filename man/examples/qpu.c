/* SPDX-License-Identifier: MIT */
/*
 * Each of 12 QPUs adds a uniform to the numbers of its 16 lanes and stores the
 * sums.  This prints the program's hazards, one sum, and the modelled time.
 *
 *	cc qpu.c $(pkg-config --cflags --libs libqpu) && ./a.out
 */
#include <qpu.h>
#include <string.h>

enum { QPUS = 12, CODE = 0x40000000, DATA = 0x40010000 };

static const char source[] =
	"mov r1, unif            # the number of the QPU\n"
	"add r0, elem_num, unif\n"
	"mov ra1, r0\n"
	"mov r0, ra1             # a hazard: too early after the write\n"
	"mov r2, 0x1a00          # to the VPM, a row for each QPU\n"
	"add vw_setup, r2, r1\n"
	"mov vpm, r0\n"
	"shl r1, r1, 7\n"
	"mov r2, 0x80904000      # from there to memory, 16 words\n"
	"mov -, mutex_acq\n"
	"add vw_setup, r2, r1\nmov vw_addr, unif\nmov -, vw_wait\n"
	"mov mutex_rel, 0\nthrend\nnop\nnop\n";

static void
print(const struct qpu_message *m)
{
	printf("%s:%u: [%s] at 0x%llx: %s\n", m->file, m->line, m->rule,
	       (unsigned long long)m->address, m->text);
}

int
main(void)
{
	static uint32_t data[QPUS][32]; /* 3 uniforms, at 16 the result */
	struct qpu_program *program = qpu_program_new();
	struct qpu_machine *machine = qpu_machine_new(QPUS, QPU_TIMED, 0);
	struct qpu_launch launches[QPUS];

	for (uint32_t i = 0; i < QPUS; i++) {
		launches[i] = (struct qpu_launch){ CODE, DATA + i * 128 };
		data[i][0] = i;
		data[i][1] = 100 * i;
		data[i][2] = launches[i].uniforms + 64;
	}
	qpu_program_assemble_text(program, "add.qasm", source, strlen(source));
	qpu_program_validate(program, QPU_HAZARDS);
	for (size_t i = 0; i < qpu_program_messages(program); i++)
		print(qpu_program_message(program, i));
	qpu_machine_add_program(machine, program, CODE);
	qpu_machine_add_memory(machine, DATA, data, sizeof(data));
	qpu_machine_launch(machine, launches, QPUS);

	const enum qpu_status status = qpu_machine_run(machine, 100000, 0);
	for (size_t i = 0; i < qpu_machine_messages(machine); i++)
		print(qpu_machine_message(machine, i));
	printf("%s: QPU 7, lane 15: %u; %.1f us (modelled)\n",
	       qpu_status_text(status), (unsigned)data[7][16 + 15],
	       qpu_machine_microseconds(machine));
	qpu_machine_free(machine);
	qpu_program_free(program);
	return status != QPU_OK;
}
