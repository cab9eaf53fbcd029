dnl SPDX-License-Identifier: MIT
dnl What make search has found for optimised_rounds.m4; do not edit.
dnl 412 instructions, 1750 executed a block
dnl
dnl Behind each instruction: what its add and its mul half compute, with
dnl the round of the pass, 0..7, that it belongs to.  S0, S1, s0, s1: Sigma
dnl and sigma of FIPS 180-4, 4.1.2.  Round t has working variable r of a..h
dnl in state_((r-t) mod 8).
# heavy: 235 instructions, 6 times a block
:heavy
	ror rb0, state_4, 18                           # 0 S1 ror18
	ror r0, state_0, 21                            # 0 S0 ror21
	and r1, state_4, state_5                       # 0 Ch e&f
	ror r2, w_1, 7                                 # 0 s0 ror7
	and r3, state_4, state_6                       # 0 Ch e&g
	xor ra0, state_0, r0; v8subs r0, state_6, r3   # 0 S0 a^ | 0 Ch g-(e&g)
	xor ra1, state_4, rb0; v8adds r0, r1, r0       # 0 S1 e^ | 0 Ch
	add r0, unif, r0; v8min r1, w_1.16b, ones      # 0 T1 K+w | 0 s0 upper
	and r1, ra1.16b, ones; mul24 ra2, r1, power_14 # 0 S1 upper | 0 s0 upper*2^14
	add r0, r0, state_7; v8min r3, ra0.16b, ones   # 0 T1 +h | 0 S0 upper
	add rb0, r0, w_0; v8min r0, w_14.16b, ones     # 0 T1 +Ch | 0 s1 upper
	and r3, w_3.16b, ones; mul24 ra3, r3, power_9  # 2 s0 upper | 0 S0 upper*2^9
	shr r1, w_1, 3; mul24 ra4, r1, r4              # 0 s0 shr3 | 0 S1 upper*2^13
	xor r2, r1, r2; mul24 r1, w_1, power_14        # 0 s0 ^ | 0 s0 lower*2^14
	or r1, r1, ra2.16b; mul24 ra2, r0, power_15    # 0 s0 ror18 | 0 s1 upper*2^15
	xor ra5, state_0, state_1                      # 0 Maj a^b
	xor r2, r2, r1; mul24 r1, ra0, power_9         # 0 s0 | 0 S0 lower*2^9
	add r2, r2, w_0; v8adds r1, r1, ra3.16b        # 0 W w0+s0 | 0 S0 ror23
	add rb1, w_9, r2; mul24 ra3, r3, power_14      # 0 W +w9 | 2 s0 upper*2^14
	shr rb2, w_7, 3; mul24 ra0, r3, r4             # 6 s0 shr3 | 2 s0 upper*2^13
	and r3, ra5, b_xor_c; mul24 ra6, r0, r4        # 0 Maj &(b^c) | 0 s1 upper*2^13
	xor r1, state_0, r1                            # 0 S0 a^ (2)
	xor r2, state_1, r3; mul24 r3, ra1, r4         # 0 Maj | 0 S1 lower*2^13
	ror r3, r1, 22; v8adds r1, r3, ra4.16b         # 0 S0 ror22 | 0 S1 ror19
	add r2, r2, r3; mul24 ra4, w_14.8b, power_6    # 0 T2 | 0 s1 x.8b*2^6
	xor r0, state_4, r1; mul24 r1, r0, power_6     # 0 S1 e^ (2) | 0 s1 upper*2^6
	shr rb3, w_8, 3                                # 7 s0 shr3
	ror r0, r0, 6; v8min r3, w_2.16b, ones         # 0 S1 ror6 | 1 s0 upper
	add r0, rb0, r0; mul24 ra1, w_3, r4            # 0 T1 | 2 s0 lower*2^13
	add r1, state_3, r0; v8adds rb0, r1, ra4.8b    # 0 e=d+T1 | 0 s1 shr10
	add r0, r0, r2; mul24 r2, w_2, power_14        # 0 a=T1+T2 | 1 s0 lower*2^14
	xor rb4, r0, state_0; mul24 ra4, r3, power_14  # 1 Maj a^b | 1 s0 upper*2^14
	ror rb5, r1, 18; v8min ra7, w_8.16b, ones      # 1 S1 ror18 | 7 s0 upper
	ror r2, r0, 21; v8adds rb6, r2, ra4.16b        # 1 S0 ror21 | 1 s0 ror18
	xor ra4, r0, r2; mul24 r2, w_3, power_14       # 1 S0 a^ | 2 s0 lower*2^14
	xor ra3, r1, rb5; v8adds rb5, r2, ra3.16b      # 1 S1 e^ | 2 s0 ror18
	shr r0, w_2, 3; v8min state_7, r0, r0          # 1 s0 shr3 | 0 a
	ror r2, w_2, 7                                 # 1 s0 ror7
	xor r2, rb6, r2; v8min ra0.16a, ra1.16b, ra1.16b # 1 s0 ^ | 2 s0 shr3
	xor r0, r2, r0; mul24 rb6, ra4, power_9        # 1 s0 | 1 S0 lower*2^9
	and rb7, rb4, ra5                              # 1 Maj &(b^c)
	and r2, r1, state_5; v8min rb8, ra3.16b, ones  # 1 Ch e&g | 1 S1 upper
	and r2, r1, state_4; v8subs r3, state_5, r2    # 1 Ch e&f | 1 Ch g-(e&g)
	add r0, w_1, r0; v8min state_3, r1, r1         # 1 W +w9 | 0 e
	ror ra5, w_8, 7; v8min w_0, w_8, w_8           # 7 s0 ror7 | 0 w0=w8
	ror r3, w_3, 7; v8adds r2, r2, r3              # 2 s0 ror7 | 1 Ch
	add rb8, r0, w_10; mul24 ra1, rb8, r4          # 1 W w0+s0 | 1 S1 upper*2^13
	add r2, r2, state_6; mul24 r0, ra3, r4         # 1 T1 +h | 1 S1 lower*2^13
	xor r3, rb5, r3; v8adds r0, r0, ra1.16b        # 2 s0 ^ | 1 S1 ror19
	xor r0, r1, r0; mul24 ra1, w_15.8b, power_6    # 1 S1 e^ (2) | 1 s1 x.8b*2^6
	ror r0, r0, 6; v8min r1, ra4.16b, ones         # 1 S1 ror6 | 1 S0 upper
	xor r1, r3, ra0; mul24 ra0, r1, power_9        # 2 s0 | 1 S0 upper*2^9
	add r0, unif, r0; v8min r3, w_15.16b, ones     # 1 T1 K+w | 1 s1 upper
	add rb5, w_2, r1; mul24 ra4, r3, power_15      # 2 W w0+s0 | 1 s1 upper*2^15
	add r2, w_1, r2; mul24 r1, r3, power_6         # 1 T1 +Ch | 1 s1 upper*2^6
	add r0, r2, r0; v8adds r2, rb6, ra0.16b        # 1 T1 | 1 S0 ror23
	xor r2, state_7, r2; v8min w_1, w_9, w_9       # 1 S0 a^ (2) | 1 w1=w9
	xor r3, state_0, rb7; mul24 ra0, r3, r4        # 1 Maj | 1 s1 upper*2^13
	add r3, r3, r0; mul24 ra7, ra7, power_14       # 1 T2 | 7 s0 upper*2^14
	add r0, state_2, r0; v8adds rb7, r1, ra1.8b    # 1 e=d+T1 | 1 s1 shr10
	ror r1, r2, 22; mul24 r2, w_14, r4             # 1 S0 ror22 | 0 s1 lower*2^13
	add r1, r1, r3; mul24 r3, w_8, power_14        # 1 a=T1+T2 | 7 s0 lower*2^14
	ror r3, r1, 21; v8adds ra7, r3, ra7.16b        # 2 S0 ror21 | 7 s0 ror18
	xor ra1, r1, r3; mul24 r3, w_14, power_15      # 2 S0 a^ | 0 s1 lower*2^15
	xor ra6, r1, state_7; v8adds r2, r2, ra6.16b   # 2 Maj a^b | 0 s1 ror19
	xor r3, rb0, r2; v8adds r2, r3, ra2.16b        # 0 s1 ^ | 0 s1 ror17
	xor r2, r3, r2; mul24 r3, w_15, power_15       # 0 s1 | 1 s1 lower*2^15
	add w_8, rb1, r2; mul24 r2, w_15, r4           # 0 W +s1 | 1 s1 lower*2^13
	ror r3, r0, 18; v8adds rb1, r3, ra4.16b        # 2 S1 ror18 | 1 s1 ror17
	xor ra0, r0, r3; v8adds r2, r2, ra0.16b        # 2 S1 e^ | 1 s1 ror19
	xor r2, rb7, r2; v8min r3, ra1.16b, ones       # 1 s1 ^ | 2 S0 upper
	and r3, r0, state_4; mul24 ra4, r3, power_9    # 2 Ch e&g | 2 S0 upper*2^9
	xor ra2, r2, rb1; v8subs r2, state_4, r3       # 1 s1 | 2 Ch g-(e&g)
	and rb1, r0, state_3; v8min r3, ra0.16b, ones  # 2 Ch e&f | 2 S1 upper
	shr rb7, w_5, 3                                # 4 s0 shr3
	add w_9, ra2, rb8; v8min state_6, r1, r1       # 1 W +s1 | 1 a
	add r3, w_2, state_5; mul24 ra2, r3, r4        # 2 T1 +h | 2 S1 upper*2^13
	add r2, unif, r3; v8adds r3, rb1, r2           # 2 T1 K+w | 2 Ch
	and r1, ra6, rb4; v8min state_2, r0, r0        # 2 Maj &(b^c) | 1 e
	add ra1, r3, r2; mul24 r2, ra1, power_9        # 2 T1 +Ch | 2 S0 lower*2^9
	xor r2, state_7, r1; v8adds r1, r2, ra4.16b    # 2 Maj | 2 S0 ror23
	xor r3, state_6, r1; mul24 r1, ra0, r4         # 2 S0 a^ (2) | 2 S1 lower*2^13
	ror r3, r3, 22; v8adds r1, r1, ra2.16b         # 2 S0 ror22 | 2 S1 ror19
	add r2, r2, r3; mul24 ra2, w_8.8b, power_6     # 2 T2 | 2 s1 x.8b*2^6
	xor r0, r0, r1; mul24 ra0, w_9.8b, power_6     # 2 S1 e^ (2) | 3 s1 x.8b*2^6
	ror r0, r0, 6; v8min r1, w_8.16b, ones         # 2 S1 ror6 | 2 s1 upper
	add r0, ra1, r0; mul24 r3, r1, power_6         # 2 T1 | 2 s1 upper*2^6
	add r3, state_1, r0; v8adds rb4, r3, ra2.8b    # 2 e=d+T1 | 2 s1 shr10
	add r0, r0, r2; mul24 ra2, r1, power_15        # 2 a=T1+T2 | 2 s1 upper*2^15
	ror rb1, r0, 21; v8min r2, w_9.16b, ones       # 3 S0 ror21 | 3 s1 upper
	xor r1, ra7, rb3; mul24 ra7, r1, r4            # 7 s0 ^ | 2 s1 upper*2^13
	xor r1, r1, ra5; mul24 ra5, r2, power_15       # 7 s0 | 3 s1 upper*2^15
	xor ra1, r0, rb1; v8min state_5, r0, r0        # 3 S0 a^ | 2 a
	shr rb1, w_4, 3; mul24 ra4, r2, r4             # 3 s0 shr3 | 3 s1 upper*2^13
	add r1, w_7, r1; mul24 rb3, r2, power_6        # 7 W w0+s0 | 3 s1 upper*2^6
	and r2, r3, state_3; mul24 rb8, w_8, r4        # 3 Ch e&g | 2 s1 lower*2^13
	add rb0, state_3, w_4; v8subs ra3, state_3, r2 # 4 T1 +h | 3 Ch g-(e&g)
	add rb6, r1, w_8; mul24 r1, w_8, power_15      # 7 W +w9 | 2 s1 lower*2^15
	ror r2, r3, 18; v8adds r1, r1, ra2.16b         # 3 S1 ror18 | 2 s1 ror17
	xor ra7, r3, r2; v8adds r2, rb8, ra7.16b       # 3 S1 e^ | 2 s1 ror19
	xor r2, r2, rb4; v8min w_2, w_10, w_10         # 2 s1 ^ | 2 w2=w10
	xor rb4, r0, state_6; v8min r0, ra1.16b, ones  # 3 Maj a^b | 3 S0 upper
	xor r1, r2, r1; mul24 r2, ra1, power_9         # 2 s1 | 3 S0 lower*2^9
	add r0, r1, w_11; mul24 ra1, r0, power_9       # 2 W +w9 | 3 S0 upper*2^9
	and rb8, r3, state_2; v8min r1, ra7.16b, ones  # 3 Ch e&f | 3 S1 upper
	add w_10, r0, rb5; v8adds r0, r2, ra1.16b      # 2 W +s1 | 3 S0 ror23
	ror.setf passes, passes, 4; v8min state_1, r3, r3 # pass | 2 e
	and r1, rb4, ra6; mul24 ra6, r1, r4            # 3 Maj &(b^c) | 3 S1 upper*2^13
	xor r0, state_5, r0; v8min r2, w_4.16b, ones   # 3 S0 a^ (2) | 3 s0 upper
	ror ra7, r0, 22; mul24 r0, ra7, r4             # 3 S0 ror22 | 3 S1 lower*2^13
	xor r1, state_6, r1; v8adds r0, r0, ra6.16b    # 3 Maj | 3 S1 ror19
	xor r3, r3, r0; v8adds r0, rb8, ra3            # 3 S1 e^ (2) | 3 Ch
	add r0, w_3, r0; mul24 ra3, r2, power_14       # 3 T1 +h | 3 s0 upper*2^14
	ror ra6, r3, 6; v8min r3, w_10.16b, ones       # 3 S1 ror6 | 4 s1 upper
	add rb8, state_4, r0; mul24 ra1, r3, power_15  # 3 T1 +Ch | 4 s1 upper*2^15
	add r0, unif, ra6; mul24 ra6, r3, r4           # 3 T1 K+w | 4 s1 upper*2^13
	add r0, rb8, r0; mul24 rb8, w_10, r4           # 3 T1 | 4 s1 lower*2^13
	add r1, r0, r1; mul24 ra2, w_10.8b, power_6    # 3 T2 | 4 s1 x.8b*2^6
	add r1, ra7, r1                                # 3 a=T1+T2
	xor ra7, r1, state_5; mul24 r2, w_9, r4        # 4 Maj a^b | 3 s1 lower*2^13
	add r0, state_0, r0; mul24 r3, r3, power_6     # 3 e=d+T1 | 4 s1 upper*2^6
	ror r2, r0, 18; v8adds rb5, r2, ra4.16b        # 4 S1 ror18 | 3 s1 ror19
	xor ra4, r0, r2; mul24 r2, w_10, power_15      # 4 S1 e^ | 4 s1 lower*2^15
	ror r2, r1, 21; v8adds rb9, r2, ra1.16b        # 4 S0 ror21 | 4 s1 ror17
	xor ra6, r1, r2; v8adds r2, rb8, ra6.16b       # 4 S0 a^ | 4 s1 ror19
	and ra2, r0, state_1; v8adds r3, r3, ra2.8b    # 4 Ch e&f | 4 s1 shr10
	ror rb8, w_7, 7; v8min state_4, r1, r1         # 6 s0 ror7 | 3 a
	xor r3, r3, r2; v8adds r2, rb3, ra0.8b         # 4 s1 ^ | 3 s1 shr10
	xor r3, r3, rb9; v8min ra0, w_7.16b, ones      # 4 s1 | 6 s0 upper
	and r1, r0, state_2; mul24 rb9, ra4, r4        # 4 Ch e&g | 4 S1 lower*2^13
	xor ra4, r2, rb5; v8min r2, ra4.16b, ones      # 3 s1 ^ | 4 S1 upper
	ror r2, w_4, 7; mul24 ra1, r2, r4              # 3 s0 ror7 | 4 S1 upper*2^13
	add rb5, r3, w_4; mul24 r3, w_4, power_14      # 4 W w0+s0 | 3 s0 lower*2^14
	xor r3, rb1, r2; v8adds r2, r3, ra3.16b        # 3 s0 ^ | 3 s0 ror18
	xor r2, r3, r2; v8adds r3, rb9, ra1.16b        # 3 s0 | 4 S1 ror19
	add ra1, w_3, r2; v8subs r1, state_2, r1       # 3 W +w9 | 4 Ch g-(e&g)
	xor r2, r0, r3; mul24 r3, w_9, power_15        # 4 S1 e^ (2) | 3 s1 lower*2^15
	ror r2, r2, 6; v8adds r1, ra2, r1              # 4 S1 ror6 | 4 Ch
	add r1, rb0, r1; v8adds rb0, r3, ra5.16b       # 4 T1 +Ch | 3 s1 ror17
	add r1, unif, r1; v8min r3, w_6.16b, ones      # 4 T1 K+w | 5 s0 upper
	add r1, r2, r1; mul24 ra5, r3, power_14        # 4 T1 | 5 s0 upper*2^14
	add r2, state_7, r1; v8min w_3, w_11, w_11     # 4 e=d+T1 | 3 w3=w11
	and r3, ra7, rb4; mul24 ra2, r3, r4            # 4 Maj &(b^c) | 5 s0 upper*2^13
	xor rb4, state_5, r3; v8min r3, w_5.16b, ones  # 4 Maj | 4 s0 upper
	xor r0, ra4, rb0; v8min state_0, r0, r0        # 3 s1 | 3 e
	add rb0, r0, w_12; mul24 ra4, r3, power_14     # 3 W w0+s0 | 4 s0 upper*2^14
	ror r3, r2, 18; v8min r0, ra6.16b, ones        # 5 S1 ror18 | 4 S0 upper
	and rb9, r2, state_0; mul24 ra3, r0, power_9   # 5 Ch e&f | 4 S0 upper*2^9
	xor ra6, r2, r3; mul24 r3, ra6, power_9        # 5 S1 e^ | 4 S0 lower*2^9
	add r1, r1, rb4                                # 4 T2
	and r0, r2, state_1; v8adds r3, r3, ra3.16b    # 5 Ch e&g | 4 S0 ror23
	xor r0, state_4, r3; v8subs r3, state_1, r0    # 4 S0 a^ (2) | 5 Ch g-(e&g)
	ror r0, r0, 22; v8min ra3, ra6.16b, ones       # 4 S0 ror22 | 5 S1 upper
	add r0, r0, r1; mul24 ra0, ra0, power_14       # 4 a=T1+T2 | 6 s0 upper*2^14
	xor rb9, r0, state_4; v8adds r3, rb9, r3       # 5 Maj a^b | 5 Ch
	add w_11, ra1, rb0; v8min state_7, r2, r2      # 3 W +s1 | 4 e
	ror r1, r0, 21; mul24 ra3, ra3, r4             # 5 S0 ror21 | 5 S1 upper*2^13
	ror r0, w_5, 7; v8min state_3, r0, r0          # 4 s0 ror7 | 4 a
	add ra6, unif, r3; mul24 r3, ra6, r4           # 5 T1 K+w | 5 S1 lower*2^13
	xor ra3, state_3, r1; v8adds r1, r3, ra3.16b   # 5 S0 a^ | 5 S1 ror19
	xor r2, r2, r1; mul24 r1, w_5, power_14        # 5 S1 e^ (2) | 4 s0 lower*2^14
	ror r2, r2, 6; v8adds r1, r1, ra4.16b          # 5 S1 ror6 | 4 s0 ror18
	ror rb0, w_6, 7                                # 5 s0 ror7
	xor r1, rb7, r1; v8min r3, w_11.16b, ones      # 4 s0 ^ | 5 s1 upper
	xor rb7, r1, r0; mul24 ra4, w_11.8b, power_6   # 4 s0 | 5 s1 x.8b*2^6
	and r0, rb9, ra7                               # 5 Maj &(b^c)
	add r2, ra6, r2; mul24 ra6, r3, power_15       # 5 T1 +Ch | 5 s1 upper*2^15
	add r1, state_2, w_5; mul24 ra7, r3, r4        # 5 T1 +h | 5 s1 upper*2^13
	xor r0, state_4, r0; mul24 r3, r3, power_6     # 5 Maj | 5 s1 upper*2^6
	add r1, r2, r1; v8min w_4, w_12, w_12          # 5 T1 | 4 w4=w12
	add rb4, r0, r1; mul24 r0, w_7, power_14       # 5 T2 | 6 s0 lower*2^14
	add r1, state_6, r1; mul24 ra1, w_6, r4        # 5 e=d+T1 | 5 s0 lower*2^13
	and rb1, r1, state_7; v8adds r0, r0, ra0.16b   # 6 Ch e&f | 6 s0 ror18
	xor r0, r0, rb2; v8adds rb2, r3, ra4.8b        # 6 s0 ^ | 5 s1 shr10
	ror r2, r1, 18; v8min r3, ra3.16b, ones        # 6 S1 ror18 | 5 S0 upper
	and r3, r1, state_0; mul24 ra4, r3, power_9    # 6 Ch e&g | 5 S0 upper*2^9
	xor ra3, r1, r2; mul24 r2, ra3, power_9        # 6 S1 e^ | 5 S0 lower*2^9
	xor r2, r0, rb8; v8adds r0, r2, ra4.16b        # 6 s0 | 5 S0 ror23
	add ra4, r2, w_6; mul24 r2, w_6, power_14      # 6 W +w9 | 5 s0 lower*2^14
	xor r0, state_3, r0; v8adds r2, r2, ra5.16b    # 5 S0 a^ (2) | 5 s0 ror18
	ror r0, r0, 22; v8min ra2.16a, ra1.16b, ra1.16b # 5 S0 ror22 | 5 s0 shr3
	add r0, r0, rb4; v8subs r3, state_0, r3        # 5 a=T1+T2 | 6 Ch g-(e&g)
	xor r2, ra2, r2; v8adds ra2, rb1, r3           # 5 s0 ^ | 6 Ch
	xor rb0, r2, rb0; v8min r2, ra3.16b, ones      # 5 s0 | 6 S1 upper
	add r2, rb5, w_13; mul24 ra1, r2, r4           # 4 W +w9 | 6 S1 upper*2^13
	add w_12, r2, rb7; mul24 rb7, ra3, r4          # 4 W +s1 | 6 S1 lower*2^13
	ror r3, r0, 21; mul24 r2, w_11, r4             # 6 S0 ror21 | 5 s1 lower*2^13
	xor ra7, r0, state_3; v8adds r2, r2, ra7.16b   # 6 Maj a^b | 5 s1 ror19
	xor ra1, r0, r3; v8adds r3, rb7, ra1.16b       # 6 S0 a^ | 6 S1 ror19
	xor ra3, r1, r3; mul24 r3, w_11, power_15      # 6 S1 e^ (2) | 5 s1 lower*2^15
	xor r3, rb2, r2; v8adds r2, r3, ra6.16b        # 5 s1 ^ | 5 s1 ror17
	add r1, unif, w_6; v8min state_6, r1, r1       # 6 T1 K+w | 5 e
	and r0, ra7, rb9; v8min state_2, r0, r0        # 6 Maj &(b^c) | 5 a
	add ra6, state_1, r1; mul24 rb9, w_12, r4      # 6 T1 +Ch | 6 s1 lower*2^13
	xor r2, r3, r2; mul24 ra5, w_12.8b, power_6    # 5 s1 | 6 s1 x.8b*2^6
	add r2, r2, rb0; v8min r3, w_12.16b, ones      # 5 W w0+s0 | 6 s1 upper
	xor r1, state_3, r0; v8min r0, ra1.16b, ones   # 6 Maj | 6 S0 upper
	add rb0, w_5, r2; mul24 ra0, r3, power_15      # 5 W +w9 | 6 s1 upper*2^15
	ror r2, ra3, 6; mul24 ra3, r3, r4              # 6 S1 ror6 | 6 s1 upper*2^13
	add r0, r2, ra2; mul24 ra2, r0, power_9        # 6 T1 +h | 6 S0 upper*2^9
	add r0, ra6, r0; mul24 rb2, r3, power_6        # 6 T1 | 6 s1 upper*2^6
	add r1, r1, r0; mul24 r3, w_12, power_15       # 6 T2 | 6 s1 lower*2^15
	add r0, state_5, r0; v8min w_6, w_14, w_14     # 6 e=d+T1 | 6 w6=w14
	ror r2, r0, 18; v8min w_5, w_13, w_13          # 7 S1 ror18 | 5 w5=w13
	xor ra1, r0, r2; mul24 r2, ra1, power_9        # 7 S1 e^ | 6 S0 lower*2^9
	add w_13, rb0, w_14; v8min state_5, r0, r0     # 5 W +s1 | 6 e
	and rb0, r0, state_6; v8adds r2, r2, ra2.16b   # 7 Ch e&f | 6 S0 ror23
	and ra2, r0, state_7; v8min r0, ra1.16b, ones  # 7 Ch e&g | 7 S1 upper
	xor r2, state_2, r2; v8adds r3, r3, ra0.16b    # 6 S0 a^ (2) | 6 s1 ror17
	ror r0, r2, 22; mul24 ra0, r0, r4              # 6 S0 ror22 | 7 S1 upper*2^13
	add r0, r0, r1; v8adds r1, rb9, ra3.16b        # 6 a=T1+T2 | 6 s1 ror19
	xor r1, r3, r1; v8adds r3, rb2, ra5.8b         # 6 s1 ^ | 6 s1 shr10
	xor r1, r1, r3; mul24 ra5, w_13.8b, power_6    # 6 s1 | 7 s1 x.8b*2^6
	xor b_xor_c, r0, state_2; mul24 r3, ra1, r4    # 7 Maj a^b | 7 S1 lower*2^13
	ror r2, r0, 21; v8adds r3, r3, ra0.16b         # 7 S0 ror21 | 7 S1 ror19
	xor ra2, r0, r2; v8subs r2, state_7, ra2       # 7 S0 a^ | 7 Ch g-(e&g)
	add rb0, r1, w_15; v8adds r1, rb0, r2          # 6 W w0+s0 | 7 Ch
	xor ra0, state_5, r3; v8min r3, w_13.16b, ones # 7 S1 e^ (2) | 7 s1 upper
	add r1, unif, r1; v8min r2, ra2.16b, ones      # 7 T1 K+w | 7 S0 upper
	add r1, state_0, r1; mul24 ra1, r2, power_9    # 7 T1 +h | 7 S0 upper*2^9
	ror r2, ra0, 6; mul24 ra0, r3, r4              # 7 S1 ror6 | 7 s1 upper*2^13
	add r2, r2, w_7; mul24 ra3, r3, power_15       # 7 T1 +Ch | 7 s1 upper*2^15
	add r1, r2, r1; mul24 r2, ra2, power_9         # 7 T1 | 7 S0 lower*2^9
	and r0, b_xor_c, ra7; v8min state_1, r0, r0    # 7 Maj &(b^c) | 6 a
	xor rb2, state_2, r0; v8adds r0, r2, ra1.16b   # 7 Maj | 7 S0 ror23
	xor r0, state_1, r0; mul24 r2, w_13, r4        # 7 S0 a^ (2) | 7 s1 lower*2^13
	ror r0, r0, 22; v8adds rb9, r2, ra0.16b        # 7 S0 ror22 | 7 s1 ror19
	add r0, r0, r1; mul24 r2, w_13, power_15       # 7 T2 | 7 s1 lower*2^15
	add w_14, ra4, rb0                             # 6 W +s1
	add state_0, rb2, r0; v8adds r0, r2, ra3.16b   # 7 a=T1+T2 | 7 s1 ror17
	add state_4, state_4, r1; mul24 r1, r3, power_6 # 7 e=d+T1 | 7 s1 upper*2^6
	brr.alln -, :heavy                             # 3 delay slots follow
	xor r0, rb9, r0; v8adds r1, r1, ra5.8b         # 7 s1 ^ | 7 s1 shr10
	xor r0, r0, r1; v8min w_7, w_15, w_15          # 7 s1 | 7 w7=w15
	add w_15, rb6, r0                              # 7 W +s1
