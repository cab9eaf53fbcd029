dnl SPDX-License-Identifier: MIT
dnl forms_begin: results of the mul ALU in each part of a register of file A, the
dnl forms that no other program is known to have (forms.h).  Even elements have
dnl them in r0 to r3 as 16a 16b 8a 8b, odd ones as 8c 8d 8a 8b.
define(`forms_begin', `
	ldi r0, 0x80f17e01
	ldi r1, 0x3c3c3c3c
	mov ra16, r1
	mov ra17, r1
	mov ra18, r1
	mov ra19, r1
	mov ra20, r1
	mov ra21, r1
	v8min ra16.16a, r0, r0
	v8min ra17.16b, r0, r0
	v8min ra18.8a, r0, r0
	v8min ra19.8b, r0, r0
	v8min ra20.8c, r0, r0
	v8min ra21.8d, r0, r0
	and.setf -, elem_num, 1
	mov r0, ra16
	mov r1, ra17
	mov r2, ra18
	mov r3, ra19
	mov.ifnz r0, ra20
	mov.ifnz r1, ra21')dnl
