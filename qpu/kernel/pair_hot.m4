dnl SPDX-License-Identifier: MIT
dnl What make search has found for pair_rounds.m4; do not edit.
dnl 394 instructions, 1067 executed a block
dnl
dnl Behind each instruction: what its add and its mul half compute, with
dnl the round of the pass that it belongs to.  pair.m4 has the names.
# pair_heavy: 279 instructions, 3 times a block
:pair_heavy
	ldi r0, uniforms_here                          # reset
	add unif_addr, r0, uniform(ADDRESS); v8min r0, state_0, state_0 # uniforms | 0 s0
	ror r1, r0, sigma_0; v8min r2, x_0.16b, ones   # 0 S ror | 0 s0 upper
	xor r1, r0, r1; mul24 rb0, w_7, power_15       # 0 S ^ | 0 s1 lower*2^15
	and r2, r0, state_1; mul24 ra0, r2, power_14   # 0 s0&s1 | 0 s0 upper*2^14
	ror rb1, x_3, 7; v8subs r3, r0, r2             # 6 s0 ror7 | 0 s0-
	ror r1, r1, sigma_1; v8subs rb2, state_1, r2; ldtmu1 # 0 S ror (2) | 0 s1- | 0 load K
	shr rb3, x_4, 3                                # 8 s0 shr3
	xor r3, state_0, r1; v8adds r1, r3, rb2        # 0 S ^ (2) | 0 p of B
	add r0, w_0, r4; v8subs.ifz r1, -1, r0         # 0 w+K | 0 p of A
	and r1, state_2, r1; v8min.rot 14, rb2, state_2, state_2 # 0 s2&p | 1 d|T1
	ror r3, r3, sigma_2                            # 0 S ror (3)
	max ra1, k_index, 0; v8adds r1, r2, r1         # clamp K | 0 Ch
	add r2, r0, state_3; v8min.rot 14, r0, r0, r0  # 0 h+w+K | 0 w+K odd
	add.ifz r1, r1, r2; v8min.rot 14, r2, state_3, state_3 # 0 Ch+ | 0 d|T1
	add r1, r3, r1; v8min.rot 14, ra2, w_7, w_7    # 0 T1|T2 | 0 x
	shr ra3, x_2, 3                                # 4 s0 shr3
	add ra4, r0, state_2; v8min.ifnz.rot 2, r2, r1, r1 # 1 h+w+K | 0 d|T1 (2)
	add r1, r1, r2; mul24 ra5, w_7.8b, power_6     # 0 new s0 | 0 s1 x.8b*2^6
	ror r2, r1, sigma_0; v8min r0, x_1.16b, ones   # 1 S ror | 2 s0 upper
	xor r3, r1, r2; mul24 r2, x_0, power_14; ldtmu1 # 1 S ^ | 0 s0 lower*2^14 | 2 load K
	ror r2, r3, sigma_1; v8adds ra0, r2, ra0.16b   # 1 S ror (2) | 0 s0 ror18
	add r3, w_1, r4; v8min state_3, r1, r1         # 2 w+K | 0 s0 (2)
	add rb4, r3, state_1; mul24 ra6, r0, power_14  # 2 h+w+K | 2 s0 upper*2^14
	and r3, r1, state_0; v8min.rot 14, r0, r3, r3  # 1 s0&s1 | 2 w+K odd
	shr ra7, x_0, 3; v8subs rb5, r1, r3            # 0 s0 shr3 | 1 s0-
	add ra8, r0, state_0; v8subs r0, state_0, r3   # 3 h+w+K | 1 s1-
	xor r2, state_3, r2; v8adds r0, rb5, r0        # 1 S ^ (2) | 1 p of B
	and r1, x_3.16b, ones; v8subs.ifz r0, -1, r1   # 6 s0 upper | 1 p of A
	and r0, state_1, r0; mul24 ra9, r1, power_14   # 1 s2&p | 6 s0 upper*2^14
	ror r1, r2, sigma_2; v8min r2, w_7.16b, ones   # 1 S ror (3) | 0 s1 upper
	ror r0, x_0, 7; v8adds r3, r3, r0              # 0 s0 ror7 | 1 Ch
	add.ifz r3, r3, ra4; mul24 ra4, r2, power_15   # 1 Ch+ | 0 s1 upper*2^15
	add r1, r1, r3; mul24 rb5, x_1, power_14       # 1 T1|T2 | 2 s0 lower*2^14
	xor r0, ra0, r0; mul24 ra0, r2, power_13       # 0 s0 ^ | 0 s1 upper*2^13
	xor r0, r0, ra7; v8min.ifnz.rot 2, rb2, r1, r1 # 0 s0 (3) | 1 d|T1 (2)
	add rb6, w_0, r0; mul24 r0, r2, power_6        # 0 w +s0 | 0 s1 upper*2^6
	add r0, r1, rb2; v8adds ra5, r0, ra5.8b        # 1 new s0 | 0 s1 shr10
	and r1, r0, state_3; v8min.rot 14, ra7, state_3, state_3 # 2 s0&s1 | 4 d|T1
	ror rb2, x_6, 7; v8min state_2, r0, r0         # 12 s0 ror7 | 1 s0
	min rb7, ra1, uniform(CLAMP, K, 92); v8subs r2, r0, r1 # clamp K (2) | 2 s0-
	ror r3, r0, sigma_0; v8subs ra1, state_3, r1; ldtmu1 # 2 S ror | 2 s1- | 4 load K
	xor r3, r0, r3; v8adds ra6, rb5, ra6.16b       # 2 S ^ | 2 s0 ror18
	ror r3, r3, sigma_1; v8adds r2, r2, ra1        # 2 S ror (2) | 2 p of B
	xor r0, state_2, r3; v8subs.ifz r2, -1, r0     # 2 S ^ (2) | 2 p of A
	ror r0, r0, sigma_2; v8min r3, x_2.16b, ones   # 2 S ror (3) | 4 s0 upper
	and r2, state_0, r2; v8min.rot 14, ra1, state_0, state_0 # 2 s2&p | 3 d|T1
	or r2, r1, r2; mul24 r1, w_7, power_13         # 2 Ch | 0 s1 lower*2^13
	add.ifz r2, r2, rb4; v8adds r1, r1, ra0.16b    # 2 Ch+ | 0 s1 ror19
	add r2, r0, r2; v8adds r0, rb0, ra4.16b        # 2 T1|T2 | 0 s1 ror17
	xor r0, r0, r1; v8min.rot 14, r1, state_1, state_1 # 0 s1 ^ | 2 d|T1
	xor rb0, r0, ra5; v8min.ifnz.rot 2, r1, r2, r2 # 0 s1 | 2 d|T1 (2)
	add r1, r2, r1; mul24 r2, x_2, power_14        # 2 new s0 | 4 s0 lower*2^14
	and r3, r1, state_2; mul24 ra5, r3, power_14   # 3 s0&s1 | 4 s0 upper*2^14
	add r0, rb6, x_4; v8min state_1, r1, r1        # 0 w +x | 2 s0
	add w_0, r0, rb0; v8subs r0, state_2, r3       # 0 w +s1 | 3 s1-
	ror r2, r1, sigma_0; v8adds ra5, r2, ra5.16b   # 3 S ror | 4 s0 ror18
	add t1s, rb7, uniform(BASE, K, 32); v8subs ra4, r1, r3 # 0 ask K | 3 s0-
	xor r2, r1, r2; mul24 ra0, w_0.8b, power_6     # 3 S ^ | 2 s1 x.8b*2^6
	ror r2, r2, sigma_1; v8adds r0, ra4, r0        # 3 S ror (2) | 3 p of B
	xor r1, state_1, r2; v8subs.ifz r0, -1, r1     # 3 S ^ (2) | 3 p of A
	ror r2, r1, sigma_2; v8min r1, w_0.16b, ones   # 3 S ror (3) | 2 s1 upper
	and r0, state_3, r0; mul24 ra4, r1, power_13   # 3 s2&p | 2 s1 upper*2^13
	add t1s, rb7, uniform(BASE, K, 40); v8adds r0, r3, r0 # 2 ask K | 3 Ch
	add.ifz r0, r0, ra8; mul24 r3, r1, power_6     # 3 Ch+ | 2 s1 upper*2^6
	add r0, r2, r0; v8min.ifnz.rot 2, ra2, w_0, w_0 # 3 T1|T2 | 0 x (2)
	shr rb0, x_1, 3                                # 2 s0 shr3
	add r2, w_2, r4; v8min.ifnz.rot 2, ra1, r0, r0 # 4 w+K | 3 d|T1 (2)
	add rb6, r2, state_3; mul24 ra8, r1, power_15  # 4 h+w+K | 2 s1 upper*2^15
	add r0, r0, ra1; v8min.rot 14, rb4, r2, r2     # 3 new s0 | 4 w+K odd
	ror r3, r0, sigma_0; v8adds rb5, r3, ra0.8b    # 4 S ror | 2 s1 shr10
	xor r3, r0, r3; mul24 rb8, x_4, power_14       # 4 S ^ | 8 s0 lower*2^14
	add.setf passes, passes, passes; v8min r2, x_4.16b, ones # pass | 8 s0 upper
	and r2, r0, state_1; mul24 ra0, r2, power_14   # 4 s0&s1 | 8 s0 upper*2^14
	ror rb9, r3, sigma_1; v8subs r3, state_1, r2   # 4 S ror (2) | 4 s1-
	ror ra1, ra2, 7; v8subs r1, r0, r2             # 14 s0 ror7 | 4 s0-
	ror r1, x_1, 7; v8adds rb10, r1, r3            # 2 s0 ror7 | 4 p of B
	xor ra6, ra6, r1; v8subs.ifz rb10, -1, r0      # 2 s0 ^ | 4 p of A
	shr rb11, x_3, 3; v8min state_0, r0, r0        # 6 s0 shr3 | 3 s0
	nop; mul24 r0, w_0, power_13                   # - | 2 s1 lower*2^13
	and r1, state_2, rb10                          # 4 s2&p
	xor r3, state_0, rb9                           # 4 S ^ (2)
	ror r0, r3, sigma_2; v8adds rb9, r0, ra4.16b   # 4 S ror (3) | 2 s1 ror19
	xor r1, ra6, rb0; v8adds r2, r2, r1            # 2 s0 (2) | 4 Ch
	add.ifz r2, r2, rb6; v8min r3, x_5.16b, ones   # 4 Ch+ | 10 s0 upper
	add r2, r0, r2; mul24 r0, w_0, power_15        # 4 T1|T2 | 2 s1 lower*2^15
	add ra6, rb4, state_2                          # 5 h+w+K
	add r1, w_1, r1; v8min.ifnz.rot 2, ra7, r2, r2 # 2 w +s0 | 4 d|T1 (2)
	add ra4, r1, x_5; mul24 rb4, x_5, power_14     # 2 w +x | 10 s0 lower*2^14
	add r2, r2, ra7; mul24 ra7, r3, power_14       # 4 new s0 | 10 s0 upper*2^14
	and r3, r2, state_0; v8min state_3, r2, r2     # 5 s0&s1 | 4 s0
	ror ra8, r2, sigma_0; v8adds r0, r0, ra8.16b   # 5 S ror | 2 s1 ror17
	xor r0, r0, rb9; v8subs rb9, r2, r3; ldtmu1    # 2 s1 ^ | 5 s0- | 6 load K
	xor r0, r0, rb5; v8subs r1, state_0, r3        # 2 s1 | 5 s1-
	add w_1, ra4, r0; v8adds r0, rb9, r1           # 2 w +s1 | 5 p of B
	xor r2, r2, ra8; v8subs.ifz r0, -1, r2         # 5 S ^ | 5 p of A
	and r0, state_1, r0; v8min.rot 14, rb9, state_1, state_1 # 5 s2&p | 6 d|T1
	ror r0, x_2, 7; v8adds r3, r3, r0              # 4 s0 ror7 | 5 Ch
	ror r2, r2, sigma_1; v8min r1, ra2.16b, ones   # 5 S ror (2) | 14 s0 upper
	xor r1, state_3, r2; mul24 ra8, r1, power_14   # 5 S ^ (2) | 14 s0 upper*2^14
	ror r2, r1, sigma_2; v8min r1, w_1.16b, ones   # 5 S ror (3) | 4 s1 upper
	add.ifz r3, r3, ra6; mul24 ra6, r1, power_15   # 5 Ch+ | 4 s1 upper*2^15
	add r2, r2, r3; v8min.rot 14, r3, state_2, state_2 # 5 T1|T2 | 5 d|T1
	xor r0, ra5, r0; mul24 ra5, r1, power_13       # 4 s0 ^ | 4 s1 upper*2^13
	xor rb5, r0, ra3; v8min.ifnz.rot 2, r3, r2, r2 # 4 s0 (2) | 5 d|T1 (2)
	add r2, r2, r3; mul24 ra3, w_1.8b, power_6     # 5 new s0 | 4 s1 x.8b*2^6
	and r1, r2, state_3; mul24 rb6, r1, power_6    # 6 s0&s1 | 4 s1 upper*2^6
	add t1s, rb7, uniform(BASE, K, 48); v8subs r3, r2, r1 # 4 ask K | 6 s0-
	ror r0, r2, sigma_0; v8subs ra4, state_3, r1   # 6 S ror | 6 s1-
	xor r0, r2, r0; mul24 rb0, w_1, power_15       # 6 S ^ | 4 s1 lower*2^15
	ror rb10, r0, sigma_1; v8adds r0, r3, ra4      # 6 S ror (2) | 6 p of B
	add r3, w_2, rb5; v8min state_2, r2, r2        # 4 w +s0 | 5 s0
	add r2, w_3, r4; v8subs.ifz r0, -1, r2         # 6 w+K | 6 p of A
	and r0, state_0, r0; v8min.rot 14, ra4, state_0, state_0 # 6 s2&p | 7 d|T1
	add r2, r2, state_1; v8min.rot 14, rb5, r2, r2 # 6 h+w+K | 6 w+K odd
	xor r1, state_2, rb10; v8adds r0, r1, r0       # 6 S ^ (2) | 6 Ch
	add.ifz r0, r0, r2; mul24 r2, w_1, power_13    # 6 Ch+ | 4 s1 lower*2^13
	ror r2, r1, sigma_2; v8adds r1, r2, ra5.16b    # 6 S ror (3) | 4 s1 ror19
	add r3, r3, x_6                                # 4 w +x
	add r2, r2, r0; v8adds r0, rb0, ra6.16b        # 6 T1|T2 | 4 s1 ror17
	xor r1, r0, r1; v8adds r0, rb6, ra3.8b         # 4 s1 ^ | 4 s1 shr10
	xor r0, r1, r0; v8min.ifnz.rot 2, rb9, r2, r2  # 4 s1 | 6 d|T1 (2)
	add w_2, r3, r0; mul24 r0, x_3, power_14       # 4 w +s1 | 6 s0 lower*2^14
	add r0, r2, rb9; v8adds ra9, r0, ra9.16b; ldtmu1 # 6 new s0 | 6 s0 ror18 | 8 load K
	and r2, r0, state_2; v8min state_1, r0, r0     # 7 s0&s1 | 6 s0
	ror r3, r0, sigma_0; v8subs ra3, state_2, r2   # 7 S ror | 7 s1-
	xor r3, r0, r3; v8min.rot 14, x_2, w_2, w_2    # 7 S ^ | 6 x
	sub r1, r0, r2; mul24 ra6, w_2.8b, power_6     # 7 s0- | 6 s1 x.8b*2^6
	ror r3, r3, sigma_1; v8adds r1, r1, ra3        # 7 S ror (2) | 7 p of B
	xor r0, state_1, r3; v8subs.ifz r1, -1, r0     # 7 S ^ (2) | 7 p of A
	ror r3, r0, sigma_2; v8min r0, w_2.16b, ones   # 7 S ror (3) | 6 s1 upper
	and r1, state_3, r1; mul24 ra3, r0, power_15   # 7 s2&p | 6 s1 upper*2^15
	add r1, rb5, state_0; v8adds r2, r2, r1        # 7 h+w+K | 7 Ch
	add.ifz r2, r2, r1; v8min.rot 14, x_0, w_0, w_0 # 7 Ch+ | 2 x
	add r2, r3, r2; v8min.rot 14, x_1, w_1, w_1    # 7 T1|T2 | 4 x
	ror rb5, x_4, 7                                # 8 s0 ror7
	add r3, w_4, r4; v8min.ifnz.rot 2, ra4, r2, r2 # 8 w+K | 7 d|T1 (2)
	add rb9, r3, state_3; mul24 ra5, r0, power_13  # 8 h+w+K | 6 s1 upper*2^13
	add r2, r2, ra4; mul24 r0, r0, power_6         # 7 new s0 | 6 s1 upper*2^6
	and r3, r2, state_1; v8min.rot 14, rb6, r3, r3 # 8 s0&s1 | 8 w+K odd
	xor r1, ra9, rb1; v8min state_0, r2, r2        # 6 s0 ^ | 7 s0
	add t1s, rb7, uniform(BASE, K, 56); v8subs ra9, r2, r3 # 6 ask K | 8 s0-
	ror r0, r2, sigma_0; v8adds ra6, r0, ra6.8b; ldtmu1 # 8 S ror | 6 s1 shr10 | 10 load K
	xor r0, r2, r0; mul24 rb1, w_2, power_13       # 8 S ^ | 6 s1 lower*2^13
	xor rb11, r1, rb11; v8subs r1, state_1, r3     # 6 s0 (2) | 8 s1-
	ror r1, r0, sigma_1; v8adds r0, ra9, r1        # 8 S ror (2) | 8 p of B
	xor r1, state_0, r1; v8subs.ifz r0, -1, r2     # 8 S ^ (2) | 8 p of A
	and r0, state_2, r0; v8min.rot 14, ra9, state_2, state_2 # 8 s2&p | 9 d|T1
	nop; mul24 r2, w_2, power_15                   # - | 6 s1 lower*2^15
	add r0, w_3, rb11; v8adds r3, r3, r0           # 6 w +s0 | 8 Ch
	add ra4, r0, ra2; mul24 r0, ra2, power_14      # 6 w +x | 14 s0 lower*2^14
	ror r0, r1, sigma_2; v8adds rb11, r0, ra8.16b  # 8 S ror (3) | 14 s0 ror18
	add.ifz r3, r3, rb9; v8adds r2, r2, ra3.16b    # 8 Ch+ | 6 s1 ror17
	add r3, r0, r3; v8adds r0, rb1, ra5.16b        # 8 T1|T2 | 6 s1 ror19
	xor r0, r2, r0; v8min.rot 14, r2, state_3, state_3 # 6 s1 ^ | 8 d|T1
	xor r0, r0, ra6; v8min.ifnz.rot 2, r2, r3, r3  # 6 s1 | 8 d|T1 (2)
	add w_3, ra4, r0                               # 6 w +s1
	add r2, r3, r2; v8min.ifnz.rot 2, x_0, w_1, w_1 # 8 new s0 | 2 x (2)
	and r3, r2, state_0; v8min state_3, r2, r2     # 9 s0&s1 | 8 s0
	ror r0, r2, sigma_0; v8subs ra4, state_0, r3   # 9 S ror | 9 s1-
	xor r0, r2, r0; mul24 rb1, w_3, power_13       # 9 S ^ | 8 s1 lower*2^13
	shr rb9, x_6, 3; v8subs r1, r2, r3             # 12 s0 shr3 | 9 s0-
	ror r1, r0, sigma_1; v8adds r0, r1, ra4        # 9 S ror (2) | 9 p of B
	xor r1, state_3, r1; v8subs.ifz r0, -1, r2     # 9 S ^ (2) | 9 p of A
	ror r1, r1, sigma_2; v8min r2, x_6.16b, ones   # 9 S ror (3) | 12 s0 upper
	and r0, state_1, r0; mul24 ra4, r2, power_14   # 9 s2&p | 12 s0 upper*2^14
	add r0, rb6, state_2; v8adds r3, r3, r0        # 9 h+w+K | 9 Ch
	add.ifz r3, r3, r0; mul24 r0, x_6, power_14    # 9 Ch+ | 12 s0 lower*2^14
	add r3, r1, r3; v8adds r1, rb8, ra0.16b        # 9 T1|T2 | 8 s0 ror18
	xor r2, r1, rb5; v8min r1, w_3.16b, ones       # 8 s0 ^ | 8 s1 upper
	xor r0, r2, rb3; v8adds ra4, r0, ra4.16b       # 8 s0 (2) | 12 s0 ror18
	add r0, w_4, r0; v8min.ifnz.rot 2, ra9, r3, r3 # 8 w +s0 | 9 d|T1 (2)
	add rb3, r0, x_0; mul24 ra0, r1, power_13      # 8 w +x | 8 s1 upper*2^13
	add r3, r3, ra9; mul24 ra9, r1, power_15       # 9 new s0 | 8 s1 upper*2^15
	and r1, r3, state_3; mul24 rb5, r1, power_6    # 10 s0&s1 | 8 s1 upper*2^6
	shr ra6, x_5, 3                                # 10 s0 shr3
	ror r2, r3, sigma_0; v8subs r0, state_3, r1    # 10 S ror | 10 s1-
	xor r2, r3, r2; mul24 ra5, w_3.8b, power_6     # 10 S ^ | 8 s1 x.8b*2^6
	add t1s, rb7, uniform(BASE, K, 64); v8min state_2, r3, r3 # 8 ask K | 9 s0
	ror rb8, r2, sigma_1; v8subs r2, r3, r1        # 10 S ror (2) | 10 s0-
	add r0, w_5, r4; v8adds r2, r2, r0             # 10 w+K | 10 p of B
	add r3, r0, state_1; v8subs.ifz r2, -1, r3     # 10 h+w+K | 10 p of A
	and r2, state_0, r2; v8min.rot 14, r0, r0, r0  # 10 s2&p | 10 w+K odd
	xor r2, state_2, rb8; v8adds r1, r1, r2        # 10 S ^ (2) | 10 Ch
	add.ifz r1, r1, r3; mul24 r3, w_3, power_15    # 10 Ch+ | 8 s1 lower*2^15
	ror r3, r2, sigma_2; v8adds r2, r3, ra9.16b    # 10 S ror (3) | 8 s1 ror17
	add r3, r3, r1; v8adds r1, rb1, ra0.16b        # 10 T1|T2 | 8 s1 ror19
	xor r2, r2, r1; v8adds r1, rb5, ra5.8b         # 8 s1 ^ | 8 s1 shr10
	xor r1, r2, r1; v8min.rot 14, r2, state_1, state_1 # 8 s1 | 10 d|T1
	add ra5, r0, state_0; v8min.ifnz.rot 2, r2, r3, r3 # 11 h+w+K | 10 d|T1 (2)
	add r2, r3, r2; v8min.ifnz.rot 2, x_2, w_3, w_3 # 10 new s0 | 6 x (2)
	and r3, r2, state_2; v8min state_1, r2, r2     # 11 s0&s1 | 10 s0
	ror r0, r2, sigma_0; v8subs ra0, r2, r3        # 11 S ror | 11 s0-
	add w_4, rb3, r1; v8subs r1, state_2, r3; ldtmu1 # 8 w +s1 | 11 s1- | 12 load K
	xor r0, r2, r0; v8min.ifnz.rot 2, x_1, w_2, w_2 # 11 S ^ | 4 x (2)
	ror r1, r0, sigma_1; v8adds r0, ra0, r1        # 11 S ror (2) | 11 p of B
	xor r1, state_1, r1; v8subs.ifz r0, -1, r2     # 11 S ^ (2) | 11 p of A
	ror r2, r1, sigma_2; v8min r1, w_4.16b, ones   # 11 S ror (3) | 10 s1 upper
	and r0, state_3, r0; mul24 ra0, r1, power_13   # 11 s2&p | 10 s1 upper*2^13
	ror r0, x_5, 7; v8adds r3, r3, r0              # 10 s0 ror7 | 11 Ch
	add.ifz r3, r3, ra5; mul24 ra5, r1, power_15   # 11 Ch+ | 10 s1 upper*2^15
	add r3, r2, r3; v8adds r2, rb4, ra7.16b        # 11 T1|T2 | 10 s0 ror18
	xor r0, r2, r0; v8min.rot 14, r2, state_0, state_0 # 10 s0 ^ | 11 d|T1
	xor rb4, r0, ra6; v8min.ifnz.rot 2, r2, r3, r3 # 10 s0 (2) | 11 d|T1 (2)
	add r2, r3, r2; mul24 ra6, w_4.8b, power_6     # 11 new s0 | 10 s1 x.8b*2^6
	and r1, r2, state_1; mul24 rb3, r1, power_6    # 12 s0&s1 | 10 s1 upper*2^6
	ror r3, r2, sigma_0; v8subs ra7, state_1, r1   # 12 S ror | 12 s1-
	xor ra4, ra4, rb2; v8subs r0, r2, r1           # 12 s0 ^ | 12 s0-
	add t1s, rb7, uniform(BASE, K, 72); v8min state_0, r2, r2 # 10 ask K | 11 s0
	xor r3, r2, r3; mul24 rb2, w_4, power_13       # 12 S ^ | 10 s1 lower*2^13
	ror r3, r3, sigma_1; v8adds r0, r0, ra7        # 12 S ror (2) | 12 p of B
	add r2, w_6, r4; v8subs.ifz r0, -1, r2         # 12 w+K | 12 p of A
	and r0, state_2, r0; v8min.rot 14, ra7, state_2, state_2 # 12 s2&p | 13 d|T1
	add r0, w_5, rb4; v8adds r1, r1, r0            # 10 w +s0 | 12 Ch
	xor r3, state_0, r3; v8min.rot 14, rb4, state_0, state_0 # 12 S ^ (2) | 15 d|T1
	add r2, r2, state_3; v8min.rot 14, rb5, r2, r2 # 12 h+w+K | 12 w+K odd
	add.ifz r1, r1, r2; mul24 r2, w_4, power_15    # 12 Ch+ | 10 s1 lower*2^15
	ror r3, r3, sigma_2; v8adds r2, r2, ra5.16b    # 12 S ror (3) | 10 s1 ror17
	add r3, r3, r1; v8adds r1, rb2, ra0.16b        # 12 T1|T2 | 10 s1 ror19
	xor r1, r2, r1; v8min.rot 14, r2, state_3, state_3 # 10 s1 ^ | 12 d|T1
	add rb2, r0, x_1; v8min.ifnz.rot 2, r2, r3, r3 # 10 w +x | 12 d|T1 (2)
	add r3, r3, r2; v8adds r2, rb3, ra6.8b         # 12 new s0 | 10 s1 shr10
	xor r1, r1, r2; v8min.rot 14, x_3, w_3, w_3    # 10 s1 | 8 x
	and r2, r3, state_0; v8min state_3, r3, r3     # 13 s0&s1 | 12 s0
	ror r0, r3, sigma_0; v8subs ra6, r3, r2        # 13 S ror | 13 s0-
	xor r0, r3, r0; v8min.ifnz.rot 2, x_3, w_4, w_4 # 13 S ^ | 8 x (2)
	add w_5, rb2, r1; v8subs r1, state_0, r2       # 10 w +s1 | 13 s1-
	ror r1, r0, sigma_1; v8adds r0, ra6, r1        # 13 S ror (2) | 13 p of B
	xor r1, state_3, r1; v8subs.ifz r0, -1, r3     # 13 S ^ (2) | 13 p of A
	ror r3, r1, sigma_2; v8min r1, w_5.16b, ones; ldtmu1 # 13 S ror (3) | 12 s1 upper | 14 load K
	and r0, state_1, r0; mul24 rb2, r1, power_6    # 13 s2&p | 12 s1 upper*2^6
	add t1s, rb7, uniform(BASE, K, 80)             # 12 ask K
	add r0, rb5, state_2; v8adds r2, r2, r0        # 13 h+w+K | 13 Ch
	add.ifz r2, r2, r0; mul24 r0, w_5, power_13    # 13 Ch+ | 12 s1 lower*2^13
	add r2, r3, r2; mul24 ra6, w_5.8b, power_6     # 13 T1|T2 | 12 s1 x.8b*2^6
	xor r3, ra4, rb9                               # 12 s0 (2)
	add r3, w_6, r3; v8min.ifnz.rot 2, ra7, r2, r2 # 12 w +s0 | 13 d|T1 (2)
	add rb9, r3, x_2; mul24 ra4, r1, power_13      # 12 w +x | 12 s1 upper*2^13
	add r1, r2, ra7; mul24 ra7, r1, power_15       # 13 new s0 | 12 s1 upper*2^15
	ror r2, r1, sigma_0; v8adds r0, r0, ra4.16b    # 14 S ror | 12 s1 ror19
	xor r3, r1, r2; mul24 r2, w_5, power_15        # 14 S ^ | 12 s1 lower*2^15
	ror rb5, r3, sigma_1; v8adds r2, r2, ra7.16b   # 14 S ror (2) | 12 s1 ror17
	xor r2, r2, r0; v8adds r0, rb2, ra6.8b         # 12 s1 ^ | 12 s1 shr10
	and r3, r1, state_3; v8min state_2, r1, r1     # 14 s0&s1 | 13 s0
	xor r0, r2, r0; v8min.rot 14, x_5, w_5, w_5    # 12 s1 | 12 x
	add w_6, rb9, r0; v8subs r0, state_3, r3       # 12 w +s1 | 14 s1-
	shr ra2, ra2, 3; v8subs r2, r1, r3             # 14 s0 shr3 | 14 s0-
	add r0, w_7, r4; v8adds r2, r2, r0             # 14 w+K | 14 p of B
	add r1, r0, state_1; v8subs.ifz r2, -1, r1     # 14 h+w+K | 14 p of A
	and r0, state_0, r2; v8min.rot 14, rb9, r0, r0 # 14 s2&p | 14 w+K odd
	xor r3, rb11, ra1; v8adds r0, r3, r0           # 14 s0 ^ | 14 Ch
	add.ifz r0, r0, r1; mul24 ra1, w_6.8b, power_6 # 14 Ch+ | 14 s1 x.8b*2^6
	xor r1, state_2, rb5                           # 14 S ^ (2)
	ror r1, r1, sigma_2; v8min r2, w_6.16b, ones   # 14 S ror (3) | 14 s1 upper
	add r0, r1, r0; v8min.rot 14, r1, state_1, state_1 # 14 T1|T2 | 14 d|T1
	xor r3, r3, ra2; mul24 ra2, r2, power_15       # 14 s0 (2) | 14 s1 upper*2^15
	add r3, w_7, r3; mul24 ra6, r2, power_13       # 14 w +s0 | 14 s1 upper*2^13
	add ra7, r3, x_3; v8min.ifnz.rot 2, r1, r0, r0 # 14 w +x | 14 d|T1 (2)
	add r0, r0, r1; v8min.rot 14, x_4, w_4, w_4    # 14 new s0 | 10 x
	and r2, r0, state_2; mul24 rb5, r2, power_6    # 15 s0&s1 | 14 s1 upper*2^6
	add t1s, rb7, uniform(BASE, K, 88); v8min state_1, r0, r0 # 14 ask K | 14 s0
	sub r1, r0, r2; mul24 rb7, w_6, power_15       # 15 s0- | 14 s1 lower*2^15
	ror r3, r0, sigma_0; v8subs ra4, state_2, r2   # 15 S ror | 15 s1-
	xor r3, r0, r3; v8adds k_index, k_index, power_6 # 15 S ^ | step K
	ror r3, r3, sigma_1; v8adds r1, r1, ra4        # 15 S ror (2) | 15 p of B
	xor r0, state_1, r3; v8subs.ifz r1, -1, r0     # 15 S ^ (2) | 15 p of A
	and r1, state_3, r1                            # 15 s2&p
	or r1, rb5, ra1.8b; v8adds r2, r2, r1          # 14 s1 shr10 | 15 Ch
	add r3, rb9, state_0                           # 15 h+w+K
	add.ifz r2, r2, r3; mul24 r3, w_6, power_13    # 15 Ch+ | 14 s1 lower*2^13
	ror r3, r0, sigma_2; v8adds r0, r3, ra6.16b    # 15 S ror (3) | 14 s1 ror19
	add r3, r3, r2; v8adds r2, rb7, ra2.16b        # 15 T1|T2 | 14 s1 ror17
	xor r0, r2, r0; v8min.rot 14, x_6, w_6, w_6    # 14 s1 ^ | 14 x
	xor r0, r0, r1; v8min.ifnz.rot 2, x_4, w_5, w_5 # 14 s1 | 10 x (2)
	add w_7, ra7, r0; v8min.ifnz.rot 2, rb4, r3, r3 # 14 w +s1 | 15 d|T1 (2)
	brr.anyn -, :pair_heavy                        # 3 delay slots follow
	nop; v8min.ifnz.rot 2, x_5, w_6, w_6           # - | 12 x (2)
	add state_0, r3, rb4                           # 15 new s0
	nop; v8min.ifnz.rot 2, x_6, w_7, w_7           # - | 14 x (2)
