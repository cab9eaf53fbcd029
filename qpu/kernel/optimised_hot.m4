dnl SPDX-License-Identifier: MIT
dnl Made by qpusched from the .sol files; do not edit.
dnl 440 instructions, 1849 executed a block
dnl
dnl Behind each instruction: what its add and its mul half compute, with
dnl the round of the pass, 0..7, that it belongs to.  S0, S1, s0, s1: Sigma
dnl and sigma of FIPS 180-4, 4.1.2.  Round t has working variable r of a..h
dnl in state_((r-t) mod 8).
# heavy: 246 instructions, 6 times a block
:heavy
	ror rb0, state_4, 18                           # 0 S1 ror18
	ror r0, state_0, 21                            # 0 S0 ror21
	xor ra0, state_4, rb0                          # 0 S1 e^
	and r1, state_4, state_6                       # 0 Ch e&g
	xor ra1, state_0, state_1                      # 0 Maj a^b
	ror.setf passes, passes, 4                     # pass
	ror rb0, w_6, 7                                # 5 s0 ror7
	and r2, state_4, state_5                       # 0 Ch e&f
	add r3, unif, w_0                              # 0 T1 K+w
	shr rb1, w_4, 3                                # 3 s0 shr3
	xor ra2, state_0, r0; v8subs r0, state_6, r1   # 0 S0 a^ | 0 Ch g-(e&g)
	and r2, ra1, b_xor_c; v8adds r0, r2, r0        # 0 Maj &(b^c) | 0 Ch
	add r3, state_7, r3; v8min r1, ra2.16b, ones   # 0 T1 +h | 0 S0 upper
	and r1, w_1.16b, ones; mul24 ra3, r1, power_9  # 0 s0 upper | 0 S0 upper*2^9
	add rb2, r3, r0; mul24 r0, ra2, power_9        # 0 T1 +Ch | 0 S0 lower*2^9
	xor r2, state_1, r2; v8adds r0, r0, ra3.16b    # 0 Maj | 0 S0 ror23
	ror r3, w_1, 7                                 # 0 s0 ror7
	xor r0, state_0, r0; mul24 ra3, r1, power_14   # 0 S0 a^ | 0 s0 upper*2^14
	ror r1, r0, 22; v8min r0, ra0.16b, ones        # 0 S0 ror22 | 0 S1 upper
	add r1, r1, r2; mul24 r2, w_1, power_14        # 0 T2 | 0 s0 lower*2^14
	or r0, r2, ra3.16b; mul24 ra3, r0, power_13    # 0 s0 ror18 | 0 S1 upper*2^13
	shr r2, w_1, 3                                 # 0 s0 shr3
	xor r0, r0, r3; mul24 ra2, w_14.8b, power_6    # 0 s0 ^ | 0 s1 x.8b*2^6
	xor r2, r0, r2; mul24 r0, ra0, power_13        # 0 s0 | 0 S1 lower*2^13
	add r3, w_0, r2; v8min r2, w_14.16b, ones      # 0 W w0+s0 | 0 s1 upper
	shr rb3, w_5, 3                                # 4 s0 shr3
	or r0, r0, ra3.16b; mul24 ra3, r2, power_13    # 0 S1 ror19 | 0 s1 upper*2^13
	add rb4, r3, w_9; mul24 ra0, r2, power_15      # 0 W +w9 | 0 s1 upper*2^15
	xor r0, state_4, r0; mul24 rb5, r2, power_6    # 0 S1 e^ | 0 s1 upper*2^6
	ror r0, r0, 6; v8min r2, w_2.16b, ones         # 0 S1 ror6 | 1 s0 upper
	add r0, rb2, r0; v8min r3, w_3.16b, ones       # 0 T1 | 2 s0 upper
	add r1, r0, r1; mul24 ra4, w_15.8b, power_6    # 0 a=T1+T2 | 1 s1 x.8b*2^6
	and r2, w_8.16b, ones; mul24 ra5, r2, power_14 # 7 s0 upper | 1 s0 upper*2^14
	xor rb2, r1, state_0; mul24 ra6, r2, power_14  # 1 Maj a^b | 7 s0 upper*2^14
	or state_7, r1, r1; mul24 r2, w_2, power_14    # 0 a | 1 s0 lower*2^14
	ror r2, r1, 21; v8adds rb6, r2, ra5.16b        # 1 S0 ror21 | 1 s0 ror18
	add r0, state_3, r0; mul24 ra5, r3, power_14   # 0 e=d+T1 | 2 s0 upper*2^14
	xor ra7, r1, r2; mul24 r1, w_8, power_14       # 1 S0 a^ | 7 s0 lower*2^14
	ror r1, r0, 18; v8adds r2, r1, ra6.16b         # 1 S1 ror18 | 7 s0 ror18
	ror r3, w_8, 7; v8min state_3, r0, r0          # 7 s0 ror7 | 0 e
	xor r3, r2, r3; mul24 r2, w_14, power_13       # 7 s0 ^ | 0 s1 lower*2^13
	xor ra6, r0, r1; mul24 rb7, ra7, power_9       # 1 S1 e^ | 1 S0 lower*2^9
	and r2, r0, state_5; v8adds ra3, r2, ra3.16b   # 1 Ch e&g | 0 s1 ror19
	shr r1, w_8, 3; v8min w_0, w_8, w_8            # 7 s0 shr3 | 0 w0=w8
	xor rb8, r3, r1; mul24 r1, w_14, power_15      # 7 s0 | 0 s1 lower*2^15
	add r3, unif, w_1                              # 1 T1 K+w
	add r3, state_6, r3; v8adds r1, r1, ra0.16b    # 1 T1 +h | 0 s1 ror17
	and r0, r0, state_4; v8subs r2, state_5, r2    # 1 Ch e&f | 1 Ch g-(e&g)
	ror r2, w_2, 7; v8adds r0, r0, r2              # 1 s0 ror7 | 1 Ch
	xor rb6, rb6, r2; v8min r2, ra6.16b, ones      # 1 s0 ^ | 1 S1 upper
	xor r1, r1, ra3; mul24 ra3, r2, power_13       # 0 s1 ^ | 1 S1 upper*2^13
	shr r2, w_2, 3                                 # 1 s0 shr3
	add r3, r3, r0; v8adds r0, rb5, ra2.8b         # 1 T1 +Ch | 0 s1 shr10
	xor r0, r1, r0; mul24 r1, ra6, power_13        # 0 s1 | 1 S1 lower*2^13
	add w_8, rb4, r0; v8adds r0, r1, ra3.16b       # 0 W +s1 | 1 S1 ror19
	xor r1, rb6, r2; v8min r2, ra7.16b, ones       # 1 s0 | 1 S0 upper
	xor r0, state_3, r0; mul24 ra7, r2, power_9    # 1 S1 e^ | 1 S0 upper*2^9
	ror r0, r0, 6; v8min r2, w_15.16b, ones        # 1 S1 ror6 | 1 s1 upper
	add r0, r3, r0; mul24 rb6, w_3, power_14       # 1 T1 | 2 s0 lower*2^14
	add r3, state_2, r0; mul24 ra3, r2, power_15   # 1 e=d+T1 | 1 s1 upper*2^15
	and rb4, r3, state_3; mul24 ra6, r2, power_13  # 2 Ch e&f | 1 s1 upper*2^13
	add rb5, w_1, r1; mul24 r1, r2, power_6        # 1 W w0+s0 | 1 s1 upper*2^6
	ror r1, r3, 18; v8adds ra4, r1, ra4.8b         # 2 S1 ror18 | 1 s1 shr10
	xor ra7, r3, r1; v8adds r1, rb7, ra7.16b       # 2 S1 e^ | 1 S0 ror23
	and r3, r3, state_4; v8min state_2, r3, r3     # 2 Ch e&g | 1 e
	nop; mul24 ra2, w_8.8b, power_6                # - | 2 s1 x.8b*2^6
	xor r1, state_7, r1; v8min ra0, w_4.16b, ones  # 1 S0 a^ | 3 s0 upper
	and r2, rb2, ra1                               # 1 Maj &(b^c)
	ror r1, r1, 22; v8subs r3, state_4, r3         # 1 S0 ror22 | 2 Ch g-(e&g)
	xor r2, state_0, r2; v8adds rb4, rb4, r3       # 1 Maj | 2 Ch
	ror r3, w_3, 7                                 # 2 s0 ror7
	add r1, r1, r2; mul24 r2, w_15, power_15       # 1 T2 | 1 s1 lower*2^15
	add r0, r0, r1; mul24 ra0, ra0, power_14       # 1 a=T1+T2 | 3 s0 upper*2^14
	xor ra1, r0, state_7; v8min r1, w_8.16b, ones  # 2 Maj a^b | 2 s1 upper
	ror r2, r0, 21; v8adds rb7, r2, ra3.16b        # 2 S0 ror21 | 1 s1 ror17
	xor ra5, r0, r2; v8adds r2, rb6, ra5.16b       # 2 S0 a^ | 2 s0 ror18
	xor r3, r2, r3; mul24 r2, w_15, power_13       # 2 s0 ^ | 1 s1 lower*2^13
	shr r0, w_3, 3; v8min state_6, r0, r0          # 2 s0 shr3 | 1 a
	xor r0, r3, r0; mul24 rb6, w_8, power_13       # 2 s0 | 2 s1 lower*2^13
	or r2, r2, ra6.16b; mul24 ra6, r1, power_13    # 1 s1 ror19 | 2 s1 upper*2^13
	xor r2, rb7, r2; v8min r3, ra5.16b, ones       # 1 s1 ^ | 2 S0 upper
	xor r2, r2, ra4; mul24 ra4, r1, power_15       # 1 s1 | 2 s1 upper*2^15
	add r0, w_2, r0; mul24 ra3, r3, power_9        # 2 W w0+s0 | 2 S0 upper*2^9
	add r3, unif, w_2                              # 2 T1 K+w
	or w_1, w_9, w_9; mul24 rb7, r1, power_6       # 1 w1=w9 | 2 s1 upper*2^6
	ror rb9, w_7, 7                                # 6 s0 ror7
	add r1, rb5, w_10; v8min w_2, w_10, w_10       # 1 W +w9 | 2 w2=w10
	add w_9, r1, r2; mul24 r1, w_8, power_15       # 1 W +s1 | 2 s1 lower*2^15
	or r2, rb6, ra6.16b                            # 2 s1 ror19
	add r1, state_5, r3; v8adds r3, r1, ra4.16b    # 2 T1 +h | 2 s1 ror17
	add ra4, r1, rb4; v8min r1, ra7.16b, ones      # 2 T1 +Ch | 2 S1 upper
	add r0, r0, w_11; mul24 ra6, r1, power_13      # 2 W +w9 | 2 S1 upper*2^13
	and r1, ra1, rb2                               # 2 Maj &(b^c)
	xor r2, r3, r2; v8adds r3, rb7, ra2.8b         # 2 s1 ^ | 2 s1 shr10
	xor r3, r2, r3; mul24 r2, ra5, power_9         # 2 s1 | 2 S0 lower*2^9
	xor r2, state_7, r1; v8adds r1, r2, ra3.16b    # 2 Maj | 2 S0 ror23
	add w_10, r0, r3; mul24 r0, ra7, power_13      # 2 W +s1 | 2 S1 lower*2^13
	xor r1, state_6, r1; v8adds r0, r0, ra6.16b    # 2 S0 a^ | 2 S1 ror19
	ror r1, r1, 22; v8min r3, w_9.16b, ones        # 2 S0 ror22 | 3 s1 upper
	add r1, r1, r2; mul24 ra6, w_9.8b, power_6     # 2 T2 | 3 s1 x.8b*2^6
	add r2, unif, w_3                              # 3 T1 K+w
	xor r0, state_2, r0; mul24 ra7, r3, power_13   # 2 S1 e^ | 3 s1 upper*2^13
	add rb7, state_4, r2; mul24 ra3, r3, power_15  # 3 T1 +h | 3 s1 upper*2^15
	ror r0, r0, 6; v8min r2, w_6.16b, ones         # 2 S1 ror6 | 5 s0 upper
	add r0, ra4, r0; mul24 r3, r3, power_6         # 2 T1 | 3 s1 upper*2^6
	add r3, state_1, r0; v8adds rb2, r3, ra6.8b    # 2 e=d+T1 | 3 s1 shr10
	and r2, r3, state_3; mul24 ra6, r2, power_14   # 3 Ch e&g | 5 s0 upper*2^14
	ror r2, r3, 18; v8subs ra4, state_3, r2        # 3 S1 ror18 | 3 Ch g-(e&g)
	add r0, r0, r1; mul24 ra5, w_10.8b, power_6    # 2 a=T1+T2 | 4 s1 x.8b*2^6
	xor ra2, r3, r2; mul24 r2, w_9, power_13       # 3 S1 e^ | 3 s1 lower*2^13
	ror r2, r0, 21; v8adds r1, r2, ra7.16b         # 3 S0 ror21 | 3 s1 ror19
	xor ra7, r0, r2; mul24 r2, w_9, power_15       # 3 S0 a^ | 3 s1 lower*2^15
	xor rb4, r0, state_6; v8adds r2, r2, ra3.16b   # 3 Maj a^b | 3 s1 ror17
	xor r1, r2, r1; mul24 r2, w_4, power_14        # 3 s1 ^ | 3 s0 lower*2^14
	and r0, rb4, ra1; v8min state_5, r0, r0        # 3 Maj &(b^c) | 2 a
	xor rb2, r1, rb2; v8min r1, ra2.16b, ones      # 3 s1 | 3 S1 upper
	and r1, r3, state_2; mul24 ra1, r1, power_13   # 3 Ch e&f | 3 S1 upper*2^13
	ror r3, w_4, 7; v8min state_1, r3, r3          # 3 s0 ror7 | 2 e
	xor ra0, state_6, r0; v8adds r0, r2, ra0.16b   # 3 Maj | 3 s0 ror18
	xor r3, r0, r3; mul24 r0, ra2, power_13        # 3 s0 ^ | 3 S1 lower*2^13
	add r2, unif, w_4                              # 4 T1 K+w
	xor r3, r3, rb1; v8adds r1, r1, ra4            # 3 s0 | 3 Ch
	add ra1, rb7, r1; v8adds r0, r0, ra1.16b       # 3 T1 +Ch | 3 S1 ror19
	xor r0, state_1, r0; v8min r1, ra7.16b, ones   # 3 S1 e^ | 3 S0 upper
	shr rb7, w_6, 3                                # 5 s0 shr3
	add rb1, w_3, r3; mul24 ra4, r1, power_9       # 3 W w0+s0 | 3 S0 upper*2^9
	nop; mul24 r1, ra7, power_9                    # - | 3 S0 lower*2^9
	ror r0, r0, 6; v8adds r1, r1, ra4.16b          # 3 S1 ror6 | 3 S0 ror23
	xor r1, state_5, r1; v8min r3, w_5.16b, ones   # 3 S0 a^ | 4 s0 upper
	add rb6, state_3, r2; mul24 ra4, r3, power_14  # 4 T1 +h | 4 s0 upper*2^14
	ror r1, r1, 22; v8min r2, w_10.16b, ones       # 3 S0 ror22 | 4 s1 upper
	add r1, r1, ra0; mul24 ra0, r2, power_13       # 3 T2 | 4 s1 upper*2^13
	add r0, ra1, r0; mul24 ra1, r2, power_15       # 3 T1 | 4 s1 upper*2^15
	add r1, r0, r1; mul24 r3, w_10, power_13       # 3 a=T1+T2 | 4 s1 lower*2^13
	add r0, state_0, r0; mul24 r2, r2, power_6     # 3 e=d+T1 | 4 s1 upper*2^6
	xor ra5, r1, state_5; v8adds rb5, r2, ra5.8b   # 4 Maj a^b | 4 s1 shr10
	add rb10, unif, w_5; v8min state_4, r1, r1     # 5 T1 K+w | 3 a
	ror r2, r1, 21; v8min state_0, r0, r0          # 4 S0 ror21 | 3 e
	xor ra7, r1, r2; mul24 r1, w_6, power_14       # 4 S0 a^ | 5 s0 lower*2^14
	ror r1, r0, 18; v8adds r2, r1, ra6.16b         # 4 S1 ror18 | 5 s0 ror18
	xor ra6, r0, r1; mul24 rb11, w_10, power_15    # 4 S1 e^ | 4 s1 lower*2^15
	xor r2, r2, rb0; v8min w_3, w_11, w_11         # 5 s0 ^ | 3 w3=w11
	xor r1, r2, rb7; v8min r2, ra7.16b, ones       # 5 s0 | 4 S0 upper
	and r2, r0, state_2; mul24 ra2, r2, power_9    # 4 Ch e&g | 4 S0 upper*2^9
	and r0, r0, state_1; v8subs r2, state_2, r2    # 4 Ch e&f | 4 Ch g-(e&g)
	add rb7, w_5, r1; mul24 r1, w_5, power_14      # 5 W w0+s0 | 4 s0 lower*2^14
	add r0, rb1, w_12; v8adds r2, r0, r2           # 3 W +w9 | 4 Ch
	add ra0, rb6, r2; v8adds r2, r3, ra0.16b       # 4 T1 +Ch | 4 s1 ror19
	ror r3, w_5, 7                                 # 4 s0 ror7
	add w_11, r0, rb2; v8adds r0, r1, ra4.16b      # 3 W +s1 | 4 s0 ror18
	xor r3, r0, r3; v8adds r0, rb11, ra1.16b       # 4 s0 ^ | 4 s1 ror17
	xor r2, r0, r2; mul24 r0, ra7, power_9         # 4 s1 ^ | 4 S0 lower*2^9
	and r1, ra5, rb4                               # 4 Maj &(b^c)
	xor ra7, r2, rb5; v8min r2, ra6.16b, ones      # 4 s1 | 4 S1 upper
	xor r1, state_5, r1; v8adds r0, r0, ra2.16b    # 4 Maj | 4 S0 ror23
	xor r0, state_4, r0; mul24 ra2, r2, power_13   # 4 S0 a^ | 4 S1 upper*2^13
	ror r0, r0, 22; v8min r2, w_7.16b, ones        # 4 S0 ror22 | 6 s0 upper
	add r1, r0, r1; mul24 r0, ra6, power_13        # 4 T2 | 4 S1 lower*2^13
	xor r3, r3, rb3; v8adds r0, r0, ra2.16b        # 4 s0 | 4 S1 ror19
	xor r0, state_0, r0; mul24 ra2, r2, power_14   # 4 S1 e^ | 6 s0 upper*2^14
	ror r0, r0, 6; v8min r2, w_11.16b, ones        # 4 S1 ror6 | 5 s1 upper
	add r3, w_4, r3; mul24 rb3, r2, power_6        # 4 W w0+s0 | 5 s1 upper*2^6
	add rb5, r3, w_13; mul24 ra6, r2, power_15     # 4 W +w9 | 5 s1 upper*2^15
	nop; mul24 r3, w_11, power_15                  # - | 5 s1 lower*2^15
	add r0, ra0, r0; mul24 ra0, r2, power_13       # 4 T1 | 5 s1 upper*2^13
	add r3, state_7, r0; v8adds rb4, r3, ra6.16b   # 4 e=d+T1 | 5 s1 ror17
	ror r2, r3, 18; v8min w_4, w_12, w_12          # 5 S1 ror18 | 4 w4=w12
	add w_12, rb5, ra7                             # 4 W +s1
	add r0, r0, r1; mul24 ra7, w_11.8b, power_6    # 4 a=T1+T2 | 5 s1 x.8b*2^6
	shr rb5, w_7, 3                                # 6 s0 shr3
	xor ra6, r3, r2; mul24 r2, w_11, power_13      # 5 S1 e^ | 5 s1 lower*2^13
	ror r2, r0, 21; v8adds r1, r2, ra0.16b         # 5 S0 ror21 | 5 s1 ror19
	xor rb4, rb4, r1; v8min r1, ra6.16b, ones      # 5 s1 ^ | 5 S1 upper
	add ra0, unif, w_6; v8min state_7, r3, r3      # 6 T1 K+w | 4 e
	xor rb11, r0, state_4; mul24 ra1, r1, power_13 # 5 Maj a^b | 5 S1 upper*2^13
	add rb8, w_7, rb8                              # 7 W w0+s0
	and rb2, rb11, ra5; v8min state_3, r0, r0      # 5 Maj &(b^c) | 4 a
	xor ra6, r0, r2; mul24 r0, ra6, power_13       # 5 S0 a^ | 5 S1 lower*2^13
	and r0, r3, state_1; v8adds r2, r0, ra1.16b    # 5 Ch e&g | 5 S1 ror19
	xor r2, state_7, r2; v8min r1, ra6.16b, ones   # 5 S1 e^ | 5 S0 upper
	add rb6, state_1, ra0; v8subs r0, state_1, r0  # 6 T1 +h | 5 Ch g-(e&g)
	and r1, r3, state_0; mul24 ra0, r1, power_9    # 5 Ch e&f | 5 S0 upper*2^9
	add r0, state_2, rb10; v8adds r1, r1, r0       # 5 T1 +h | 5 Ch
	add rb8, rb8, w_8                              # 7 W +w9
	xor ra1, state_4, rb2                          # 5 Maj
	add r0, r0, r1; v8adds r1, rb3, ra7.8b         # 5 T1 +Ch | 5 s1 shr10
	ror r2, r2, 6                                  # 5 S1 ror6
	xor rb4, rb4, r1; v8min r1, w_12.16b, ones     # 5 s1 | 6 s1 upper
	add r0, r0, r2; mul24 r2, ra6, power_9         # 5 T1 | 5 S0 lower*2^9
	add r2, state_6, r0; v8adds r3, r2, ra0.16b    # 5 e=d+T1 | 5 S0 ror23
	xor r3, state_3, r3; mul24 ra0, r1, power_13   # 5 S0 a^ | 6 s1 upper*2^13
	ror r3, r3, 22; v8min w_5, w_13, w_13          # 5 S0 ror22 | 5 w5=w13
	add r3, r3, ra1; mul24 ra1, r1, power_15       # 5 T2 | 6 s1 upper*2^15
	add r0, r0, r3; mul24 ra6, w_12.8b, power_6    # 5 a=T1+T2 | 6 s1 x.8b*2^6
	xor ra7, r0, state_3; mul24 r1, r1, power_6    # 6 Maj a^b | 6 s1 upper*2^6
	ror r1, r2, 18; v8adds rb3, r1, ra6.8b         # 6 S1 ror18 | 6 s1 shr10
	xor ra6, r2, r1; mul24 r1, w_7, power_14       # 6 S1 e^ | 6 s0 lower*2^14
	ror r1, r0, 21; v8adds r3, r1, ra2.16b         # 6 S0 ror21 | 6 s0 ror18
	xor ra2, r0, r1; mul24 r1, ra6, power_13       # 6 S0 a^ | 6 S1 lower*2^13
	xor ra6, r3, rb9; v8min r3, ra6.16b, ones      # 6 s0 ^ | 6 S1 upper
	and r3, r2, state_0; mul24 ra5, r3, power_13   # 6 Ch e&g | 6 S1 upper*2^13
	and rb11, ra7, rb11; v8min state_2, r0, r0     # 6 Maj &(b^c) | 5 a
	add rb9, unif, w_7                             # 7 T1 K+w
	and r3, r2, state_7; v8subs r0, state_0, r3    # 6 Ch e&f | 6 Ch g-(e&g)
	add r2, rb7, w_14; v8min state_6, r2, r2       # 5 W +w9 | 5 e
	add w_13, r2, rb4; v8adds r1, r1, ra5.16b      # 5 W +s1 | 6 S1 ror19
	xor r3, ra6, rb5; v8adds r0, r3, r0            # 6 s0 | 6 Ch
	add r0, rb6, r0; v8min r2, ra2.16b, ones       # 6 T1 +Ch | 6 S0 upper
	add rb6, w_6, r3; mul24 ra6, r2, power_9       # 6 W w0+s0 | 6 S0 upper*2^9
	xor r1, state_6, r1                            # 6 S1 e^
	ror r1, r1, 6; v8min w_6, w_14, w_14           # 6 S1 ror6 | 6 w6=w14
	add r0, r0, r1; mul24 r1, ra2, power_9         # 6 T1 | 6 S0 lower*2^9
	add r1, state_5, r0; v8adds r2, r1, ra6.16b    # 6 e=d+T1 | 6 S0 ror23
	xor r2, state_2, r2                            # 6 S0 a^
	xor r3, state_3, rb11                          # 6 Maj
	ror r2, r2, 22; v8min state_5, r1, r1          # 6 S0 ror22 | 6 e
	add r2, r2, r3; mul24 r3, w_12, power_13       # 6 T2 | 6 s1 lower*2^13
	add r0, r0, r2; mul24 ra6, w_13.8b, power_6    # 6 a=T1+T2 | 7 s1 x.8b*2^6
	ror r3, r0, 21; v8adds ra0, r3, ra0.16b        # 7 S0 ror21 | 6 s1 ror19
	and r2, r1, state_7; v8min state_1, r0, r0     # 7 Ch e&g | 6 a
	xor ra2, r0, r3; mul24 rb11, w_13, power_13    # 7 S0 a^ | 7 s1 lower*2^13
	xor b_xor_c, r0, state_2; v8subs r0, state_7, r2 # 7 Maj a^b | 7 Ch g-(e&g)
	ror r2, r1, 18; v8min r3, ra2.16b, ones        # 7 S1 ror18 | 7 S0 upper
	xor ra5, r1, r2; mul24 r2, w_12, power_15      # 7 S1 e^ | 6 s1 lower*2^15
	and r2, r1, state_6; v8adds r1, r2, ra1.16b    # 7 Ch e&f | 6 s1 ror17
	add r0, state_0, rb9; v8adds r2, r2, r0        # 7 T1 +h | 7 Ch
	xor r1, r1, ra0; mul24 ra0, r3, power_9        # 6 s1 ^ | 7 S0 upper*2^9
	xor r1, r1, rb3; v8min r3, ra5.16b, ones       # 6 s1 | 7 S1 upper
	add ra2, r0, r2; mul24 r0, ra2, power_9        # 7 T1 +Ch | 7 S0 lower*2^9
	add r2, rb6, w_15; v8min w_7, w_15, w_15       # 6 W +w9 | 7 w7=w15
	or r0, r0, ra0.16b; mul24 ra0, r3, power_13    # 7 S0 ror23 | 7 S1 upper*2^13
	add w_14, r2, r1; mul24 r1, ra5, power_13      # 6 W +s1 | 7 S1 lower*2^13
	xor r0, state_1, r0; v8adds ra0, r1, ra0.16b   # 7 S0 a^ | 7 S1 ror19
	ror r0, r0, 22; v8min r1, w_13.16b, ones       # 7 S0 ror22 | 7 s1 upper
	and r2, b_xor_c, ra7                           # 7 Maj &(b^c)
	xor r3, state_5, ra0                           # 7 S1 e^
	xor r2, state_2, r2; mul24 ra0, r1, power_15   # 7 Maj | 7 s1 upper*2^15
	add r0, r0, r2; mul24 r2, w_13, power_15       # 7 T2 | 7 s1 lower*2^15
	ror r2, r3, 6; v8adds r3, r2, ra0.16b          # 7 S1 ror6 | 7 s1 ror17
	add r2, ra2, r2; mul24 ra2, r1, power_13       # 7 T1 | 7 s1 upper*2^13
	add state_4, state_4, r2; mul24 r1, r1, power_6 # 7 e=d+T1 | 7 s1 upper*2^6
	add state_0, r2, r0; v8adds r0, rb11, ra2.16b  # 7 a=T1+T2 | 7 s1 ror19
	brr.alln -, :heavy                             # 3 delay slots follow
	xor r0, r3, r0; v8adds r1, r1, ra6.8b          # 7 s1 ^ | 7 s1 shr10
	xor r0, r0, r1                                 # 7 s1
	add w_15, rb8, r0                              # 7 W +s1
