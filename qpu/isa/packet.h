/* SPDX-License-Identifier: MIT */
/*
 * packet: the packets of control lists, which the binner and the renderer of
 * the V3D read.  packet.def has a row for each.
 */
#ifndef QPU_ISA_PACKET_H
#define QPU_ISA_PACKET_H

enum packet {
#define PACKET(name, code, bytes, lists) PACKET_##name = code,
#include "qpu/isa/packet.def"
};

/* Bytes of a packet with its code. */
enum packet_bytes {
#define PACKET(name, code, bytes, lists) PACKET_BYTES_##name = bytes,
#include "qpu/isa/packet.def"
};

#endif
