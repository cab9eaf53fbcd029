dnl SPDX-License-Identifier: MIT
dnl The hot sections of `pair', unscheduled: an operation a line.  make search makes
dnl pair_hot.m4 of it; qpuasm -O of m4 -DUNSCHEDULED makes a kernel that is a little slower.
dnl
dnl Behind each operation: the round of the pass that it belongs to, and what it
dnl computes; pair.m4 has the names.  Two in a line exchange registers.
# pair_heavy
:pair_heavy
	ldi r0, uniforms_here                  # reset
	add unif_addr, r0, uniform(ADDRESS)    # uniforms
	mov r0, state_0                        # 0 s0
	ror r1, r0, sigma_0                    # 0 S ror
	v8min r2, x_0.16b, ones                # 0 s0 upper
	xor r1, r0, r1                         # 0 S ^
	mul24 rb0, w_7, power_15               # 0 s1 lower*2^15
	mul24 ra0, r2, power_14                # 0 s0 upper*2^14
	and r2, r0, state_1                    # 0 s0&s1
	ror rb1, x_3, 7                        # 6 s0 ror7
	v8subs r3, r0, r2                      # 0 s0-
	ror r1, r1, sigma_1                    # 0 S ror (2)
	v8subs rb2, state_1, r2                # 0 s1-
	ldtmu1                                 # 0 load K
	shr rb3, x_4, 3                        # 8 s0 shr3
	xor r3, state_0, r1; v8adds r1, r3, rb2 # 0 S ^ (2) | 0 p of B
	v8subs.ifz r1, -1, r0                  # 0 p of A
	add r0, w_0, r4                        # 0 w+K
	and r1, state_2, r1                    # 0 s2&p
	v8min.rot 14, rb2, state_2, state_2    # 1 d|T1
	ror r3, r3, sigma_2                    # 0 S ror (3)
	max ra1, k_index, 0                    # clamp K
	v8adds r1, r2, r1                      # 0 Ch
	add r2, r0, state_3                    # 0 h+w+K
	v8min.rot 14, r0, r0, r0               # 0 w+K odd
	add.ifz r1, r1, r2                     # 0 Ch+
	v8min.rot 14, r2, state_3, state_3     # 0 d|T1
	add r1, r3, r1                         # 0 T1|T2
	v8min.rot 14, ra2, w_7, w_7            # 0 x
	shr ra3, x_2, 3                        # 4 s0 shr3
	add ra4, r0, state_2                   # 1 h+w+K
	v8min.ifnz.rot 2, r2, r1, r1           # 0 d|T1 (2)
	add r1, r1, r2                         # 0 new s0
	mul24 ra5, w_7.8b, power_6             # 0 s1 x.8b*2^6
	ror r2, r1, sigma_0                    # 1 S ror
	v8min r0, x_1.16b, ones                # 2 s0 upper
	xor r3, r1, r2                         # 1 S ^
	mul24 r2, x_0, power_14                # 0 s0 lower*2^14
	ldtmu1                                 # 2 load K
	v8adds ra0, r2, ra0.16b                # 0 s0 ror18
	ror r2, r3, sigma_1                    # 1 S ror (2)
	add r3, w_1, r4                        # 2 w+K
	mov state_3, r1                        # 0 s0 (2)
	add rb4, r3, state_1                   # 2 h+w+K
	mul24 ra6, r0, power_14                # 2 s0 upper*2^14
	v8min.rot 14, r0, r3, r3               # 2 w+K odd
	and r3, r1, state_0                    # 1 s0&s1
	shr ra7, x_0, 3                        # 0 s0 shr3
	v8subs rb5, r1, r3                     # 1 s0-
	add ra8, r0, state_0                   # 3 h+w+K
	v8subs r0, state_0, r3                 # 1 s1-
	xor r2, state_3, r2                    # 1 S ^ (2)
	v8adds r0, rb5, r0                     # 1 p of B
	v8subs.ifz r0, -1, r1                  # 1 p of A
	and r1, x_3.16b, ones                  # 6 s0 upper
	and r0, state_1, r0                    # 1 s2&p
	mul24 ra9, r1, power_14                # 6 s0 upper*2^14
	ror r1, r2, sigma_2                    # 1 S ror (3)
	v8min r2, w_7.16b, ones                # 0 s1 upper
	v8adds r3, r3, r0                      # 1 Ch
	ror r0, x_0, 7                         # 0 s0 ror7
	add.ifz r3, r3, ra4                    # 1 Ch+
	mul24 ra4, r2, power_15                # 0 s1 upper*2^15
	add r1, r1, r3                         # 1 T1|T2
	mul24 rb5, x_1, power_14               # 2 s0 lower*2^14
	xor r0, ra0, r0                        # 0 s0 ^
	mul24 ra0, r2, power_13                # 0 s1 upper*2^13
	xor r0, r0, ra7                        # 0 s0 (3)
	v8min.ifnz.rot 2, rb2, r1, r1          # 1 d|T1 (2)
	add rb6, w_0, r0                       # 0 w +s0
	mul24 r0, r2, power_6                  # 0 s1 upper*2^6
	v8adds ra5, r0, ra5.8b                 # 0 s1 shr10
	add r0, r1, rb2                        # 1 new s0
	and r1, r0, state_3                    # 2 s0&s1
	v8min.rot 14, ra7, state_3, state_3    # 4 d|T1
	ror rb2, x_6, 7                        # 12 s0 ror7
	mov state_2, r0                        # 1 s0
	min rb7, ra1, uniform(CLAMP, K, 92)    # clamp K (2)
	v8subs r2, r0, r1                      # 2 s0-
	ror r3, r0, sigma_0                    # 2 S ror
	v8subs ra1, state_3, r1                # 2 s1-
	ldtmu1                                 # 4 load K
	xor r3, r0, r3                         # 2 S ^
	v8adds ra6, rb5, ra6.16b               # 2 s0 ror18
	ror r3, r3, sigma_1                    # 2 S ror (2)
	v8adds r2, r2, ra1                     # 2 p of B
	v8subs.ifz r2, -1, r0                  # 2 p of A
	xor r0, state_2, r3                    # 2 S ^ (2)
	ror r0, r0, sigma_2                    # 2 S ror (3)
	v8min r3, x_2.16b, ones                # 4 s0 upper
	and r2, state_0, r2                    # 2 s2&p
	v8min.rot 14, ra1, state_0, state_0    # 3 d|T1
	or r2, r1, r2                          # 2 Ch
	mul24 r1, w_7, power_13                # 0 s1 lower*2^13
	add.ifz r2, r2, rb4                    # 2 Ch+
	v8adds r1, r1, ra0.16b                 # 0 s1 ror19
	add r2, r0, r2                         # 2 T1|T2
	v8adds r0, rb0, ra4.16b                # 0 s1 ror17
	xor r0, r0, r1                         # 0 s1 ^
	v8min.rot 14, r1, state_1, state_1     # 2 d|T1
	xor rb0, r0, ra5                       # 0 s1
	v8min.ifnz.rot 2, r1, r2, r2           # 2 d|T1 (2)
	add r1, r2, r1                         # 2 new s0
	mul24 r2, x_2, power_14                # 4 s0 lower*2^14
	mul24 ra5, r3, power_14                # 4 s0 upper*2^14
	and r3, r1, state_2                    # 3 s0&s1
	add r0, rb6, x_4                       # 0 w +x
	mov state_1, r1                        # 2 s0
	add w_0, r0, rb0                       # 0 w +s1
	v8subs r0, state_2, r3                 # 3 s1-
	v8adds ra5, r2, ra5.16b                # 4 s0 ror18
	ror r2, r1, sigma_0                    # 3 S ror
	add t1s, rb7, uniform(BASE, K, 32)     # 0 ask K
	v8subs ra4, r1, r3                     # 3 s0-
	xor r2, r1, r2                         # 3 S ^
	mul24 ra0, w_0.8b, power_6             # 2 s1 x.8b*2^6
	ror r2, r2, sigma_1                    # 3 S ror (2)
	v8adds r0, ra4, r0                     # 3 p of B
	v8subs.ifz r0, -1, r1                  # 3 p of A
	xor r1, state_1, r2                    # 3 S ^ (2)
	ror r2, r1, sigma_2                    # 3 S ror (3)
	v8min r1, w_0.16b, ones                # 2 s1 upper
	and r0, state_3, r0                    # 3 s2&p
	mul24 ra4, r1, power_13                # 2 s1 upper*2^13
	add t1s, rb7, uniform(BASE, K, 40)     # 2 ask K
	v8adds r0, r3, r0                      # 3 Ch
	add.ifz r0, r0, ra8                    # 3 Ch+
	mul24 r3, r1, power_6                  # 2 s1 upper*2^6
	add r0, r2, r0                         # 3 T1|T2
	v8min.ifnz.rot 2, ra2, w_0, w_0        # 0 x (2)
	shr rb0, x_1, 3                        # 2 s0 shr3
	add r2, w_2, r4                        # 4 w+K
	v8min.ifnz.rot 2, ra1, r0, r0          # 3 d|T1 (2)
	add rb6, r2, state_3                   # 4 h+w+K
	mul24 ra8, r1, power_15                # 2 s1 upper*2^15
	add r0, r0, ra1                        # 3 new s0
	v8min.rot 14, rb4, r2, r2              # 4 w+K odd
	v8adds rb5, r3, ra0.8b                 # 2 s1 shr10
	ror r3, r0, sigma_0                    # 4 S ror
	xor r3, r0, r3                         # 4 S ^
	mul24 rb8, x_4, power_14               # 8 s0 lower*2^14
	add.setf passes, passes, passes        # pass
	v8min r2, x_4.16b, ones                # 8 s0 upper
	mul24 ra0, r2, power_14                # 8 s0 upper*2^14
	and r2, r0, state_1                    # 4 s0&s1
	ror rb9, r3, sigma_1                   # 4 S ror (2)
	v8subs r3, state_1, r2                 # 4 s1-
	ror ra1, ra2, 7                        # 14 s0 ror7
	v8subs r1, r0, r2                      # 4 s0-
	v8adds rb10, r1, r3                    # 4 p of B
	ror r1, x_1, 7                         # 2 s0 ror7
	xor ra6, ra6, r1                       # 2 s0 ^
	v8subs.ifz rb10, -1, r0                # 4 p of A
	shr rb11, x_3, 3                       # 6 s0 shr3
	mov state_0, r0                        # 3 s0
	mul24 r0, w_0, power_13                # 2 s1 lower*2^13
	and r1, state_2, rb10                  # 4 s2&p
	xor r3, state_0, rb9                   # 4 S ^ (2)
	v8adds rb9, r0, ra4.16b                # 2 s1 ror19
	ror r0, r3, sigma_2                    # 4 S ror (3)
	v8adds r2, r2, r1                      # 4 Ch
	xor r1, ra6, rb0                       # 2 s0 (2)
	add.ifz r2, r2, rb6                    # 4 Ch+
	v8min r3, x_5.16b, ones                # 10 s0 upper
	add r2, r0, r2                         # 4 T1|T2
	mul24 r0, w_0, power_15                # 2 s1 lower*2^15
	add ra6, rb4, state_2                  # 5 h+w+K
	add r1, w_1, r1                        # 2 w +s0
	v8min.ifnz.rot 2, ra7, r2, r2          # 4 d|T1 (2)
	add ra4, r1, x_5                       # 2 w +x
	mul24 rb4, x_5, power_14               # 10 s0 lower*2^14
	add r2, r2, ra7                        # 4 new s0
	mul24 ra7, r3, power_14                # 10 s0 upper*2^14
	and r3, r2, state_0                    # 5 s0&s1
	mov state_3, r2                        # 4 s0
	v8adds r0, r0, ra8.16b                 # 2 s1 ror17
	ror ra8, r2, sigma_0                   # 5 S ror
	xor r0, r0, rb9                        # 2 s1 ^
	v8subs rb9, r2, r3                     # 5 s0-
	ldtmu1                                 # 6 load K
	xor r0, r0, rb5                        # 2 s1
	v8subs r1, state_0, r3                 # 5 s1-
	add w_1, ra4, r0                       # 2 w +s1
	v8adds r0, rb9, r1                     # 5 p of B
	v8subs.ifz r0, -1, r2                  # 5 p of A
	xor r2, r2, ra8                        # 5 S ^
	and r0, state_1, r0                    # 5 s2&p
	v8min.rot 14, rb9, state_1, state_1    # 6 d|T1
	v8adds r3, r3, r0                      # 5 Ch
	ror r0, x_2, 7                         # 4 s0 ror7
	ror r2, r2, sigma_1                    # 5 S ror (2)
	v8min r1, ra2.16b, ones                # 14 s0 upper
	mul24 ra8, r1, power_14                # 14 s0 upper*2^14
	xor r1, state_3, r2                    # 5 S ^ (2)
	ror r2, r1, sigma_2                    # 5 S ror (3)
	v8min r1, w_1.16b, ones                # 4 s1 upper
	add.ifz r3, r3, ra6                    # 5 Ch+
	mul24 ra6, r1, power_15                # 4 s1 upper*2^15
	add r2, r2, r3                         # 5 T1|T2
	v8min.rot 14, r3, state_2, state_2     # 5 d|T1
	xor r0, ra5, r0                        # 4 s0 ^
	mul24 ra5, r1, power_13                # 4 s1 upper*2^13
	xor rb5, r0, ra3                       # 4 s0 (2)
	v8min.ifnz.rot 2, r3, r2, r2           # 5 d|T1 (2)
	add r2, r2, r3                         # 5 new s0
	mul24 ra3, w_1.8b, power_6             # 4 s1 x.8b*2^6
	mul24 rb6, r1, power_6                 # 4 s1 upper*2^6
	and r1, r2, state_3                    # 6 s0&s1
	add t1s, rb7, uniform(BASE, K, 48)     # 4 ask K
	v8subs r3, r2, r1                      # 6 s0-
	ror r0, r2, sigma_0                    # 6 S ror
	v8subs ra4, state_3, r1                # 6 s1-
	xor r0, r2, r0                         # 6 S ^
	mul24 rb0, w_1, power_15               # 4 s1 lower*2^15
	ror rb10, r0, sigma_1                  # 6 S ror (2)
	v8adds r0, r3, ra4                     # 6 p of B
	add r3, w_2, rb5                       # 4 w +s0
	mov state_2, r2                        # 5 s0
	v8subs.ifz r0, -1, r2                  # 6 p of A
	add r2, w_3, r4                        # 6 w+K
	and r0, state_0, r0                    # 6 s2&p
	v8min.rot 14, ra4, state_0, state_0    # 7 d|T1
	v8min.rot 14, rb5, r2, r2              # 6 w+K odd
	add r2, r2, state_1                    # 6 h+w+K
	v8adds r0, r1, r0                      # 6 Ch
	xor r1, state_2, rb10                  # 6 S ^ (2)
	add.ifz r0, r0, r2                     # 6 Ch+
	mul24 r2, w_1, power_13                # 4 s1 lower*2^13
	ror r2, r1, sigma_2; v8adds r1, r2, ra5.16b # 6 S ror (3) | 4 s1 ror19
	add r3, r3, x_6                        # 4 w +x
	add r2, r2, r0                         # 6 T1|T2
	v8adds r0, rb0, ra6.16b                # 4 s1 ror17
	xor r1, r0, r1                         # 4 s1 ^
	v8adds r0, rb6, ra3.8b                 # 4 s1 shr10
	xor r0, r1, r0                         # 4 s1
	v8min.ifnz.rot 2, rb9, r2, r2          # 6 d|T1 (2)
	add w_2, r3, r0                        # 4 w +s1
	mul24 r0, x_3, power_14                # 6 s0 lower*2^14
	v8adds ra9, r0, ra9.16b                # 6 s0 ror18
	add r0, r2, rb9                        # 6 new s0
	ldtmu1                                 # 8 load K
	and r2, r0, state_2                    # 7 s0&s1
	mov state_1, r0                        # 6 s0
	ror r3, r0, sigma_0                    # 7 S ror
	v8subs ra3, state_2, r2                # 7 s1-
	xor r3, r0, r3                         # 7 S ^
	v8min.rot 14, x_2, w_2, w_2            # 6 x
	sub r1, r0, r2                         # 7 s0-
	mul24 ra6, w_2.8b, power_6             # 6 s1 x.8b*2^6
	ror r3, r3, sigma_1                    # 7 S ror (2)
	v8adds r1, r1, ra3                     # 7 p of B
	v8subs.ifz r1, -1, r0                  # 7 p of A
	xor r0, state_1, r3                    # 7 S ^ (2)
	ror r3, r0, sigma_2                    # 7 S ror (3)
	v8min r0, w_2.16b, ones                # 6 s1 upper
	and r1, state_3, r1                    # 7 s2&p
	mul24 ra3, r0, power_15                # 6 s1 upper*2^15
	v8adds r2, r2, r1                      # 7 Ch
	add r1, rb5, state_0                   # 7 h+w+K
	add.ifz r2, r2, r1                     # 7 Ch+
	v8min.rot 14, x_0, w_0, w_0            # 2 x
	add r2, r3, r2                         # 7 T1|T2
	v8min.rot 14, x_1, w_1, w_1            # 4 x
	ror rb5, x_4, 7                        # 8 s0 ror7
	add r3, w_4, r4                        # 8 w+K
	v8min.ifnz.rot 2, ra4, r2, r2          # 7 d|T1 (2)
	add rb9, r3, state_3                   # 8 h+w+K
	mul24 ra5, r0, power_13                # 6 s1 upper*2^13
	add r2, r2, ra4                        # 7 new s0
	mul24 r0, r0, power_6                  # 6 s1 upper*2^6
	v8min.rot 14, rb6, r3, r3              # 8 w+K odd
	and r3, r2, state_1                    # 8 s0&s1
	xor r1, ra9, rb1                       # 6 s0 ^
	mov state_0, r2                        # 7 s0
	add t1s, rb7, uniform(BASE, K, 56)     # 6 ask K
	v8subs ra9, r2, r3                     # 8 s0-
	v8adds ra6, r0, ra6.8b                 # 6 s1 shr10
	ror r0, r2, sigma_0                    # 8 S ror
	ldtmu1                                 # 10 load K
	xor r0, r2, r0                         # 8 S ^
	mul24 rb1, w_2, power_13               # 6 s1 lower*2^13
	xor rb11, r1, rb11                     # 6 s0 (2)
	v8subs r1, state_1, r3                 # 8 s1-
	ror r1, r0, sigma_1; v8adds r0, ra9, r1 # 8 S ror (2) | 8 p of B
	xor r1, state_0, r1                    # 8 S ^ (2)
	v8subs.ifz r0, -1, r2                  # 8 p of A
	and r0, state_2, r0                    # 8 s2&p
	v8min.rot 14, ra9, state_2, state_2    # 9 d|T1
	mul24 r2, w_2, power_15                # 6 s1 lower*2^15
	v8adds r3, r3, r0                      # 8 Ch
	add r0, w_3, rb11                      # 6 w +s0
	add ra4, r0, ra2                       # 6 w +x
	mul24 r0, ra2, power_14                # 14 s0 lower*2^14
	v8adds rb11, r0, ra8.16b               # 14 s0 ror18
	ror r0, r1, sigma_2                    # 8 S ror (3)
	add.ifz r3, r3, rb9                    # 8 Ch+
	v8adds r2, r2, ra3.16b                 # 6 s1 ror17
	add r3, r0, r3                         # 8 T1|T2
	v8adds r0, rb1, ra5.16b                # 6 s1 ror19
	xor r0, r2, r0                         # 6 s1 ^
	v8min.rot 14, r2, state_3, state_3     # 8 d|T1
	xor r0, r0, ra6                        # 6 s1
	v8min.ifnz.rot 2, r2, r3, r3           # 8 d|T1 (2)
	add w_3, ra4, r0                       # 6 w +s1
	add r2, r3, r2                         # 8 new s0
	v8min.ifnz.rot 2, x_0, w_1, w_1        # 2 x (2)
	and r3, r2, state_0                    # 9 s0&s1
	mov state_3, r2                        # 8 s0
	ror r0, r2, sigma_0                    # 9 S ror
	v8subs ra4, state_0, r3                # 9 s1-
	xor r0, r2, r0                         # 9 S ^
	mul24 rb1, w_3, power_13               # 8 s1 lower*2^13
	shr rb9, x_6, 3                        # 12 s0 shr3
	v8subs r1, r2, r3                      # 9 s0-
	ror r1, r0, sigma_1; v8adds r0, r1, ra4 # 9 S ror (2) | 9 p of B
	xor r1, state_3, r1                    # 9 S ^ (2)
	v8subs.ifz r0, -1, r2                  # 9 p of A
	ror r1, r1, sigma_2                    # 9 S ror (3)
	v8min r2, x_6.16b, ones                # 12 s0 upper
	and r0, state_1, r0                    # 9 s2&p
	mul24 ra4, r2, power_14                # 12 s0 upper*2^14
	v8adds r3, r3, r0                      # 9 Ch
	add r0, rb6, state_2                   # 9 h+w+K
	add.ifz r3, r3, r0                     # 9 Ch+
	mul24 r0, x_6, power_14                # 12 s0 lower*2^14
	add r3, r1, r3                         # 9 T1|T2
	v8adds r1, rb8, ra0.16b                # 8 s0 ror18
	xor r2, r1, rb5                        # 8 s0 ^
	v8min r1, w_3.16b, ones                # 8 s1 upper
	v8adds ra4, r0, ra4.16b                # 12 s0 ror18
	xor r0, r2, rb3                        # 8 s0 (2)
	add r0, w_4, r0                        # 8 w +s0
	v8min.ifnz.rot 2, ra9, r3, r3          # 9 d|T1 (2)
	add rb3, r0, x_0                       # 8 w +x
	mul24 ra0, r1, power_13                # 8 s1 upper*2^13
	add r3, r3, ra9                        # 9 new s0
	mul24 ra9, r1, power_15                # 8 s1 upper*2^15
	mul24 rb5, r1, power_6                 # 8 s1 upper*2^6
	and r1, r3, state_3                    # 10 s0&s1
	shr ra6, x_5, 3                        # 10 s0 shr3
	ror r2, r3, sigma_0                    # 10 S ror
	v8subs r0, state_3, r1                 # 10 s1-
	xor r2, r3, r2                         # 10 S ^
	mul24 ra5, w_3.8b, power_6             # 8 s1 x.8b*2^6
	add t1s, rb7, uniform(BASE, K, 64)     # 8 ask K
	mov state_2, r3                        # 9 s0
	ror rb8, r2, sigma_1                   # 10 S ror (2)
	v8subs r2, r3, r1                      # 10 s0-
	v8adds r2, r2, r0                      # 10 p of B
	add r0, w_5, r4                        # 10 w+K
	v8subs.ifz r2, -1, r3                  # 10 p of A
	add r3, r0, state_1                    # 10 h+w+K
	and r2, state_0, r2                    # 10 s2&p
	v8min.rot 14, r0, r0, r0               # 10 w+K odd
	v8adds r1, r1, r2                      # 10 Ch
	xor r2, state_2, rb8                   # 10 S ^ (2)
	add.ifz r1, r1, r3                     # 10 Ch+
	mul24 r3, w_3, power_15                # 8 s1 lower*2^15
	ror r3, r2, sigma_2; v8adds r2, r3, ra9.16b # 10 S ror (3) | 8 s1 ror17
	add r3, r3, r1                         # 10 T1|T2
	v8adds r1, rb1, ra0.16b                # 8 s1 ror19
	xor r2, r2, r1                         # 8 s1 ^
	v8adds r1, rb5, ra5.8b                 # 8 s1 shr10
	xor r1, r2, r1                         # 8 s1
	v8min.rot 14, r2, state_1, state_1     # 10 d|T1
	add ra5, r0, state_0                   # 11 h+w+K
	v8min.ifnz.rot 2, r2, r3, r3           # 10 d|T1 (2)
	add r2, r3, r2                         # 10 new s0
	v8min.ifnz.rot 2, x_2, w_3, w_3        # 6 x (2)
	and r3, r2, state_2                    # 11 s0&s1
	mov state_1, r2                        # 10 s0
	ror r0, r2, sigma_0                    # 11 S ror
	v8subs ra0, r2, r3                     # 11 s0-
	add w_4, rb3, r1                       # 8 w +s1
	v8subs r1, state_2, r3                 # 11 s1-
	ldtmu1                                 # 12 load K
	xor r0, r2, r0                         # 11 S ^
	v8min.ifnz.rot 2, x_1, w_2, w_2        # 4 x (2)
	ror r1, r0, sigma_1; v8adds r0, ra0, r1 # 11 S ror (2) | 11 p of B
	xor r1, state_1, r1                    # 11 S ^ (2)
	v8subs.ifz r0, -1, r2                  # 11 p of A
	ror r2, r1, sigma_2                    # 11 S ror (3)
	v8min r1, w_4.16b, ones                # 10 s1 upper
	and r0, state_3, r0                    # 11 s2&p
	mul24 ra0, r1, power_13                # 10 s1 upper*2^13
	v8adds r3, r3, r0                      # 11 Ch
	ror r0, x_5, 7                         # 10 s0 ror7
	add.ifz r3, r3, ra5                    # 11 Ch+
	mul24 ra5, r1, power_15                # 10 s1 upper*2^15
	add r3, r2, r3                         # 11 T1|T2
	v8adds r2, rb4, ra7.16b                # 10 s0 ror18
	xor r0, r2, r0                         # 10 s0 ^
	v8min.rot 14, r2, state_0, state_0     # 11 d|T1
	xor rb4, r0, ra6                       # 10 s0 (2)
	v8min.ifnz.rot 2, r2, r3, r3           # 11 d|T1 (2)
	add r2, r3, r2                         # 11 new s0
	mul24 ra6, w_4.8b, power_6             # 10 s1 x.8b*2^6
	mul24 rb3, r1, power_6                 # 10 s1 upper*2^6
	and r1, r2, state_1                    # 12 s0&s1
	ror r3, r2, sigma_0                    # 12 S ror
	v8subs ra7, state_1, r1                # 12 s1-
	xor ra4, ra4, rb2                      # 12 s0 ^
	v8subs r0, r2, r1                      # 12 s0-
	add t1s, rb7, uniform(BASE, K, 72)     # 10 ask K
	mov state_0, r2                        # 11 s0
	xor r3, r2, r3                         # 12 S ^
	mul24 rb2, w_4, power_13               # 10 s1 lower*2^13
	ror r3, r3, sigma_1                    # 12 S ror (2)
	v8adds r0, r0, ra7                     # 12 p of B
	v8subs.ifz r0, -1, r2                  # 12 p of A
	add r2, w_6, r4                        # 12 w+K
	and r0, state_2, r0                    # 12 s2&p
	v8min.rot 14, ra7, state_2, state_2    # 13 d|T1
	v8adds r1, r1, r0                      # 12 Ch
	add r0, w_5, rb4                       # 10 w +s0
	xor r3, state_0, r3                    # 12 S ^ (2)
	v8min.rot 14, rb4, state_0, state_0    # 15 d|T1
	v8min.rot 14, rb5, r2, r2              # 12 w+K odd
	add r2, r2, state_3                    # 12 h+w+K
	add.ifz r1, r1, r2                     # 12 Ch+
	mul24 r2, w_4, power_15                # 10 s1 lower*2^15
	ror r3, r3, sigma_2                    # 12 S ror (3)
	v8adds r2, r2, ra5.16b                 # 10 s1 ror17
	add r3, r3, r1                         # 12 T1|T2
	v8adds r1, rb2, ra0.16b                # 10 s1 ror19
	xor r1, r2, r1                         # 10 s1 ^
	v8min.rot 14, r2, state_3, state_3     # 12 d|T1
	add rb2, r0, x_1                       # 10 w +x
	v8min.ifnz.rot 2, r2, r3, r3           # 12 d|T1 (2)
	add r3, r3, r2                         # 12 new s0
	v8adds r2, rb3, ra6.8b                 # 10 s1 shr10
	xor r1, r1, r2                         # 10 s1
	v8min.rot 14, x_3, w_3, w_3            # 8 x
	and r2, r3, state_0                    # 13 s0&s1
	mov state_3, r3                        # 12 s0
	ror r0, r3, sigma_0                    # 13 S ror
	v8subs ra6, r3, r2                     # 13 s0-
	xor r0, r3, r0                         # 13 S ^
	v8min.ifnz.rot 2, x_3, w_4, w_4        # 8 x (2)
	add w_5, rb2, r1                       # 10 w +s1
	v8subs r1, state_0, r2                 # 13 s1-
	ror r1, r0, sigma_1; v8adds r0, ra6, r1 # 13 S ror (2) | 13 p of B
	xor r1, state_3, r1                    # 13 S ^ (2)
	v8subs.ifz r0, -1, r3                  # 13 p of A
	ror r3, r1, sigma_2                    # 13 S ror (3)
	v8min r1, w_5.16b, ones                # 12 s1 upper
	ldtmu1                                 # 14 load K
	and r0, state_1, r0                    # 13 s2&p
	mul24 rb2, r1, power_6                 # 12 s1 upper*2^6
	add t1s, rb7, uniform(BASE, K, 80)     # 12 ask K
	v8adds r2, r2, r0                      # 13 Ch
	add r0, rb5, state_2                   # 13 h+w+K
	add.ifz r2, r2, r0                     # 13 Ch+
	mul24 r0, w_5, power_13                # 12 s1 lower*2^13
	add r2, r3, r2                         # 13 T1|T2
	mul24 ra6, w_5.8b, power_6             # 12 s1 x.8b*2^6
	xor r3, ra4, rb9                       # 12 s0 (2)
	add r3, w_6, r3                        # 12 w +s0
	v8min.ifnz.rot 2, ra7, r2, r2          # 13 d|T1 (2)
	add rb9, r3, x_2                       # 12 w +x
	mul24 ra4, r1, power_13                # 12 s1 upper*2^13
	add r1, r2, ra7; mul24 ra7, r1, power_15 # 13 new s0 | 12 s1 upper*2^15
	ror r2, r1, sigma_0                    # 14 S ror
	v8adds r0, r0, ra4.16b                 # 12 s1 ror19
	xor r3, r1, r2                         # 14 S ^
	mul24 r2, w_5, power_15                # 12 s1 lower*2^15
	ror rb5, r3, sigma_1                   # 14 S ror (2)
	v8adds r2, r2, ra7.16b                 # 12 s1 ror17
	xor r2, r2, r0                         # 12 s1 ^
	v8adds r0, rb2, ra6.8b                 # 12 s1 shr10
	and r3, r1, state_3                    # 14 s0&s1
	mov state_2, r1                        # 13 s0
	xor r0, r2, r0                         # 12 s1
	v8min.rot 14, x_5, w_5, w_5            # 12 x
	add w_6, rb9, r0                       # 12 w +s1
	v8subs r0, state_3, r3                 # 14 s1-
	shr ra2, ra2, 3                        # 14 s0 shr3
	v8subs r2, r1, r3                      # 14 s0-
	v8adds r2, r2, r0                      # 14 p of B
	add r0, w_7, r4                        # 14 w+K
	v8subs.ifz r2, -1, r1                  # 14 p of A
	add r1, r0, state_1                    # 14 h+w+K
	v8min.rot 14, rb9, r0, r0              # 14 w+K odd
	and r0, state_0, r2                    # 14 s2&p
	v8adds r0, r3, r0                      # 14 Ch
	xor r3, rb11, ra1                      # 14 s0 ^
	add.ifz r0, r0, r1                     # 14 Ch+
	mul24 ra1, w_6.8b, power_6             # 14 s1 x.8b*2^6
	xor r1, state_2, rb5                   # 14 S ^ (2)
	ror r1, r1, sigma_2                    # 14 S ror (3)
	v8min r2, w_6.16b, ones                # 14 s1 upper
	add r0, r1, r0                         # 14 T1|T2
	v8min.rot 14, r1, state_1, state_1     # 14 d|T1
	xor r3, r3, ra2                        # 14 s0 (2)
	mul24 ra2, r2, power_15                # 14 s1 upper*2^15
	add r3, w_7, r3                        # 14 w +s0
	mul24 ra6, r2, power_13                # 14 s1 upper*2^13
	add ra7, r3, x_3                       # 14 w +x
	v8min.ifnz.rot 2, r1, r0, r0           # 14 d|T1 (2)
	add r0, r0, r1                         # 14 new s0
	v8min.rot 14, x_4, w_4, w_4            # 10 x
	mul24 rb5, r2, power_6                 # 14 s1 upper*2^6
	and r2, r0, state_2                    # 15 s0&s1
	add t1s, rb7, uniform(BASE, K, 88)     # 14 ask K
	mov state_1, r0                        # 14 s0
	sub r1, r0, r2                         # 15 s0-
	mul24 rb7, w_6, power_15               # 14 s1 lower*2^15
	ror r3, r0, sigma_0                    # 15 S ror
	v8subs ra4, state_2, r2                # 15 s1-
	xor r3, r0, r3                         # 15 S ^
	v8adds k_index, k_index, power_6       # step K
	ror r3, r3, sigma_1                    # 15 S ror (2)
	v8adds r1, r1, ra4                     # 15 p of B
	v8subs.ifz r1, -1, r0                  # 15 p of A
	xor r0, state_1, r3                    # 15 S ^ (2)
	and r1, state_3, r1                    # 15 s2&p
	v8adds r2, r2, r1                      # 15 Ch
	or r1, rb5, ra1.8b                     # 14 s1 shr10
	add r3, rb9, state_0                   # 15 h+w+K
	add.ifz r2, r2, r3                     # 15 Ch+
	mul24 r3, w_6, power_13                # 14 s1 lower*2^13
	ror r3, r0, sigma_2; v8adds r0, r3, ra6.16b # 15 S ror (3) | 14 s1 ror19
	add r3, r3, r2                         # 15 T1|T2
	v8adds r2, rb7, ra2.16b                # 14 s1 ror17
	xor r0, r2, r0                         # 14 s1 ^
	v8min.rot 14, x_6, w_6, w_6            # 14 x
	xor r0, r0, r1                         # 14 s1
	v8min.ifnz.rot 2, x_4, w_5, w_5        # 10 x (2)
	add w_7, ra7, r0                       # 14 w +s1
	v8min.ifnz.rot 2, rb4, r3, r3          # 15 d|T1 (2)
	v8min.ifnz.rot 2, x_5, w_6, w_6        # 12 x (2)
	add state_0, r3, rb4                   # 15 new s0
	v8min.ifnz.rot 2, x_6, w_7, w_7        # 14 x (2)
	brr.anyn -, :pair_heavy
	nop
	nop
	nop
# pair_light
:pair_light
	ldi r0, uniforms_here                  # reset
	add unif_addr, r0, uniform(ADDRESS)    # uniforms
	mov r0, state_0                        # 0 s0
	and r1, r0, state_1                    # 0 s0&s1
	ror r2, r0, sigma_0                    # 0 S ror
	v8subs rb0, r0, r1                     # 0 s0-
	xor r3, r0, r2                         # 0 S ^
	v8subs r2, state_1, r1                 # 0 s1-
	ror r3, r3, sigma_1                    # 0 S ror (2)
	mov x_2, x_6                           # 6 x=x4
	xor ra0, state_0, r3                   # 0 S ^ (2)
	ldtmu1                                 # 0 load K
	v8adds r3, rb0, r2                     # 0 p of B
	add r2, w_0, r4                        # 0 w+K
	ldtmu0                                 # 0 load DATA
	v8subs.ifz r3, -1, r0                  # 0 p of A
	add r0, r2, state_3                    # 0 h+w+K
	and r3, state_2, r3                    # 0 s2&p
	v8min.rot 14, r2, r2, r2               # 0 w+K odd
	v8adds r1, r1, r3                      # 0 Ch
	ror r3, ra0, sigma_2                   # 0 S ror (3)
	add.ifz r1, r1, r0                     # 0 Ch+
	mov w_0, w_4                           # 0 w=w4
	add r1, r3, r1                         # 0 T1|T2
	v8min.rot 14, r3, state_3, state_3     # 0 d|T1
	max rb0, k_index, 0                    # clamp K
	mov w_4.8d, r4                         # 0 byte 0
	add rb1, r2, state_2                   # 1 h+w+K
	v8min.ifnz.rot 2, r3, r1, r1           # 0 d|T1 (2)
	add r1, r1, r3                         # 0 new s0
	mov ra0, r4                            # 0 swap
	and r3, r1, state_0                    # 1 s0&s1
	mov state_3, r1                        # 0 s0 (2)
	ror r2, r1, sigma_0                    # 1 S ror
	v8subs ra1, state_0, r3                # 1 s1-
	xor r0, r1, r2                         # 1 S ^
	v8subs r2, r1, r3                      # 1 s0-
	ror r2, r0, sigma_1; v8adds r0, r2, ra1 # 1 S ror (2) | 1 p of B
	v8subs.ifz r0, -1, r1                  # 1 p of A
	xor r1, state_3, r2                    # 1 S ^ (2)
	and r0, state_1, r0                    # 1 s2&p
	min ra1, rb0, uniform(CLAMP, K, 60)    # clamp K (2)
	v8adds r0, r3, r0                      # 1 Ch
	max ra2, data, 0                       # clamp DATA
	add.ifz r0, r0, rb1                    # 1 Ch+
	ldtmu1                                 # 2 load K
	ror r1, r1, sigma_2                    # 1 S ror (3)
	mov w_4.8b, ra0.8c                     # 0 byte 2
	add r0, r1, r0                         # 1 T1|T2
	v8min.rot 14, r1, state_2, state_2     # 1 d|T1
	min ra2, ra2, uniform(CLAMP, DATA, 28) # clamp DATA (2)
	add r3, w_1, r4                        # 2 w+K
	v8min.ifnz.rot 2, r1, r0, r0           # 1 d|T1 (2)
	add r0, r0, r1                         # 1 new s0
	mov w_1, w_5                           # 2 w=w4
	and r1, r0, state_3                    # 2 s0&s1
	mov state_2, r0                        # 1 s0
	ror rb1, r0, sigma_0                   # 2 S ror
	v8subs ra3, state_3, r1                # 2 s1-
	ldtmu0                                 # 2 load DATA
	add t1s, ra1, uniform(BASE, K, 32)     # 0 ask K
	v8subs r2, r0, r1                      # 2 s0-
	xor r2, r0, rb1; v8adds rb1, r2, ra3   # 2 S ^ | 2 p of B
	ror r2, r2, sigma_1                    # 2 S ror (2)
	mov w_4.8a, ra0.8d                     # 0 byte 3
	xor ra3, state_2, r2                   # 2 S ^ (2)
	v8subs.ifz rb1, -1, r0                 # 2 p of A
	add ra4, r3, state_1                   # 2 h+w+K
	v8min.rot 14, r0, state_1, state_1     # 2 d|T1
	and r2, state_0, rb1                   # 2 s2&p
	mov w_5.8d, r4                         # 2 byte 0
	v8adds r1, r1, r2                      # 2 Ch
	ror r2, ra3, sigma_2                   # 2 S ror (3)
	add.ifz r1, r1, ra4                    # 2 Ch+
	v8min.rot 14, r3, r3, r3               # 2 w+K odd
	add r1, r2, r1                         # 2 T1|T2
	v8min.rot 14, rb1, state_3, state_3    # 4 d|T1
	add t0s, ra2, uniform(BASE, DATA, 0)   # 0 ask DATA
	mov ra4, r4                            # 2 swap
	add ra3, r3, state_0                   # 3 h+w+K
	v8min.ifnz.rot 2, r0, r1, r1           # 2 d|T1 (2)
	add r0, r1, r0                         # 2 new s0
	mov x_0, x_4                           # 2 x=x4
	and r1, r0, state_2                    # 3 s0&s1
	mov state_1, r0                        # 2 s0
	add data, data, data_step              # step data
	v8subs r3, r0, r1                      # 3 s0-
	ror ra5, r0, sigma_0                   # 3 S ror
	v8subs r2, state_2, r1                 # 3 s1-
	ldtmu1                                 # 4 load K
	add t1s, ra1, uniform(BASE, K, 40)     # 2 ask K
	v8adds r2, r3, r2                      # 3 p of B
	v8subs.ifz r2, -1, r0                  # 3 p of A
	xor r0, r0, ra5                        # 3 S ^
	and rb0, state_3, r2                   # 3 s2&p
	ror r0, r0, sigma_1                    # 3 S ror (2)
	mov w_4.8c, ra0.8b                     # 0 byte 1
	xor r1, state_1, r0; v8adds r0, r1, rb0 # 3 S ^ (2) | 3 Ch
	add.ifz r0, r0, ra3                    # 3 Ch+
	ror r1, r1, sigma_2                    # 3 S ror (3)
	mov w_5.8a, ra4.8d                     # 2 byte 3
	add r0, r1, r0                         # 3 T1|T2
	v8min.rot 14, r1, state_0, state_0     # 3 d|T1
	add t0s, ra2, uniform(BASE, DATA, 8)   # 2 ask DATA
	add r2, w_2, r4                        # 4 w+K
	v8min.ifnz.rot 2, r1, r0, r0           # 3 d|T1 (2)
	add r0, r0, r1                         # 3 new s0
	mov w_2, w_6                           # 4 w=w4
	and r1, r0, state_1                    # 4 s0&s1
	mov state_0, r0                        # 3 s0
	ror rb0, r0, sigma_0                   # 4 S ror
	v8subs ra3, state_1, r1                # 4 s1-
	add t1s, ra1, uniform(BASE, K, 48)     # 4 ask K
	v8subs r3, r0, r1                      # 4 s0-
	ldtmu0                                 # 4 load DATA
	xor r3, r0, rb0; v8adds rb0, r3, ra3   # 4 S ^ | 4 p of B
	ror r3, r3, sigma_1                    # 4 S ror (2)
	mov w_5.8c, ra4.8b                     # 2 byte 1
	v8subs.ifz rb0, -1, r0                 # 4 p of A
	xor r0, state_0, r3                    # 4 S ^ (2)
	ror r0, r0, sigma_2                    # 4 S ror (3)
	mov w_6.8d, r4                         # 4 byte 0
	and r3, state_2, rb0                   # 4 s2&p
	mov ra3, r4                            # 4 swap
	v8adds r3, r1, r3                      # 4 Ch
	add r1, r2, state_3                    # 4 h+w+K
	ldtmu1                                 # 6 load K
	add.ifz r3, r3, r1                     # 4 Ch+
	v8min.rot 14, rb0, r2, r2              # 4 w+K odd
	add r0, r0, r3                         # 4 T1|T2
	v8min.rot 14, x_3, w_7, w_7            # 0 x
	add t0s, ra2, uniform(BASE, DATA, 16)  # 4 ask DATA
	add r3, w_3, r4                        # 6 w+K
	v8min.ifnz.rot 2, rb1, r0, r0          # 4 d|T1 (2)
	add.setf passes, passes, passes        # pass
	mov w_3, w_7                           # 6 w=w4
	add r0, r0, rb1                        # 4 new s0
	mov x_1, x_5                           # 4 x=x4
	and r1, r0, state_0                    # 5 s0&s1
	mov state_3, r0                        # 4 s0
	ror rb1, r0, sigma_0                   # 5 S ror
	v8subs ra0, state_0, r1                # 5 s1-
	add t1s, ra1, uniform(BASE, K, 56)     # 6 ask K
	v8subs r2, r0, r1                      # 5 s0-
	xor r2, r0, rb1; v8adds rb1, r2, ra0   # 5 S ^ | 5 p of B
	ror r2, r2, sigma_1                    # 5 S ror (2)
	mov w_6.8c, ra3.8b                     # 4 byte 1
	ldtmu0                                 # 6 load DATA
	v8subs.ifz rb1, -1, r0                 # 5 p of A
	xor r0, state_3, r2                    # 5 S ^ (2)
	ror r0, r0, sigma_2                    # 5 S ror (3)
	mov w_5.8b, ra4.8c                     # 2 byte 2
	and r2, state_1, rb1                   # 5 s2&p
	mov ra4, r4                            # 6 swap
	v8adds r2, r1, r2                      # 5 Ch
	add r1, rb0, state_2                   # 5 h+w+K
	add.ifz r2, r2, r1                     # 5 Ch+
	v8min.rot 14, x_5, w_5, w_5            # 4 x
	add r0, r0, r2                         # 5 T1|T2
	v8min.rot 14, r2, state_2, state_2     # 5 d|T1
	mov w_7.8a, ra4.8d                     # 6 byte 3
	v8min.rot 14, rb0, r3, r3              # 6 w+K odd
	add ra0, r3, state_1                   # 6 h+w+K
	v8min.ifnz.rot 2, r2, r0, r0           # 5 d|T1 (2)
	add r0, r0, r2                         # 5 new s0
	v8min.rot 14, x_4, w_4, w_4            # 2 x
	and r2, r0, state_3                    # 6 s0&s1
	mov state_2, r0                        # 5 s0
	ror rb1, r0, sigma_0                   # 6 S ror
	v8subs r3, state_3, r2                 # 6 s1-
	add t0s, ra2, uniform(BASE, DATA, 24)  # 6 ask DATA
	v8subs r1, r0, r2                      # 6 s0-
	v8adds r1, r1, r3                      # 6 p of B
	xor r3, r0, rb1                        # 6 S ^
	ror r3, r3, sigma_1                    # 6 S ror (2)
	mov w_6.8a, ra3.8d                     # 4 byte 3
	v8subs.ifz r1, -1, r0                  # 6 p of A
	xor r0, state_2, r3                    # 6 S ^ (2)
	and r1, state_0, r1                    # 6 s2&p
	v8min.rot 14, r3, state_0, state_0     # 7 d|T1
	ror r1, r0, sigma_2; v8adds r0, r2, r1 # 6 S ror (3) | 6 Ch
	add.ifz r0, r0, ra0                    # 6 Ch+
	add r0, r1, r0                         # 6 T1|T2
	v8min.rot 14, r1, state_1, state_1     # 6 d|T1
	v8min.ifnz.rot 2, x_3, w_4, w_4        # 0 x (2)
	mov w_7.8c, ra4.8b                     # 6 byte 1
	v8min.ifnz.rot 2, r1, r0, r0           # 6 d|T1 (2)
	add r0, r0, r1                         # 6 new s0
	v8min.ifnz.rot 2, x_4, w_5, w_5        # 2 x (2)
	and r1, r0, state_2                    # 7 s0&s1
	mov state_1, r0                        # 6 s0
	ror ra0, r0, sigma_0                   # 7 S ror
	v8subs rb1, state_2, r1                # 7 s1-
	add k_index, k_index, data_step        # step K
	v8subs r2, r0, r1                      # 7 s0-
	v8adds rb1, r2, rb1                    # 7 p of B
	xor r2, r0, ra0                        # 7 S ^
	ror r2, r2, sigma_1                    # 7 S ror (2)
	mov w_6.8b, ra3.8c                     # 4 byte 2
	v8subs.ifz rb1, -1, r0                 # 7 p of A
	xor r0, state_1, r2                    # 7 S ^ (2)
	ror r0, r0, sigma_2                    # 7 S ror (3)
	mov w_7.8b, ra4.8c                     # 6 byte 2
	and r2, state_3, rb1                   # 7 s2&p
	mov w_7.8d, r4                         # 6 byte 0
	v8adds r2, r1, r2                      # 7 Ch
	add r1, rb0, state_0                   # 7 h+w+K
	add.ifz r2, r2, r1                     # 7 Ch+
	v8min.rot 14, x_6, w_6, w_6            # 6 x
	add r0, r0, r2                         # 7 T1|T2
	v8min.ifnz.rot 2, x_5, w_6, w_6        # 4 x (2)
	v8min.ifnz.rot 2, x_6, w_7, w_7        # 6 x (2)
	v8min.ifnz.rot 2, r3, r0, r0           # 7 d|T1 (2)
	add state_0, r0, r3                    # 7 new s0
	brr.anyn -, :pair_light
	nop
	nop
	nop