# light: 179 instructions, 2 times a block
:light
	add r0, unif, w_0                              # 0 T1 K+w
	ror r1, state_0, 21                            # 0 S0 ror21
	and r2, state_4, state_6                       # 0 Ch e&g
	xor ra0, state_0, r1; v8subs r1, state_6, r2   # 0 S0 a^ | 0 Ch g-(e&g)
	ror r2, state_4, 18                            # 0 S1 ror18
	and r3, state_4, state_5; ldtmu0               # 0 Ch e&f | 0 load
	xor ra1, state_0, state_1; v8adds r1, r3, r1   # 0 Maj a^b | 0 Ch
	add r0, state_7, r0; v8min t0s, data, data     # 0 T1 +h | 0 request
	xor ra2, state_4, r2                           # 0 S1 e^
	ror ra3, r4, 8; v8min w_0, w_8, w_8            # 0 swap ror8 | 0 w0=w8
	add r2, unif, w_1                              # 1 T1 K+w
	add ra4, state_6, r2; v8min r2, ra2.16b, ones  # 1 T1 +h | 0 S1 upper
	and r2, ra0.16b, ones; mul24 ra5, r2, power_13 # 0 S0 upper | 0 S1 upper*2^13
	add r0, r0, r1; mul24 r1, ra2, power_13        # 0 T1 +Ch | 0 S1 lower*2^13
	ror r3, r4, 24; v8adds r1, r1, ra5.16b         # 0 swap ror24 | 0 S1 ror19
	xor r1, state_4, r1; v8min rb0, r3, even       # 0 S1 e^ | 0 swap bytes 0,2
	ror r1, r1, 6; v8min w_1, w_9, w_9             # 0 S1 ror6 | 1 w1=w9
	add r0, r0, r1; mul24 r1, ra0, power_9         # 0 T1 | 0 S0 lower*2^9
	add r2, state_3, r0; mul24 ra0, r2, power_9    # 0 e=d+T1 | 0 S0 upper*2^9
	and ra5, ra1, b_xor_c                          # 0 Maj &(b^c)
	ror r3, r2, 18; v8adds r1, r1, ra0.16b         # 1 S1 ror18 | 0 S0 ror23
	xor ra0, state_0, r1                           # 0 S0 a^
	add ra2, unif, w_2                             # 2 T1 K+w
	and ra6, r2, state_5; v8min r1, ra0.16b, ones  # 1 Ch e&g | 0 S0 upper
	xor ra0, r2, r3; mul24 r3, ra0, power_10       # 1 S1 e^ | 0 S0 lower*2^10
	and rb1, r2, state_4; mul24 ra7, r1, power_10; ldtmu0 # 1 Ch e&f | 0 S0 upper*2^10 | 1 load
	xor r2, state_1, ra5; v8min state_3, r2, r2    # 0 Maj | 0 e
	ror ra7, r4, 8; v8adds r3, r3, ra7.16b         # 1 swap ror8 | 0 S0 ror22
	add r2, r3, r2; v8adds t0s, data, 4            # 0 T2 | 1 request
	add r0, r0, r2; mul24 r2, ra0, power_13        # 0 a=T1+T2 | 1 S1 lower*2^13
	ror r1, r0, 21; v8min r3, ra0.16b, ones        # 1 S0 ror21 | 1 S1 upper
	xor rb2, r0, state_0; mul24 ra0, r3, power_13  # 1 Maj a^b | 1 S1 upper*2^13
	add rb3, unif, w_3                             # 3 T1 K+w
	ror r3, r4, 24; v8adds r2, r2, ra0.16b         # 1 swap ror24 | 1 S1 ror19
	xor ra6, r0, r1; v8subs r1, state_5, ra6; ldtmu0 # 1 S0 a^ | 1 Ch g-(e&g) | 2 load
	xor r2, state_3, r2; v8adds r1, rb1, r1        # 1 S1 e^ | 1 Ch
	add r1, ra4, r1; v8min ra4, r3, even           # 1 T1 +Ch | 1 swap bytes 0,2
	ror r2, r2, 6; v8min r3, ra6.16b, ones         # 1 S1 ror6 | 1 S0 upper
	add r1, r1, r2; v8subs r2, ra7, even           # 1 T1 | 1 swap bytes 1,3
	add r3, state_2, r1; mul24 ra7, r3, power_9    # 1 e=d+T1 | 1 S0 upper*2^9
	ror r2, r4, 24; v8adds w_9, r2, ra4            # 2 swap ror24 | 1 word
	ror r0, r3, 18; v8min state_7, r0, r0          # 2 S1 ror18 | 0 a
	add rb1, unif, w_4                             # 4 T1 K+w
	xor ra6, r3, r0; mul24 r0, ra6, power_9        # 2 S1 e^ | 1 S0 lower*2^9
	and rb4, r3, state_3; v8min ra4, r2, even      # 2 Ch e&f | 2 swap bytes 0,2
	and r2, rb2, ra1; v8min state_2, r3, r3        # 1 Maj &(b^c) | 1 e
	ror ra7, r4, 8; v8adds r0, r0, ra7.16b         # 2 swap ror8 | 1 S0 ror23
	xor rb5, state_0, r2; ldtmu0                   # 1 Maj | 3 load
	xor r0, state_7, r0; v8min w_4, w_12, w_12     # 1 S0 a^ | 4 w4=w12
	ror r0, r0, 22; v8min r2, ra6.16b, ones        # 1 S0 ror22 | 2 S1 upper
	add r0, r0, rb5; v8min w_2, w_10, w_10         # 1 T2 | 2 w2=w10
	add r0, r1, r0; mul24 r1, ra6, power_13        # 1 a=T1+T2 | 2 S1 lower*2^13
	and r2, r3, state_4; mul24 ra6, r2, power_13   # 2 Ch e&g | 2 S1 upper*2^13
	ror ra1, r4, 8; v8adds t0s, data, 8            # 3 swap ror8 | 2 request
	ror r3, r0, 21; v8subs r2, state_4, r2         # 2 S0 ror21 | 2 Ch g-(e&g)
	xor ra7, r0, r3; v8subs r3, ra7, even          # 2 S0 a^ | 2 swap bytes 1,3
	xor ra6, r0, state_7; v8adds r1, r1, ra6.16b   # 2 Maj a^b | 2 S1 ror19
	add r0, state_5, ra2; v8min state_6, r0, r0    # 2 T1 +h | 1 a
	xor r2, state_2, r1; v8adds r1, rb4, r2        # 2 S1 e^ | 2 Ch
	add ra2, r0, r1; mul24 r0, ra7, power_9        # 2 T1 +Ch | 2 S0 lower*2^9
	ror r2, r2, 6; v8min r1, ra7.16b, ones         # 2 S1 ror6 | 2 S0 upper
	add r1, ra2, r2; mul24 ra2, r1, power_9        # 2 T1 | 2 S0 upper*2^9
	add rb4, unif, w_5                             # 5 T1 K+w
	add r0, state_1, r1; v8adds r2, r0, ra2.16b    # 2 e=d+T1 | 2 S0 ror23
	ror r3, r0, 18; v8adds w_10, r3, ra4           # 3 S1 ror18 | 2 word
	xor ra4, r0, r3; v8adds t0s, data, 12          # 3 S1 e^ | 3 request
	and r3, ra6, rb2; v8min state_1, r0, r0        # 2 Maj &(b^c) | 2 e
	xor ra2, state_6, r2                           # 2 S0 a^
	xor ra7, state_7, r3; v8min r3, ra4.16b, ones  # 2 Maj | 3 S1 upper
	ror r2, ra2, 22                                # 2 S0 ror22
	add r2, r2, ra7; mul24 ra7, r3, power_13       # 2 T2 | 3 S1 upper*2^13
	ror r3, r4, 24; v8min w_3, w_11, w_11          # 3 swap ror24 | 3 w3=w11
	add r2, r1, r2; v8subs r1, ra3, even           # 2 a=T1+T2 | 0 swap bytes 1,3
	and r3, r0, state_3; v8min ra3, r3, even       # 3 Ch e&g | 3 swap bytes 0,2
	ror r3, r2, 21; v8subs ra2, state_3, r3        # 3 S0 ror21 | 3 Ch g-(e&g)
	xor ra4, r2, r3; mul24 r3, ra4, power_13       # 3 S0 a^ | 3 S1 lower*2^13
	and r0, r0, state_2; v8adds w_8, r1, rb0       # 3 Ch e&f | 0 word
	xor rb0, r2, state_6; v8adds r3, r3, ra7.16b   # 3 Maj a^b | 3 S1 ror19
	xor r3, state_1, r3; v8adds r0, r0, ra2        # 3 S1 e^ | 3 Ch
	add ra2, state_4, rb3                          # 3 T1 +h
	ror r3, r3, 6; v8min r1, ra4.16b, ones         # 3 S1 ror6 | 3 S0 upper
	ror.setf passes, passes, 4; v8min state_5, r2, r2 # pass | 2 a
	add r0, ra2, r0; mul24 ra2, r1, power_9; ldtmu0 # 3 T1 +Ch | 3 S0 upper*2^9 | 4 load
	add r0, r0, r3; mul24 r3, ra4, power_9         # 3 T1 | 3 S0 lower*2^9
	ror r1, r4, 8; v8adds r3, r3, ra2.16b          # 4 swap ror8 | 3 S0 ror23
	add rb4, state_2, rb4                          # 5 T1 +h
	xor ra2, state_5, r3                           # 3 S0 a^
	add r1, state_0, r0; v8subs ra4, r1, even      # 3 e=d+T1 | 4 swap bytes 1,3
	ror ra7, r4, 24; v8min r3, ra2.16b, ones       # 4 swap ror24 | 3 S0 upper
	and r3, r1, state_2; mul24 ra0, r3, power_10   # 4 Ch e&g | 3 S0 upper*2^10
	ror r3, r1, 18; v8subs ra5, state_2, r3        # 4 S1 ror18 | 4 Ch g-(e&g)
	and r2, rb0, ra6; v8min state_0, r1, r1        # 3 Maj &(b^c) | 3 e
	xor ra2, r1, r3; mul24 r3, ra2, power_10       # 4 S1 e^ | 3 S0 lower*2^10
	and r3, r1, state_1; v8adds r1, r3, ra0.16b    # 4 Ch e&f | 3 S0 ror22
	xor r2, state_6, r2; v8min ra0, ra2.16b, ones  # 3 Maj | 4 S1 upper
	add r1, r1, r2; mul24 r2, ra2, power_13        # 3 T2 | 4 S1 lower*2^13
	add r0, r0, r1; mul24 ra0, ra0, power_13       # 3 a=T1+T2 | 4 S1 upper*2^13
	xor ra5, r0, state_5; v8adds r3, r3, ra5; ldtmu0 # 4 Maj a^b | 4 Ch | 5 load
	ror ra0, r4, 24; v8adds rb3, r2, ra0.16b       # 5 swap ror24 | 4 S1 ror19
	ror r2, r0, 21; v8min w_5, w_13, w_13          # 4 S0 ror21 | 5 w5=w13
	xor ra1, r0, r2; v8subs r2, ra1, even          # 4 S0 a^ | 3 swap bytes 1,3
	add ra2, state_3, rb1                          # 4 T1 +h
	xor r0, state_0, rb3; v8min state_4, r0, r0    # 4 S1 e^ | 3 a
	ror r0, r0, 6; v8min r1, ra1.16b, ones         # 4 S1 ror6 | 4 S0 upper
	add r1, ra2, r3; mul24 ra2, r1, power_9        # 4 T1 +Ch | 4 S0 upper*2^9
	add ra1, r1, r0; mul24 r0, ra1, power_9        # 4 T1 | 4 S0 lower*2^9
	ror r2, r4, 8; v8adds w_11, r2, ra3            # 5 swap ror8 | 3 word
	add r1, state_7, ra1                           # 4 e=d+T1
	ror r3, r1, 18; v8adds r0, r0, ra2.16b         # 5 S1 ror18 | 4 S0 ror23
	xor ra0, r1, r3; v8min r3, ra0, even           # 5 S1 e^ | 5 swap bytes 0,2
	xor r0, state_4, r0; v8subs r2, r2, even       # 4 S0 a^ | 5 swap bytes 1,3
	ror r0, r0, 22                                 # 4 S0 ror22
	and r2, ra5, rb0; v8adds w_13, r2, r3          # 4 Maj &(b^c) | 5 word
	add ra2, unif, w_6                             # 6 T1 K+w
	xor r2, state_5, r2; v8min r3, ra0.16b, ones   # 4 Maj | 5 S1 upper
	add r0, r0, r2; mul24 r2, ra0, power_13        # 4 T2 | 5 S1 lower*2^13
	add r0, ra1, r0                                # 4 a=T1+T2
	and r3, r1, state_0; mul24 ra1, r3, power_13; ldtmu0 # 5 Ch e&f | 5 S1 upper*2^13 | 6 load
	sub data, data, -16; v8min state_7, r1, r1     # 4 address+16 | 4 e
	and r1, r1, state_1; v8adds ra1, r2, ra1.16b   # 5 Ch e&g | 5 S1 ror19
	xor rb0, r0, state_4; v8subs ra0, state_1, r1  # 5 Maj a^b | 5 Ch g-(e&g)
	ror r1, r0, 21; v8min t0s, data, data          # 5 S0 ror21 | 4 request
	xor ra3, r0, r1; v8adds t0s, data, 4           # 5 S0 a^ | 5 request
	xor r1, state_7, ra1                           # 5 S1 e^
	and r0, rb0, ra5; v8min state_3, r0, r0        # 5 Maj &(b^c) | 4 a
	ror r3, r1, 6; v8adds r1, r3, ra0              # 5 S1 ror6 | 5 Ch
	add r1, rb4, r1; v8min r2, ra3.16b, ones       # 5 T1 +Ch | 5 S0 upper
	xor rb4, state_4, r0; mul24 ra0, r2, power_9   # 5 Maj | 5 S0 upper*2^9
	add r1, r1, r3; mul24 r3, ra3, power_9         # 5 T1 | 5 S0 lower*2^9
	ror r0, r4, 24; v8adds r3, r3, ra0.16b         # 6 swap ror24 | 5 S0 ror23
	ror r2, r4, 8; v8min w_6, w_14, w_14           # 6 swap ror8 | 6 w6=w14
	xor r2, state_3, r3; v8subs ra0, r2, even      # 5 S0 a^ | 6 swap bytes 1,3
	and r0, ra7, even; v8min r3, r0, even; ldtmu0  # 4 swap bytes 0,2 | 6 swap bytes 0,2 | 7 load
	ror r0, r2, 22; v8adds w_12, ra4, r0           # 5 S0 ror22 | 4 word
	add r3, state_6, r1; v8adds w_14, ra0, r3      # 5 e=d+T1 | 6 word
	ror r2, r3, 18; v8min state_6, r3, r3          # 6 S1 ror18 | 5 e
	xor ra0, r3, r2; v8adds t0s, data, 8           # 6 S1 e^ | 6 request
	add ra2, state_1, ra2                          # 6 T1 +h
	add r0, r0, rb4; v8min r2, ra0.16b, ones       # 5 T2 | 6 S1 upper
	add r0, r1, r0; mul24 r1, ra0, power_13        # 5 a=T1+T2 | 6 S1 lower*2^13
	and r2, r3, state_0; mul24 ra0, r2, power_13   # 6 Ch e&g | 6 S1 upper*2^13
	and r2, r3, state_7; v8subs rb4, state_0, r2   # 6 Ch e&f | 6 Ch g-(e&g)
	ror r3, r0, 21; v8adds r1, r1, ra0.16b         # 6 S0 ror21 | 6 S1 ror19
	xor r1, state_6, r1                            # 6 S1 e^
	xor ra0, r0, r3; v8adds t0s, data, 12          # 6 S0 a^ | 7 request
	xor ra4, r0, state_3; v8adds r2, r2, rb4       # 6 Maj a^b | 6 Ch
	ror r1, r1, 6; v8min r3, ra0.16b, ones         # 6 S1 ror6 | 6 S0 upper
	add r2, ra2, r2; mul24 ra2, r3, power_9        # 6 T1 +Ch | 6 S0 upper*2^9
	and r3, ra4, rb0                               # 6 Maj &(b^c)
	add r0, unif, w_7; v8min state_2, r0, r0       # 7 T1 K+w | 5 a
	add ra0, r2, r1; mul24 r1, ra0, power_9        # 6 T1 | 6 S0 lower*2^9
	ror r2, r4, 8; v8adds r1, r1, ra2.16b          # 7 swap ror8 | 6 S0 ror23
	add rb0, state_0, r0; v8subs ra2, r2, even     # 7 T1 +h | 7 swap bytes 1,3
	xor ra7, state_2, r1                           # 6 S0 a^
	add r1, state_5, ra0                           # 6 e=d+T1
	ror r2, r1, 18; v8min r0, ra7.16b, ones        # 7 S1 ror18 | 6 S0 upper
	xor ra7, r1, r2; mul24 r2, ra7, power_10       # 7 S1 e^ | 6 S0 lower*2^10
	xor r0, state_3, r3; mul24 ra3, r0, power_10   # 6 Maj | 6 S0 upper*2^10
	sub data, data, -16; v8min state_5, r1, r1     # 7 address+16 | 6 e
	and r3, r1, state_7; v8adds r2, r2, ra3.16b    # 7 Ch e&g | 6 S0 ror22
	add r0, r2, r0; mul24 r2, ra7, power_13        # 6 T2 | 7 S1 lower*2^13
	and rb4, r1, state_6; v8min r1, ra7.16b, ones  # 7 Ch e&f | 7 S1 upper
	add r0, ra0, r0; mul24 ra0, r1, power_13       # 6 a=T1+T2 | 7 S1 upper*2^13
	xor b_xor_c, r0, state_2; v8subs r3, state_7, r3 # 7 Maj a^b | 7 Ch g-(e&g)
	ror r2, r0, 21; v8adds ra0, r2, ra0.16b        # 7 S0 ror21 | 7 S1 ror19
	and r1, b_xor_c, ra4                           # 7 Maj &(b^c)
	xor ra4, r0, r2; v8adds r2, rb4, r3            # 7 S0 a^ | 7 Ch
	xor r0, state_5, ra0; v8min state_1, r0, r0    # 7 S1 e^ | 6 a
	add r2, rb0, r2                                # 7 T1 +Ch
	ror r0, r0, 6; v8min r3, ra4.16b, ones         # 7 S1 ror6 | 7 S0 upper
	xor rb0, state_2, r1; mul24 ra0, r3, power_9   # 7 Maj | 7 S0 upper*2^9
	add r0, r2, r0; mul24 r2, ra4, power_9         # 7 T1 | 7 S0 lower*2^9
	ror r1, r4, 24; v8adds r2, r2, ra0.16b         # 7 swap ror24 | 7 S0 ror23
	xor r2, state_1, r2; v8min w_7, w_15, w_15     # 7 S0 a^ | 7 w7=w15
	add state_4, state_4, r0; v8min r1, r1, even   # 7 e=d+T1 | 7 swap bytes 0,2
	brr.alln -, :light                             # 3 delay slots follow
	ror r2, r2, 22                                 # 7 S0 ror22
	add r1, r2, rb0; v8adds w_15, ra2, r1          # 7 T2 | 7 word
	add state_0, r0, r1                            # 7 a=T1+T2