# light: 163 instructions, 2 times a block
:light
	ror r0, state_4, 18                            # 0 S1 ror18
	and r1, state_4, state_5; ldtmu0               # 0 Ch e&f | 0 load
	and r2, state_4, state_6; v8min ra0, r4, r4    # 0 Ch e&g | 0 swap x
	xor ra1, state_4, r0; v8subs r0, state_6, r2   # 0 S1 e^ | 0 Ch g-(e&g)
	add r0, unif, w_0; v8adds r1, r1, r0           # 0 T1 K+w | 0 Ch
	add r1, state_7, r1; v8min r2, ra1.16b, ones   # 0 T1 +h | 0 S1 upper
	or w_0, w_8, w_8; mul24 ra2, r2, power_13      # 0 w0=w8 | 0 S1 upper*2^13
	xor r2, state_0, state_1; v8min w_8.8d, r4, r4 # 0 Maj a^b | 0 swap byte 0
	add ra1, r0, r1; mul24 r0, ra1, power_13       # 0 T1 +Ch | 0 S1 lower*2^13
	and r3, r2, b_xor_c; v8min r1, state_0.16b, ones # 0 Maj &(b^c) | 0 S0 upper
	xor r3, state_1, r3; v8adds r0, r0, ra2.16b    # 0 Maj | 0 S1 ror19
	xor r0, state_4, r0; mul24 ra2, r1, power_11   # 0 S1 e^ (2) | 0 S0 upper*2^11
	ror r0, r0, 6; v8min t0s, data, data           # 0 S1 ror6 | 0 request
	add r0, ra1, r0; mul24 ra1, r1, power_10       # 0 T1 | 0 S0 upper*2^10
	add ra3, unif, w_1                             # 1 T1 K+w
	add rb0, r3, r0; mul24 r3, state_0, power_11   # 0 T2 | 0 S0 lower*2^11
	add r0, state_3, r0; v8adds r3, r3, ra2.16b    # 0 e=d+T1 | 0 S0 ror21
	xor r3, state_0, r3; mul24 rb1, state_0, power_10; ldtmu0 # 0 S0 a^ | 0 S0 lower*2^10 | 1 load
	ror r3, r3, 13; v8min w_1, w_9, w_9            # 0 S0 ror13 | 1 w1=w9
	ror r1, r0, 18; v8min w_8.8a, ra0.8d, ra0.8d   # 1 S1 ror18 | 0 swap byte 3
	xor ra1, r0, r1; v8adds r1, rb1, ra1.16b       # 1 S1 e^ | 0 S0 ror22
	xor r1, r1, r3; v8min w_9.8d, r4, r4           # 0 S0 | 1 swap byte 0
	add r1, r1, rb0; v8min r3, ra1.16b, ones       # 0 a=T1+T2 | 1 S1 upper
	xor rb0, r1, state_0; mul24 ra2, r3, power_13  # 1 Maj a^b | 1 S1 upper*2^13
	ror r3, r1, 21; v8min state_3, r0, r0          # 1 S0 ror21 | 0 e
	add ra4, unif, w_2; v8min state_7, r1, r1      # 2 T1 K+w | 0 a
	xor ra1, r1, r3; mul24 r1, ra1, power_13       # 1 S0 a^ | 1 S1 lower*2^13
	and r1, r0, state_5; v8adds r3, r1, ra2.16b    # 1 Ch e&g | 1 S1 ror19
	xor r3, r0, r3                                 # 1 S1 e^ (2)
	and r0, r0, state_4; v8subs r1, state_5, r1    # 1 Ch e&f | 1 Ch g-(e&g)
	ror r1, r3, 6; v8adds r0, r0, r1               # 1 S1 ror6 | 1 Ch
	add r1, state_6, r1; v8min r3, ra1.16b, ones   # 1 T1 +h | 1 S0 upper
	add r0, ra3, r0; mul24 ra3, r3, power_9        # 1 T1 +Ch | 1 S0 upper*2^9
	and rb1, rb0, r2; v8min w_2, w_10, w_10        # 1 Maj &(b^c) | 2 w2=w10
	add r0, r0, r1; mul24 r1, ra1, power_9         # 1 T1 | 1 S0 lower*2^9
	add r1, state_2, r0; v8adds r2, r1, ra3.16b    # 1 e=d+T1 | 1 S0 ror23
	ror r3, r1, 18; v8min w_8.8b, ra0.8c, ra0.8c   # 2 S1 ror18 | 0 swap byte 2
	xor rb1, state_0, rb1; v8min ra3, r4, r4       # 1 Maj | 1 swap x
	xor ra1, r1, r3; v8adds t0s, data, 4           # 2 S1 e^ | 1 request
	xor r2, state_7, r2; v8min w_8.8c, ra0.8b, ra0.8b # 1 S0 a^ (2) | 0 swap byte 1
	add r0, rb1, r0; v8min ra0, ra1.16b, ones; ldtmu0 # 1 T2 | 2 S1 upper | 2 load
	add rb1, unif, w_3; v8min ra2, r4, r4          # 3 T1 K+w | 2 swap x
	ror r2, r2, 22                                 # 1 S0 ror22
	add r0, r2, r0; mul24 ra0, ra0, power_13       # 1 a=T1+T2 | 2 S1 upper*2^13
	ror r2, r0, 21; v8min w_9.8b, ra3.8c, ra3.8c   # 2 S0 ror21 | 1 swap byte 2
	xor ra1, r0, r2; mul24 r2, ra1, power_13       # 2 S0 a^ | 2 S1 lower*2^13
	xor ra0, r0, state_7; v8adds rb2, r2, ra0.16b  # 2 Maj a^b | 2 S1 ror19
	ror.setf passes, passes, 4; v8min state_6, r0, r0 # pass | 1 a
	and r0, r1, state_3; v8min r2, ra1.16b, ones   # 2 Ch e&f | 2 S0 upper
	and r3, r1, state_4; v8min w_10.8d, r4, r4     # 2 Ch e&g | 2 swap byte 0
	xor ra5, r1, rb2; v8subs r3, state_4, r3       # 2 S1 e^ (2) | 2 Ch g-(e&g)
	add ra4, ra4, state_5; v8min state_2, r1, r1; ldtmu0 # 2 T1 +h | 1 e | 3 load
	ror r3, ra5, 6; v8adds r0, r0, r3              # 2 S1 ror6 | 2 Ch
	add r0, r0, ra4; mul24 ra4, r2, power_9        # 2 T1 +Ch | 2 S0 upper*2^9
	add r0, r0, r3; mul24 r3, ra1, power_9         # 2 T1 | 2 S0 lower*2^9
	add r2, state_1, r0; v8min w_3, w_11, w_11     # 2 e=d+T1 | 3 w3=w11
	add ra1, unif, w_4; v8min state_1, r2, r2      # 4 T1 K+w | 2 e
	ror r1, r2, 18; v8adds r3, r3, ra4.16b         # 3 S1 ror18 | 2 S0 ror23
	xor ra4, r2, r1; v8adds t0s, data, 8           # 3 S1 e^ | 2 request
	xor r3, state_6, r3; v8min w_4, w_12, w_12     # 2 S0 a^ (2) | 4 w4=w12
	ror r3, r3, 22; v8min w_9.8c, ra3.8b, ra3.8b   # 2 S0 ror22 | 1 swap byte 1
	add ra5, r3, r0; v8adds t0s, data, 12          # 2 T2 | 3 request
	and r0, r2, state_2; v8min ra6, r4, r4         # 3 Ch e&f | 3 swap x
	and r3, ra0, rb0; v8min w_11.8d, r4, r4        # 2 Maj &(b^c) | 3 swap byte 0
	and r2, r2, state_3; v8min r1, ra4.16b, ones; ldtmu0 # 3 Ch e&g | 3 S1 upper | 4 load
	xor r3, state_7, r3; v8min w_11.8b, ra6.8c, ra6.8c # 2 Maj | 3 swap byte 2
	add r1, r3, ra5; mul24 ra5, r1, power_13       # 2 a=T1+T2 | 3 S1 upper*2^13
	ror r3, r1, 21; v8min w_12.8d, r4, r4          # 3 S0 ror21 | 4 swap byte 0
	xor rb0, r1, state_6; v8min w_10.8c, ra2.8b, ra2.8b # 3 Maj a^b | 2 swap byte 1
	add ra1, ra1, state_3; v8subs r2, state_3, r2  # 4 T1 +Ch | 3 Ch g-(e&g)
	sub data, data, -16; v8min state_5, r1, r1     # 4 address+16 | 2 a
	xor ra4, r1, r3; mul24 r1, ra4, power_13       # 3 S0 a^ | 3 S1 lower*2^13
	add rb2, unif, w_5; v8adds r0, r0, r2          # 5 T1 K+w | 3 Ch
	add r0, rb1, r0; v8adds r1, r1, ra5.16b        # 3 T1 +Ch | 3 S1 ror19
	xor r1, state_1, r1; v8min r2, ra4.16b, ones   # 3 S1 e^ (2) | 3 S0 upper
	ror r1, r1, 6; v8min ra5, r4, r4               # 3 S1 ror6 | 4 swap x
	add r1, state_4, r1; mul24 ra7, r2, power_9; ldtmu0 # 3 T1 +h | 3 S0 upper*2^9 | 5 load
	add r0, r0, r1; mul24 r1, ra4, power_9         # 3 T1 | 3 S0 lower*2^9
	add r2, state_0, r0; v8min t1s, constant, constant # 3 e=d+T1 | request 2^13
	ror rb1, r2, 18; v8min w_5, w_13, w_13         # 4 S1 ror18 | 5 w5=w13
	and r3, rb0, ra0; v8min w_13.8d, r4, r4        # 3 Maj &(b^c) | 5 swap byte 0
	xor ra7, r2, rb1; v8adds r1, r1, ra7.16b       # 4 S1 e^ | 3 S0 ror23
	xor r3, state_6, r3; v8min state_0, r2, r2     # 3 Maj | 3 e
	xor r1, state_5, r1; v8min ra0, ra7.16b, ones  # 3 S0 a^ (2) | 4 S1 upper
	ror r1, r1, 22; v8min t0s, data, data          # 3 S0 ror22 | 4 request
	and r2, r2, state_1; v8min w_10.8a, ra2.8d, ra2.8d # 4 Ch e&f | 2 swap byte 3
	add r0, r0, r3; mul24 r3, ra7, power_13        # 3 T2 | 4 S1 lower*2^13
	add r0, r1, r0; mul24 ra0, ra0, power_13       # 3 a=T1+T2 | 4 S1 upper*2^13
	add rb1, unif, w_6; v8min state_4, r0, r0      # 6 T1 K+w | 3 a
	and r1, state_0, state_2; v8min ra7, r4, r4    # 4 Ch e&g | 5 swap x
	xor ra0, r0, state_5; v8adds r0, r3, ra0.16b   # 4 Maj a^b | 4 S1 ror19
	xor r1, state_0, r0; v8subs r0, state_2, r1    # 4 S1 e^ (2) | 4 Ch g-(e&g)
	and r2, ra0, rb0; v8adds r0, r2, r0            # 4 Maj &(b^c) | 4 Ch
	xor r2, state_5, r2; v8min w_11.8a, ra6.8d, ra6.8d # 4 Maj | 3 swap byte 3
	ror r1, r1, 6; v8min r3, state_4.16b, ones     # 4 S1 ror6 | 4 S0 upper
	add r0, r1, r0; mul24 ra4, r3, power_10        # 4 T1 +h | 4 S0 upper*2^10
	add r0, ra1, r0; mul24 ra1, r3, power_11       # 4 T1 | 4 S0 upper*2^11
	add rb0, r0, r2; mul24 r2, state_4, power_11   # 4 T2 | 4 S0 lower*2^11
	add r0, state_7, r0; v8adds r2, r2, ra1.16b    # 4 e=d+T1 | 4 S0 ror21
	and r3, r0, state_1; v8min w_12.8b, ra5.8c, ra5.8c # 5 Ch e&g | 4 swap byte 2
	and r3, r0, state_0; v8subs ra1, state_1, r3   # 5 Ch e&f | 5 Ch g-(e&g)
	xor r1, state_4, r2; mul24 r2, state_4, power_10 # 4 S0 a^ | 4 S0 lower*2^10
	ror rb3, r1, 13; v8min w_11.8c, ra6.8b, ra6.8b # 4 S0 ror13 | 3 swap byte 1
	ror r1, r0, 18; v8adds r2, r2, ra4.16b         # 5 S1 ror18 | 4 S0 ror22
	xor ra4, r0, r1; v8min state_7, r0, r0         # 5 S1 e^ | 4 e
	xor r2, r2, rb3; v8min w_9.8a, ra3.8d, ra3.8d; ldtmu0 # 4 S0 | 1 swap byte 3 | 6 load
	add r2, r2, rb0; v8min r1, ra4.16b, ones       # 4 a=T1+T2 | 5 S1 upper
	xor rb0, r2, state_4; mul24 ra3, r1, power_13  # 5 Maj a^b | 5 S1 upper*2^13
	add rb3, unif, w_7; v8min ra6, r4, r4          # 7 T1 K+w | 6 swap x
	ror r1, r2, 21; v8adds r3, r3, ra1             # 5 S0 ror21 | 5 Ch
	xor ra4, r2, r1; mul24 r1, ra4, power_13       # 5 S0 a^ | 5 S1 lower*2^13
	add r1, state_2, r3; v8adds r3, r1, ra3.16b    # 5 T1 +Ch | 5 S1 ror19
	xor r0, r0, r3; v8min w_6, w_14, w_14          # 5 S1 e^ (2) | 6 w6=w14
	add ra3, rb3, state_0; v8min state_3, r2, r2   # 7 T1 +h | 4 a
	ror r0, r0, 6; v8min w_13.8a, ra7.8d, ra7.8d   # 5 S1 ror6 | 5 swap byte 3
	and r2, rb0, ra0; v8min w_14.8d, r4, r4        # 5 Maj &(b^c) | 6 swap byte 0
	add r0, rb2, r0; v8min r3, ra4.16b, ones       # 5 T1 +h | 5 S0 upper
	add r0, r1, r0; v8adds t0s, data, 4            # 5 T1 | 5 request
	xor r2, state_4, r2; mul24 ra0, r3, power_9    # 5 Maj | 5 S0 upper*2^9
	add r3, state_6, r0; v8min w_7, w_15, w_15; ldtmu0 # 5 e=d+T1 | 7 w7=w15 | 7 load
	add r2, r0, r2; mul24 r0, ra4, power_9         # 5 T2 | 5 S0 lower*2^9
	ror r1, r3, 18; v8adds r0, r0, ra0.16b         # 6 S1 ror18 | 5 S0 ror23
	xor r0, state_3, r0; v8min w_13.8c, ra7.8b, ra7.8b # 5 S0 a^ (2) | 5 swap byte 1
	xor ra0, r3, r1; v8adds t0s, data, 8           # 6 S1 e^ | 6 request
	ror r0, r0, 22; v8min w_14.8c, ra6.8b, ra6.8b  # 5 S0 ror22 | 6 swap byte 1
	add r0, r0, r2; v8adds t0s, data, 12           # 5 a=T1+T2 | 7 request
	ror r1, r0, 21; v8min r2, ra0.16b, ones        # 6 S0 ror21 | 6 S1 upper
	and r2, r3, state_0; mul24 ra4, r2, power_13   # 6 Ch e&g | 6 S1 upper*2^13
	xor ra0, r0, r1; mul24 r1, ra0, power_13       # 6 S0 a^ | 6 S1 lower*2^13
	xor ra4, r0, state_3; v8adds rb2, r1, ra4.16b  # 6 Maj a^b | 6 S1 ror19
	and ra1, r3, state_7; v8subs r2, state_0, r2   # 6 Ch e&f | 6 Ch g-(e&g)
	xor r1, r3, rb2; v8min w_10.8b, ra2.8c, ra2.8c # 6 S1 e^ (2) | 2 swap byte 2
	ror r2, r1, 6; v8adds r1, ra1, r2              # 6 S1 ror6 | 6 Ch
	add r2, state_1, r2; v8min ra1, ra0.16b, ones  # 6 T1 +Ch | 6 S0 upper
	add r1, rb1, r1; v8min state_6, r3, r3         # 6 T1 +h | 5 e
	and r3, ra4, rb0; v8min ra2, r4, r4            # 6 Maj &(b^c) | 7 swap x
	add r1, r2, r1; mul24 ra1, ra1, power_9        # 6 T1 | 6 S0 upper*2^9
	xor r3, state_3, r3; v8min w_14.8a, ra6.8d, ra6.8d # 6 Maj | 6 swap byte 3
	add ra0, r3, r1; mul24 r3, ra0, power_9        # 6 T2 | 6 S0 lower*2^9
	add r1, state_5, r1; v8adds rb0, r3, ra1.16b   # 6 e=d+T1 | 6 S0 ror23
	ror r3, r1, 18; v8min w_15.8b, ra2.8c, ra2.8c  # 7 S1 ror18 | 7 swap byte 2
	xor ra1, r1, r3; v8min state_2, r0, r0         # 7 S1 e^ | 5 a
	xor r0, r0, rb0; v8min w_15.8a, ra2.8d, ra2.8d # 6 S0 a^ (2) | 7 swap byte 3
	ror r0, r0, 22; v8min r3, ra1.16b, ones        # 6 S0 ror22 | 7 S1 upper
	add r0, r0, ra0; mul24 ra0, r3, power_13       # 6 a=T1+T2 | 7 S1 upper*2^13
	ror r3, r0, 21; v8min w_13.8b, ra7.8c, ra7.8c  # 7 S0 ror21 | 5 swap byte 2
	sub data, data, -16; v8min state_5, r1, r1     # 7 address+16 | 6 e
	xor ra1, r0, r3; mul24 r3, ra1, power_13       # 7 S0 a^ | 7 S1 lower*2^13
	and r3, r1, state_7; v8adds r2, r3, ra0.16b    # 7 Ch e&g | 7 S1 ror19
	xor r2, r1, r2; v8subs ra0, state_7, r3        # 7 S1 e^ (2) | 7 Ch g-(e&g)
	and r1, r1, state_6; v8min w_14.8b, ra6.8c, ra6.8c # 7 Ch e&f | 6 swap byte 2
	ror r2, r2, 6; v8min r3, ra1.16b, ones         # 7 S1 ror6 | 7 S0 upper
	xor b_xor_c, r0, state_2; v8adds r1, r1, ra0   # 7 Maj a^b | 7 Ch
	add r1, r2, r1; mul24 r2, ra1, power_9         # 7 T1 +Ch | 7 S0 lower*2^9
	add rb0, r1, ra3; mul24 ra3, r3, power_9       # 7 T1 | 7 S0 upper*2^9
	and r1, b_xor_c, ra4; v8min w_15.8d, r4, r4    # 7 Maj &(b^c) | 7 swap byte 0
	xor r1, state_2, r1; v8min w_15.8c, ra2.8b, ra2.8b; ldtmu1 # 7 Maj | 7 swap byte 1 | load 2^13
	add r2, rb0, r1; v8adds r1, r2, ra3.16b        # 7 T2 | 7 S0 ror23
	xor r1, r0, r1; v8min w_12.8c, ra5.8b, ra5.8b  # 7 S0 a^ (2) | 4 swap byte 1
	brr.alln -, :light                             # 3 delay slots follow
	ror r1, r1, 22; v8min w_12.8a, ra5.8d, ra5.8d  # 7 S0 ror22 | 4 swap byte 3
	add state_4, state_4, rb0                      # 7 e=d+T1
	add state_0, r1, r2; v8min state_1, r0, r0     # 7 a=T1+T2 | 6 a