# pair_light: 115 instructions, 2 times a block
:pair_light
	ldi r0, uniforms_here                          # reset
	add unif_addr, r0, uniform(ADDRESS); v8min r0, state_0, state_0 # uniforms | 0 s0
	and r1, r0, state_1                            # 0 s0&s1
	ror r2, r0, sigma_0; v8subs rb0, r0, r1        # 0 S ror | 0 s0-
	xor r3, r0, r2; v8subs r2, state_1, r1         # 0 S ^ | 0 s1-
	ror r3, r3, sigma_1; v8min x_2, x_6, x_6       # 0 S ror (2) | 6 x=x4
	xor ra0, state_0, r3; ldtmu1                   # 0 S ^ (2) | 0 load K
	add r2, w_0, r4; v8adds r3, rb0, r2; ldtmu0    # 0 w+K | 0 p of B | 0 load DATA
	add r0, r2, state_3; v8subs.ifz r3, -1, r0     # 0 h+w+K | 0 p of A
	and r3, state_2, r3; v8min.rot 14, r2, r2, r2  # 0 s2&p | 0 w+K odd
	ror r3, ra0, sigma_2; v8adds r1, r1, r3        # 0 S ror (3) | 0 Ch
	add.ifz r1, r1, r0; v8min w_0, w_4, w_4        # 0 Ch+ | 0 w=w4
	add r1, r3, r1; v8min.rot 14, r3, state_3, state_3 # 0 T1|T2 | 0 d|T1
	max rb0, k_index, 0; v8min w_4.8d, r4, r4      # clamp K | 0 byte 0
	add rb1, r2, state_2; v8min.ifnz.rot 2, r3, r1, r1 # 1 h+w+K | 0 d|T1 (2)
	add r1, r1, r3; v8min ra0, r4, r4              # 0 new s0 | 0 swap
	and r3, r1, state_0; v8min state_3, r1, r1     # 1 s0&s1 | 0 s0 (2)
	ror r2, r1, sigma_0; v8subs ra1, state_0, r3   # 1 S ror | 1 s1-
	xor r0, r1, r2; v8subs r2, r1, r3              # 1 S ^ | 1 s0-
	ror r2, r0, sigma_1; v8adds r0, r2, ra1        # 1 S ror (2) | 1 p of B
	xor r1, state_3, r2; v8subs.ifz r0, -1, r1     # 1 S ^ (2) | 1 p of A
	and r0, state_1, r0                            # 1 s2&p
	min ra1, rb0, uniform(CLAMP, K, 60); v8adds r0, r3, r0 # clamp K (2) | 1 Ch
	max ra2, data, 0                               # clamp DATA
	add.ifz r0, r0, rb1; ldtmu1                    # 1 Ch+ | 2 load K
	ror r1, r1, sigma_2; v8min w_4.8b, ra0.8c, ra0.8c # 1 S ror (3) | 0 byte 2
	add r0, r1, r0; v8min.rot 14, r1, state_2, state_2 # 1 T1|T2 | 1 d|T1
	min ra2, ra2, uniform(CLAMP, DATA, 28)         # clamp DATA (2)
	add r3, w_1, r4; v8min.ifnz.rot 2, r1, r0, r0  # 2 w+K | 1 d|T1 (2)
	add r0, r0, r1; v8min w_1, w_5, w_5            # 1 new s0 | 2 w=w4
	and r1, r0, state_3; v8min state_2, r0, r0     # 2 s0&s1 | 1 s0
	ror rb1, r0, sigma_0; v8subs ra3, state_3, r1; ldtmu0 # 2 S ror | 2 s1- | 2 load DATA
	add t1s, ra1, uniform(BASE, K, 32); v8subs r2, r0, r1 # 0 ask K | 2 s0-
	xor r2, r0, rb1; v8adds rb1, r2, ra3           # 2 S ^ | 2 p of B
	ror r2, r2, sigma_1; v8min w_4.8a, ra0.8d, ra0.8d # 2 S ror (2) | 0 byte 3
	xor ra3, state_2, r2; v8subs.ifz rb1, -1, r0   # 2 S ^ (2) | 2 p of A
	add ra4, r3, state_1; v8min.rot 14, r0, state_1, state_1 # 2 h+w+K | 2 d|T1
	and r2, state_0, rb1; v8min w_5.8d, r4, r4     # 2 s2&p | 2 byte 0
	ror r2, ra3, sigma_2; v8adds r1, r1, r2        # 2 S ror (3) | 2 Ch
	add.ifz r1, r1, ra4; v8min.rot 14, r3, r3, r3  # 2 Ch+ | 2 w+K odd
	add r1, r2, r1; v8min.rot 14, rb1, state_3, state_3 # 2 T1|T2 | 4 d|T1
	add t0s, ra2, uniform(BASE, DATA, 0); v8min ra4, r4, r4 # 0 ask DATA | 2 swap
	add ra3, r3, state_0; v8min.ifnz.rot 2, r0, r1, r1 # 3 h+w+K | 2 d|T1 (2)
	add r0, r1, r0; v8min x_0, x_4, x_4            # 2 new s0 | 2 x=x4
	and r1, r0, state_2; v8min state_1, r0, r0     # 3 s0&s1 | 2 s0
	add data, data, data_step; v8subs r3, r0, r1   # step data | 3 s0-
	ror ra5, r0, sigma_0; v8subs r2, state_2, r1; ldtmu1 # 3 S ror | 3 s1- | 4 load K
	add t1s, ra1, uniform(BASE, K, 40); v8adds r2, r3, r2 # 2 ask K | 3 p of B
	xor r0, r0, ra5; v8subs.ifz r2, -1, r0         # 3 S ^ | 3 p of A
	and rb0, state_3, r2                           # 3 s2&p
	ror r0, r0, sigma_1; v8min w_4.8c, ra0.8b, ra0.8b # 3 S ror (2) | 0 byte 1
	xor r1, state_1, r0; v8adds r0, r1, rb0        # 3 S ^ (2) | 3 Ch
	add.ifz r0, r0, ra3                            # 3 Ch+
	ror r1, r1, sigma_2; v8min w_5.8a, ra4.8d, ra4.8d # 3 S ror (3) | 2 byte 3
	add r0, r1, r0; v8min.rot 14, r1, state_0, state_0 # 3 T1|T2 | 3 d|T1
	add t0s, ra2, uniform(BASE, DATA, 8)           # 2 ask DATA
	add r2, w_2, r4; v8min.ifnz.rot 2, r1, r0, r0  # 4 w+K | 3 d|T1 (2)
	add r0, r0, r1; v8min w_2, w_6, w_6            # 3 new s0 | 4 w=w4
	and r1, r0, state_1; v8min state_0, r0, r0     # 4 s0&s1 | 3 s0
	ror rb0, r0, sigma_0; v8subs ra3, state_1, r1  # 4 S ror | 4 s1-
	add t1s, ra1, uniform(BASE, K, 48); v8subs r3, r0, r1 # 4 ask K | 4 s0-
	xor r3, r0, rb0; v8adds rb0, r3, ra3; ldtmu0   # 4 S ^ | 4 p of B | 4 load DATA
	ror r3, r3, sigma_1; v8min w_5.8c, ra4.8b, ra4.8b # 4 S ror (2) | 2 byte 1
	xor r0, state_0, r3; v8subs.ifz rb0, -1, r0    # 4 S ^ (2) | 4 p of A
	ror r0, r0, sigma_2; v8min w_6.8d, r4, r4      # 4 S ror (3) | 4 byte 0
	and r3, state_2, rb0; v8min ra3, r4, r4        # 4 s2&p | 4 swap
	add r1, r2, state_3; v8adds r3, r1, r3; ldtmu1 # 4 h+w+K | 4 Ch | 6 load K
	add.ifz r3, r3, r1; v8min.rot 14, rb0, r2, r2  # 4 Ch+ | 4 w+K odd
	add r0, r0, r3; v8min.rot 14, x_3, w_7, w_7    # 4 T1|T2 | 0 x
	add t0s, ra2, uniform(BASE, DATA, 16)          # 4 ask DATA
	add r3, w_3, r4; v8min.ifnz.rot 2, rb1, r0, r0 # 6 w+K | 4 d|T1 (2)
	add.setf passes, passes, passes; v8min w_3, w_7, w_7 # pass | 6 w=w4
	add r0, r0, rb1; v8min x_1, x_5, x_5           # 4 new s0 | 4 x=x4
	and r1, r0, state_0; v8min state_3, r0, r0     # 5 s0&s1 | 4 s0
	ror rb1, r0, sigma_0; v8subs ra0, state_0, r1  # 5 S ror | 5 s1-
	add t1s, ra1, uniform(BASE, K, 56); v8subs r2, r0, r1 # 6 ask K | 5 s0-
	xor r2, r0, rb1; v8adds rb1, r2, ra0           # 5 S ^ | 5 p of B
	ror r2, r2, sigma_1; v8min w_6.8c, ra3.8b, ra3.8b; ldtmu0 # 5 S ror (2) | 4 byte 1 | 6 load DATA
	xor r0, state_3, r2; v8subs.ifz rb1, -1, r0    # 5 S ^ (2) | 5 p of A
	ror r0, r0, sigma_2; v8min w_5.8b, ra4.8c, ra4.8c # 5 S ror (3) | 2 byte 2
	and r2, state_1, rb1; v8min ra4, r4, r4        # 5 s2&p | 6 swap
	add r1, rb0, state_2; v8adds r2, r1, r2        # 5 h+w+K | 5 Ch
	add.ifz r2, r2, r1; v8min.rot 14, x_5, w_5, w_5 # 5 Ch+ | 4 x
	add r0, r0, r2; v8min.rot 14, r2, state_2, state_2 # 5 T1|T2 | 5 d|T1
	or w_7.8a, ra4.8d, ra4.8d; v8min.rot 14, rb0, r3, r3 # 6 byte 3 | 6 w+K odd
	add ra0, r3, state_1; v8min.ifnz.rot 2, r2, r0, r0 # 6 h+w+K | 5 d|T1 (2)
	add r0, r0, r2; v8min.rot 14, x_4, w_4, w_4    # 5 new s0 | 2 x
	and r2, r0, state_3; v8min state_2, r0, r0     # 6 s0&s1 | 5 s0
	ror rb1, r0, sigma_0; v8subs r3, state_3, r2   # 6 S ror | 6 s1-
	add t0s, ra2, uniform(BASE, DATA, 24); v8subs r1, r0, r2 # 6 ask DATA | 6 s0-
	xor r3, r0, rb1; v8adds r1, r1, r3             # 6 S ^ | 6 p of B
	ror r3, r3, sigma_1; v8min w_6.8a, ra3.8d, ra3.8d # 6 S ror (2) | 4 byte 3
	xor r0, state_2, r3; v8subs.ifz r1, -1, r0     # 6 S ^ (2) | 6 p of A
	and r1, state_0, r1; v8min.rot 14, r3, state_0, state_0 # 6 s2&p | 7 d|T1
	ror r1, r0, sigma_2; v8adds r0, r2, r1         # 6 S ror (3) | 6 Ch
	add.ifz r0, r0, ra0                            # 6 Ch+
	add r0, r1, r0; v8min.rot 14, r1, state_1, state_1 # 6 T1|T2 | 6 d|T1
	nop; v8min.ifnz.rot 2, x_3, w_4, w_4           # - | 0 x (2)
	or w_7.8c, ra4.8b, ra4.8b; v8min.ifnz.rot 2, r1, r0, r0 # 6 byte 1 | 6 d|T1 (2)
	add r0, r0, r1; v8min.ifnz.rot 2, x_4, w_5, w_5 # 6 new s0 | 2 x (2)
	and r1, r0, state_2; v8min state_1, r0, r0     # 7 s0&s1 | 6 s0
	ror ra0, r0, sigma_0; v8subs rb1, state_2, r1  # 7 S ror | 7 s1-
	add k_index, k_index, data_step; v8subs r2, r0, r1 # step K | 7 s0-
	xor r2, r0, ra0; v8adds rb1, r2, rb1           # 7 S ^ | 7 p of B
	ror r2, r2, sigma_1; v8min w_6.8b, ra3.8c, ra3.8c # 7 S ror (2) | 4 byte 2
	xor r0, state_1, r2; v8subs.ifz rb1, -1, r0    # 7 S ^ (2) | 7 p of A
	ror r0, r0, sigma_2; v8min w_7.8b, ra4.8c, ra4.8c # 7 S ror (3) | 6 byte 2
	and r2, state_3, rb1; v8min w_7.8d, r4, r4     # 7 s2&p | 6 byte 0
	add r1, rb0, state_0; v8adds r2, r1, r2        # 7 h+w+K | 7 Ch
	add.ifz r2, r2, r1; v8min.rot 14, x_6, w_6, w_6 # 7 Ch+ | 6 x
	add r0, r0, r2; v8min.ifnz.rot 2, x_5, w_6, w_6 # 7 T1|T2 | 4 x (2)
	brr.anyn -, :pair_light                        # 3 delay slots follow
	nop; v8min.ifnz.rot 2, x_6, w_7, w_7           # - | 6 x (2)
	nop; v8min.ifnz.rot 2, r3, r0, r0              # - | 7 d|T1 (2)
	add state_0, r0, r3                            # 7 new s0