# end: 15 instructions, 1 times a block
:end
	add r0, chain_2, state_2                       # H+
	or.setf -, left, left; v8min r1, state_1, state_1 # N: lane is done | port
	add r2, chain_4, state_4; v8min.ifnn chain_2, r0, r0 # H+ | H=
	add.ifnn chain_0, chain_0, state_0; v8min state_2, r0, r0 # H+ | state=H
	add r1, chain_1, r1; v8min.ifnn chain_4, r2, r2 # H+ | H=
	add.ifnn chain_6, chain_6, state_6; v8min state_1, r1, r1 # H+ | state=H
	add.ifnn chain_3, chain_3, state_3; v8min state_4, r2, r2 # H+ | state=H
	add.ifnn chain_5, chain_5, state_5; v8min.ifnn chain_1, r1, r1 # H+ | H=
	or unif_addr, unif, unif; v8min r2, state_7, state_7 # K again | port
	add r2, chain_7, r2; v8min state_5, chain_5, chain_5 # H+ | state=H
	sub.setf left, left, 1; v8min.ifnn chain_7, r2, r2 # blocks left | H=
	brr.anynn -, :heavy                            # 3 delay slots follow
	sub.ifn data, data, power_6; v8min state_7, r2, r2 # stay | state=H
	xor b_xor_c, r1, r0; v8min state_0, chain_0, chain_0 # b^c | state=H
	or state_3, chain_3, chain_3; v8min state_6, chain_6, chain_6 # state=H | state=H