# end: 14 instructions, 1 times a block
:end
	add chain_6, chain_6, state_6                  # H+ (7)
	or unif_addr, unif, unif; v8min r0, state_7, state_7 # K again | port (2)
	add r0, chain_7, r0; v8min state_6, chain_6, chain_6 # H+ (8) | state=H (7)
	add chain_3, chain_3, state_3; v8min chain_7, r0, r0 # H+ (4) | H= (4)
	add r0, chain_2, state_2; v8min state_7, r0, r0 # H+ (3) | state=H (8)
	add r1, chain_4, state_4; v8min state_2, r0, r0 # H+ (5) | state=H (3)
	or r2, state_1, state_1; v8min chain_4, r1, r1 # port | H= (3)
	add r2, chain_1, r2; v8min state_3, chain_3, chain_3 # H+ (2) | state=H (4)
	sub.setf left, left, 1; v8min chain_1, r2, r2  # blocks left | H=
	add chain_5, chain_5, state_5; v8min state_1, r2, r2 # H+ (6) | state=H (2)
	brr.anynn -, :heavy                            # 3 delay slots follow
	add chain_0, chain_0, state_0; v8min chain_2, r0, r0 # H+ | H= (2)
	xor b_xor_c, r2, r0; v8min state_4, r1, r1     # b^c | state=H (5)
	or state_5, chain_5, chain_5; v8min state_0, chain_0, chain_0 # state=H (6) | state=H
