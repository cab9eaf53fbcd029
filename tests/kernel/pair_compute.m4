dnl SPDX-License-Identifier: MIT
dnl pair_compute: the pair kernel as a program of the mailbox.
define(`PAIR_COMPUTE')dnl
include(`qpu/kernel/pair.m4')dnl
