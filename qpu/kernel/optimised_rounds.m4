dnl SPDX-License-Identifier: MIT
dnl The hot sections of `optimised', unscheduled: an operation a line.  make search makes
dnl optimised_hot.m4 of it; qpuasm -O of m4 -DUNSCHEDULED makes a kernel that is a little slower.
dnl
dnl Behind each operation: the round of the pass, 0..7, that it belongs to, and what it
dnl computes.  S0, S1, s0, s1: Sigma and sigma of FIPS 180-4, 4.1.2.  Round t has working
dnl variable r of a..h in state_((r-t) mod 8).  Two in a line exchange registers.
# heavy
:heavy
	ror rb0, state_4, 18                   # 0 S1 ror18
	ror r0, state_0, 21                    # 0 S0 ror21
	and r1, state_4, state_5               # 0 Ch e&f
	ror r2, w_1, 7                         # 0 s0 ror7
	and r3, state_4, state_6               # 0 Ch e&g
	xor ra0, state_0, r0                   # 0 S0 a^
	v8subs r0, state_6, r3                 # 0 Ch g-(e&g)
	xor ra1, state_4, rb0                  # 0 S1 e^
	v8adds r0, r1, r0                      # 0 Ch
	add r0, unif, r0                       # 0 T1 K+w
	v8min r1, w_1.16b, ones                # 0 s0 upper
	mul24 ra2, r1, power_14                # 0 s0 upper*2^14
	and r1, ra1.16b, ones                  # 0 S1 upper
	add r0, r0, state_7                    # 0 T1 +h
	v8min r3, ra0.16b, ones                # 0 S0 upper
	add rb0, r0, w_0                       # 0 T1 +Ch
	v8min r0, w_14.16b, ones               # 0 s1 upper
	mul24 ra3, r3, power_9                 # 0 S0 upper*2^9
	and r3, w_3.16b, ones                  # 2 s0 upper
	mul24 ra4, r1, r4                      # 0 S1 upper*2^13
	shr r1, w_1, 3                         # 0 s0 shr3
	xor r2, r1, r2                         # 0 s0 ^
	mul24 r1, w_1, power_14                # 0 s0 lower*2^14
	or r1, r1, ra2.16b                     # 0 s0 ror18
	mul24 ra2, r0, power_15                # 0 s1 upper*2^15
	xor ra5, state_0, state_1              # 0 Maj a^b
	xor r2, r2, r1                         # 0 s0
	mul24 r1, ra0, power_9                 # 0 S0 lower*2^9
	add r2, r2, w_0                        # 0 W w0+s0
	v8adds r1, r1, ra3.16b                 # 0 S0 ror23
	add rb1, w_9, r2                       # 0 W +w9
	mul24 ra3, r3, power_14                # 2 s0 upper*2^14
	shr rb2, w_7, 3                        # 6 s0 shr3
	mul24 ra0, r3, r4                      # 2 s0 upper*2^13
	and r3, ra5, b_xor_c                   # 0 Maj &(b^c)
	mul24 ra6, r0, r4                      # 0 s1 upper*2^13
	xor r1, state_0, r1                    # 0 S0 a^ (2)
	xor r2, state_1, r3                    # 0 Maj
	mul24 r3, ra1, r4                      # 0 S1 lower*2^13
	ror r3, r1, 22; v8adds r1, r3, ra4.16b # 0 S0 ror22 | 0 S1 ror19
	add r2, r2, r3                         # 0 T2
	mul24 ra4, w_14.8b, power_6            # 0 s1 x.8b*2^6
	xor r0, state_4, r1; mul24 r1, r0, power_6 # 0 S1 e^ (2) | 0 s1 upper*2^6
	shr rb3, w_8, 3                        # 7 s0 shr3
	ror r0, r0, 6                          # 0 S1 ror6
	v8min r3, w_2.16b, ones                # 1 s0 upper
	add r0, rb0, r0                        # 0 T1
	mul24 ra1, w_3, r4                     # 2 s0 lower*2^13
	v8adds rb0, r1, ra4.8b                 # 0 s1 shr10
	add r1, state_3, r0                    # 0 e=d+T1
	add r0, r0, r2                         # 0 a=T1+T2
	mul24 r2, w_2, power_14                # 1 s0 lower*2^14
	xor rb4, r0, state_0                   # 1 Maj a^b
	mul24 ra4, r3, power_14                # 1 s0 upper*2^14
	ror rb5, r1, 18                        # 1 S1 ror18
	v8min ra7, w_8.16b, ones               # 7 s0 upper
	v8adds rb6, r2, ra4.16b                # 1 s0 ror18
	ror r2, r0, 21                         # 1 S0 ror21
	xor ra4, r0, r2                        # 1 S0 a^
	mul24 r2, w_3, power_14                # 2 s0 lower*2^14
	xor ra3, r1, rb5; v8adds rb5, r2, ra3.16b # 1 S1 e^ | 2 s0 ror18
	mov state_7, r0                        # 0 a
	shr r0, w_2, 3                         # 1 s0 shr3
	ror r2, w_2, 7                         # 1 s0 ror7
	xor r2, rb6, r2                        # 1 s0 ^
	mov ra0.16a, ra1.16b                   # 2 s0 shr3
	xor r0, r2, r0                         # 1 s0
	mul24 rb6, ra4, power_9                # 1 S0 lower*2^9
	and rb7, rb4, ra5                      # 1 Maj &(b^c)
	and r2, r1, state_5                    # 1 Ch e&g
	v8min rb8, ra3.16b, ones               # 1 S1 upper
	v8subs r3, state_5, r2                 # 1 Ch g-(e&g)
	and r2, r1, state_4                    # 1 Ch e&f
	add r0, w_1, r0                        # 1 W +w9
	mov state_3, r1                        # 0 e
	ror ra5, w_8, 7                        # 7 s0 ror7
	mov w_0, w_8                           # 0 w0=w8
	v8adds r2, r2, r3                      # 1 Ch
	ror r3, w_3, 7                         # 2 s0 ror7
	mul24 ra1, rb8, r4                     # 1 S1 upper*2^13
	add rb8, r0, w_10                      # 1 W w0+s0
	add r2, r2, state_6                    # 1 T1 +h
	mul24 r0, ra3, r4                      # 1 S1 lower*2^13
	xor r3, rb5, r3                        # 2 s0 ^
	v8adds r0, r0, ra1.16b                 # 1 S1 ror19
	xor r0, r1, r0                         # 1 S1 e^ (2)
	mul24 ra1, w_15.8b, power_6            # 1 s1 x.8b*2^6
	ror r0, r0, 6                          # 1 S1 ror6
	v8min r1, ra4.16b, ones                # 1 S0 upper
	xor r1, r3, ra0; mul24 ra0, r1, power_9 # 2 s0 | 1 S0 upper*2^9
	add r0, unif, r0                       # 1 T1 K+w
	v8min r3, w_15.16b, ones               # 1 s1 upper
	add rb5, w_2, r1                       # 2 W w0+s0
	mul24 ra4, r3, power_15                # 1 s1 upper*2^15
	add r2, w_1, r2                        # 1 T1 +Ch
	mul24 r1, r3, power_6                  # 1 s1 upper*2^6
	add r0, r2, r0                         # 1 T1
	v8adds r2, rb6, ra0.16b                # 1 S0 ror23
	xor r2, state_7, r2                    # 1 S0 a^ (2)
	mov w_1, w_9                           # 1 w1=w9
	mul24 ra0, r3, r4                      # 1 s1 upper*2^13
	xor r3, state_0, rb7                   # 1 Maj
	add r3, r3, r0                         # 1 T2
	mul24 ra7, ra7, power_14               # 7 s0 upper*2^14
	add r0, state_2, r0                    # 1 e=d+T1
	v8adds rb7, r1, ra1.8b                 # 1 s1 shr10
	ror r1, r2, 22                         # 1 S0 ror22
	mul24 r2, w_14, r4                     # 0 s1 lower*2^13
	add r1, r1, r3                         # 1 a=T1+T2
	mul24 r3, w_8, power_14                # 7 s0 lower*2^14
	v8adds ra7, r3, ra7.16b                # 7 s0 ror18
	ror r3, r1, 21                         # 2 S0 ror21
	xor ra1, r1, r3                        # 2 S0 a^
	mul24 r3, w_14, power_15               # 0 s1 lower*2^15
	v8adds r2, r2, ra6.16b                 # 0 s1 ror19
	xor ra6, r1, state_7                   # 2 Maj a^b
	xor r3, rb0, r2; v8adds r2, r3, ra2.16b # 0 s1 ^ | 0 s1 ror17
	xor r2, r3, r2                         # 0 s1
	mul24 r3, w_15, power_15               # 1 s1 lower*2^15
	add w_8, rb1, r2                       # 0 W +s1
	mul24 r2, w_15, r4                     # 1 s1 lower*2^13
	v8adds rb1, r3, ra4.16b                # 1 s1 ror17
	ror r3, r0, 18                         # 2 S1 ror18
	v8adds r2, r2, ra0.16b                 # 1 s1 ror19
	xor ra0, r0, r3                        # 2 S1 e^
	xor r2, rb7, r2                        # 1 s1 ^
	v8min r3, ra1.16b, ones                # 2 S0 upper
	mul24 ra4, r3, power_9                 # 2 S0 upper*2^9
	and r3, r0, state_4                    # 2 Ch e&g
	xor ra2, r2, rb1                       # 1 s1
	v8subs r2, state_4, r3                 # 2 Ch g-(e&g)
	and rb1, r0, state_3                   # 2 Ch e&f
	v8min r3, ra0.16b, ones                # 2 S1 upper
	shr rb7, w_5, 3                        # 4 s0 shr3
	add w_9, ra2, rb8                      # 1 W +s1
	mov state_6, r1                        # 1 a
	mul24 ra2, r3, r4                      # 2 S1 upper*2^13
	add r3, w_2, state_5                   # 2 T1 +h
	add r2, unif, r3; v8adds r3, rb1, r2   # 2 T1 K+w | 2 Ch
	and r1, ra6, rb4                       # 2 Maj &(b^c)
	mov state_2, r0                        # 1 e
	add ra1, r3, r2; mul24 r2, ra1, power_9 # 2 T1 +Ch | 2 S0 lower*2^9
	xor r2, state_7, r1; v8adds r1, r2, ra4.16b # 2 Maj | 2 S0 ror23
	xor r3, state_6, r1                    # 2 S0 a^ (2)
	mul24 r1, ra0, r4                      # 2 S1 lower*2^13
	ror r3, r3, 22                         # 2 S0 ror22
	v8adds r1, r1, ra2.16b                 # 2 S1 ror19
	add r2, r2, r3                         # 2 T2
	mul24 ra2, w_8.8b, power_6             # 2 s1 x.8b*2^6
	xor r0, r0, r1                         # 2 S1 e^ (2)
	mul24 ra0, w_9.8b, power_6             # 3 s1 x.8b*2^6
	ror r0, r0, 6                          # 2 S1 ror6
	v8min r1, w_8.16b, ones                # 2 s1 upper
	add r0, ra1, r0                        # 2 T1
	mul24 r3, r1, power_6                  # 2 s1 upper*2^6
	v8adds rb4, r3, ra2.8b                 # 2 s1 shr10
	add r3, state_1, r0                    # 2 e=d+T1
	add r0, r0, r2                         # 2 a=T1+T2
	mul24 ra2, r1, power_15                # 2 s1 upper*2^15
	ror rb1, r0, 21                        # 3 S0 ror21
	v8min r2, w_9.16b, ones                # 3 s1 upper
	xor r1, ra7, rb3; mul24 ra7, r1, r4    # 7 s0 ^ | 2 s1 upper*2^13
	xor r1, r1, ra5                        # 7 s0
	mul24 ra5, r2, power_15                # 3 s1 upper*2^15
	xor ra1, r0, rb1                       # 3 S0 a^
	mov state_5, r0                        # 2 a
	shr rb1, w_4, 3                        # 3 s0 shr3
	mul24 ra4, r2, r4                      # 3 s1 upper*2^13
	add r1, w_7, r1                        # 7 W w0+s0
	mul24 rb3, r2, power_6                 # 3 s1 upper*2^6
	and r2, r3, state_3                    # 3 Ch e&g
	mul24 rb8, w_8, r4                     # 2 s1 lower*2^13
	add rb0, state_3, w_4                  # 4 T1 +h
	v8subs ra3, state_3, r2                # 3 Ch g-(e&g)
	add rb6, r1, w_8                       # 7 W +w9
	mul24 r1, w_8, power_15                # 2 s1 lower*2^15
	ror r2, r3, 18                         # 3 S1 ror18
	v8adds r1, r1, ra2.16b                 # 2 s1 ror17
	xor ra7, r3, r2; v8adds r2, rb8, ra7.16b # 3 S1 e^ | 2 s1 ror19
	xor r2, r2, rb4                        # 2 s1 ^
	mov w_2, w_10                          # 2 w2=w10
	xor rb4, r0, state_6                   # 3 Maj a^b
	v8min r0, ra1.16b, ones                # 3 S0 upper
	xor r1, r2, r1                         # 2 s1
	mul24 r2, ra1, power_9                 # 3 S0 lower*2^9
	mul24 ra1, r0, power_9                 # 3 S0 upper*2^9
	add r0, r1, w_11                       # 2 W +w9
	and rb8, r3, state_2                   # 3 Ch e&f
	v8min r1, ra7.16b, ones                # 3 S1 upper
	add w_10, r0, rb5                      # 2 W +s1
	v8adds r0, r2, ra1.16b                 # 3 S0 ror23
	ror.setf passes, passes, 4             # pass
	mov state_1, r3                        # 2 e
	and r1, rb4, ra6; mul24 ra6, r1, r4    # 3 Maj &(b^c) | 3 S1 upper*2^13
	xor r0, state_5, r0                    # 3 S0 a^ (2)
	v8min r2, w_4.16b, ones                # 3 s0 upper
	ror ra7, r0, 22; mul24 r0, ra7, r4     # 3 S0 ror22 | 3 S1 lower*2^13
	xor r1, state_6, r1                    # 3 Maj
	v8adds r0, r0, ra6.16b                 # 3 S1 ror19
	xor r3, r3, r0                         # 3 S1 e^ (2)
	v8adds r0, rb8, ra3                    # 3 Ch
	add r0, w_3, r0                        # 3 T1 +h
	mul24 ra3, r2, power_14                # 3 s0 upper*2^14
	ror ra6, r3, 6                         # 3 S1 ror6
	v8min r3, w_10.16b, ones               # 4 s1 upper
	add rb8, state_4, r0                   # 3 T1 +Ch
	mul24 ra1, r3, power_15                # 4 s1 upper*2^15
	add r0, unif, ra6                      # 3 T1 K+w
	mul24 ra6, r3, r4                      # 4 s1 upper*2^13
	add r0, rb8, r0                        # 3 T1
	mul24 rb8, w_10, r4                    # 4 s1 lower*2^13
	add r1, r0, r1                         # 3 T2
	mul24 ra2, w_10.8b, power_6            # 4 s1 x.8b*2^6
	add r1, ra7, r1                        # 3 a=T1+T2
	xor ra7, r1, state_5                   # 4 Maj a^b
	mul24 r2, w_9, r4                      # 3 s1 lower*2^13
	add r0, state_0, r0                    # 3 e=d+T1
	mul24 r3, r3, power_6                  # 4 s1 upper*2^6
	v8adds rb5, r2, ra4.16b                # 3 s1 ror19
	ror r2, r0, 18                         # 4 S1 ror18
	xor ra4, r0, r2                        # 4 S1 e^
	mul24 r2, w_10, power_15               # 4 s1 lower*2^15
	v8adds rb9, r2, ra1.16b                # 4 s1 ror17
	ror r2, r1, 21                         # 4 S0 ror21
	xor ra6, r1, r2; v8adds r2, rb8, ra6.16b # 4 S0 a^ | 4 s1 ror19
	v8adds r3, r3, ra2.8b                  # 4 s1 shr10
	and ra2, r0, state_1                   # 4 Ch e&f
	ror rb8, w_7, 7                        # 6 s0 ror7
	mov state_4, r1                        # 3 a
	xor r3, r3, r2                         # 4 s1 ^
	v8adds r2, rb3, ra0.8b                 # 3 s1 shr10
	xor r3, r3, rb9                        # 4 s1
	v8min ra0, w_7.16b, ones               # 6 s0 upper
	and r1, r0, state_2                    # 4 Ch e&g
	mul24 rb9, ra4, r4                     # 4 S1 lower*2^13
	xor ra4, r2, rb5; v8min r2, ra4.16b, ones # 3 s1 ^ | 4 S1 upper
	mul24 ra1, r2, r4                      # 4 S1 upper*2^13
	ror r2, w_4, 7                         # 3 s0 ror7
	add rb5, r3, w_4                       # 4 W w0+s0
	mul24 r3, w_4, power_14                # 3 s0 lower*2^14
	xor r3, rb1, r2; v8adds r2, r3, ra3.16b # 3 s0 ^ | 3 s0 ror18
	xor r2, r3, r2                         # 3 s0
	v8adds r3, rb9, ra1.16b                # 4 S1 ror19
	add ra1, w_3, r2                       # 3 W +w9
	v8subs r1, state_2, r1                 # 4 Ch g-(e&g)
	xor r2, r0, r3                         # 4 S1 e^ (2)
	mul24 r3, w_9, power_15                # 3 s1 lower*2^15
	ror r2, r2, 6                          # 4 S1 ror6
	v8adds r1, ra2, r1                     # 4 Ch
	add r1, rb0, r1                        # 4 T1 +Ch
	v8adds rb0, r3, ra5.16b                # 3 s1 ror17
	add r1, unif, r1                       # 4 T1 K+w
	v8min r3, w_6.16b, ones                # 5 s0 upper
	add r1, r2, r1                         # 4 T1
	mul24 ra5, r3, power_14                # 5 s0 upper*2^14
	add r2, state_7, r1                    # 4 e=d+T1
	mov w_3, w_11                          # 3 w3=w11
	mul24 ra2, r3, r4                      # 5 s0 upper*2^13
	and r3, ra7, rb4                       # 4 Maj &(b^c)
	xor rb4, state_5, r3                   # 4 Maj
	v8min r3, w_5.16b, ones                # 4 s0 upper
	mov state_0, r0                        # 3 e
	xor r0, ra4, rb0                       # 3 s1
	add rb0, r0, w_12                      # 3 W w0+s0
	mul24 ra4, r3, power_14                # 4 s0 upper*2^14
	ror r3, r2, 18                         # 5 S1 ror18
	v8min r0, ra6.16b, ones                # 4 S0 upper
	and rb9, r2, state_0                   # 5 Ch e&f
	mul24 ra3, r0, power_9                 # 4 S0 upper*2^9
	xor ra6, r2, r3; mul24 r3, ra6, power_9 # 5 S1 e^ | 4 S0 lower*2^9
	add r1, r1, rb4                        # 4 T2
	and r0, r2, state_1                    # 5 Ch e&g
	v8adds r3, r3, ra3.16b                 # 4 S0 ror23
	xor r0, state_4, r3; v8subs r3, state_1, r0 # 4 S0 a^ (2) | 5 Ch g-(e&g)
	ror r0, r0, 22                         # 4 S0 ror22
	v8min ra3, ra6.16b, ones               # 5 S1 upper
	add r0, r0, r1                         # 4 a=T1+T2
	mul24 ra0, ra0, power_14               # 6 s0 upper*2^14
	v8adds r3, rb9, r3                     # 5 Ch
	xor rb9, r0, state_4                   # 5 Maj a^b
	add w_11, ra1, rb0                     # 3 W +s1
	mov state_7, r2                        # 4 e
	ror r1, r0, 21                         # 5 S0 ror21
	mul24 ra3, ra3, r4                     # 5 S1 upper*2^13
	mov state_3, r0                        # 4 a
	ror r0, w_5, 7                         # 4 s0 ror7
	add ra6, unif, r3; mul24 r3, ra6, r4   # 5 T1 K+w | 5 S1 lower*2^13
	xor ra3, state_3, r1; v8adds r1, r3, ra3.16b # 5 S0 a^ | 5 S1 ror19
	xor r2, r2, r1                         # 5 S1 e^ (2)
	mul24 r1, w_5, power_14                # 4 s0 lower*2^14
	ror r2, r2, 6                          # 5 S1 ror6
	v8adds r1, r1, ra4.16b                 # 4 s0 ror18
	ror rb0, w_6, 7                        # 5 s0 ror7
	xor r1, rb7, r1                        # 4 s0 ^
	v8min r3, w_11.16b, ones               # 5 s1 upper
	xor rb7, r1, r0                        # 4 s0
	mul24 ra4, w_11.8b, power_6            # 5 s1 x.8b*2^6
	and r0, rb9, ra7                       # 5 Maj &(b^c)
	add r2, ra6, r2                        # 5 T1 +Ch
	mul24 ra6, r3, power_15                # 5 s1 upper*2^15
	add r1, state_2, w_5                   # 5 T1 +h
	mul24 ra7, r3, r4                      # 5 s1 upper*2^13
	xor r0, state_4, r0                    # 5 Maj
	mul24 r3, r3, power_6                  # 5 s1 upper*2^6
	add r1, r2, r1                         # 5 T1
	mov w_4, w_12                          # 4 w4=w12
	add rb4, r0, r1                        # 5 T2
	mul24 r0, w_7, power_14                # 6 s0 lower*2^14
	add r1, state_6, r1                    # 5 e=d+T1
	mul24 ra1, w_6, r4                     # 5 s0 lower*2^13
	and rb1, r1, state_7                   # 6 Ch e&f
	v8adds r0, r0, ra0.16b                 # 6 s0 ror18
	xor r0, r0, rb2                        # 6 s0 ^
	v8adds rb2, r3, ra4.8b                 # 5 s1 shr10
	ror r2, r1, 18                         # 6 S1 ror18
	v8min r3, ra3.16b, ones                # 5 S0 upper
	mul24 ra4, r3, power_9                 # 5 S0 upper*2^9
	and r3, r1, state_0                    # 6 Ch e&g
	xor ra3, r1, r2; mul24 r2, ra3, power_9 # 6 S1 e^ | 5 S0 lower*2^9
	xor r2, r0, rb8; v8adds r0, r2, ra4.16b # 6 s0 | 5 S0 ror23
	add ra4, r2, w_6                       # 6 W +w9
	mul24 r2, w_6, power_14                # 5 s0 lower*2^14
	xor r0, state_3, r0                    # 5 S0 a^ (2)
	v8adds r2, r2, ra5.16b                 # 5 s0 ror18
	ror r0, r0, 22                         # 5 S0 ror22
	mov ra2.16a, ra1.16b                   # 5 s0 shr3
	add r0, r0, rb4                        # 5 a=T1+T2
	v8subs r3, state_0, r3                 # 6 Ch g-(e&g)
	xor r2, ra2, r2                        # 5 s0 ^
	v8adds ra2, rb1, r3                    # 6 Ch
	xor rb0, r2, rb0                       # 5 s0
	v8min r2, ra3.16b, ones                # 6 S1 upper
	mul24 ra1, r2, r4                      # 6 S1 upper*2^13
	add r2, rb5, w_13                      # 4 W +w9
	add w_12, r2, rb7                      # 4 W +s1
	mul24 rb7, ra3, r4                     # 6 S1 lower*2^13
	ror r3, r0, 21                         # 6 S0 ror21
	mul24 r2, w_11, r4                     # 5 s1 lower*2^13
	v8adds r2, r2, ra7.16b                 # 5 s1 ror19
	xor ra7, r0, state_3                   # 6 Maj a^b
	xor ra1, r0, r3; v8adds r3, rb7, ra1.16b # 6 S0 a^ | 6 S1 ror19
	xor ra3, r1, r3                        # 6 S1 e^ (2)
	mul24 r3, w_11, power_15               # 5 s1 lower*2^15
	xor r3, rb2, r2; v8adds r2, r3, ra6.16b # 5 s1 ^ | 5 s1 ror17
	mov state_6, r1                        # 5 e
	add r1, unif, w_6                      # 6 T1 K+w
	mov state_2, r0                        # 5 a
	and r0, ra7, rb9                       # 6 Maj &(b^c)
	add ra6, state_1, r1                   # 6 T1 +Ch
	mul24 rb9, w_12, r4                    # 6 s1 lower*2^13
	xor r2, r3, r2                         # 5 s1
	mul24 ra5, w_12.8b, power_6            # 6 s1 x.8b*2^6
	add r2, r2, rb0                        # 5 W w0+s0
	v8min r3, w_12.16b, ones               # 6 s1 upper
	xor r1, state_3, r0                    # 6 Maj
	v8min r0, ra1.16b, ones                # 6 S0 upper
	add rb0, w_5, r2                       # 5 W +w9
	mul24 ra0, r3, power_15                # 6 s1 upper*2^15
	ror r2, ra3, 6                         # 6 S1 ror6
	mul24 ra3, r3, r4                      # 6 s1 upper*2^13
	add r0, r2, ra2; mul24 ra2, r0, power_9 # 6 T1 +h | 6 S0 upper*2^9
	add r0, ra6, r0                        # 6 T1
	mul24 rb2, r3, power_6                 # 6 s1 upper*2^6
	add r1, r1, r0                         # 6 T2
	mul24 r3, w_12, power_15               # 6 s1 lower*2^15
	add r0, state_5, r0                    # 6 e=d+T1
	mov w_6, w_14                          # 6 w6=w14
	ror r2, r0, 18                         # 7 S1 ror18
	mov w_5, w_13                          # 5 w5=w13
	xor ra1, r0, r2; mul24 r2, ra1, power_9 # 7 S1 e^ | 6 S0 lower*2^9
	add w_13, rb0, w_14                    # 5 W +s1
	mov state_5, r0                        # 6 e
	and rb0, r0, state_6                   # 7 Ch e&f
	v8adds r2, r2, ra2.16b                 # 6 S0 ror23
	and ra2, r0, state_7                   # 7 Ch e&g
	v8min r0, ra1.16b, ones                # 7 S1 upper
	xor r2, state_2, r2                    # 6 S0 a^ (2)
	v8adds r3, r3, ra0.16b                 # 6 s1 ror17
	mul24 ra0, r0, r4                      # 7 S1 upper*2^13
	ror r0, r2, 22                         # 6 S0 ror22
	add r0, r0, r1                         # 6 a=T1+T2
	v8adds r1, rb9, ra3.16b                # 6 s1 ror19
	xor r1, r3, r1                         # 6 s1 ^
	v8adds r3, rb2, ra5.8b                 # 6 s1 shr10
	xor r1, r1, r3                         # 6 s1
	mul24 ra5, w_13.8b, power_6            # 7 s1 x.8b*2^6
	xor b_xor_c, r0, state_2               # 7 Maj a^b
	mul24 r3, ra1, r4                      # 7 S1 lower*2^13
	ror r2, r0, 21                         # 7 S0 ror21
	v8adds r3, r3, ra0.16b                 # 7 S1 ror19
	xor ra2, r0, r2; v8subs r2, state_7, ra2 # 7 S0 a^ | 7 Ch g-(e&g)
	add rb0, r1, w_15; v8adds r1, rb0, r2  # 6 W w0+s0 | 7 Ch
	xor ra0, state_5, r3                   # 7 S1 e^ (2)
	v8min r3, w_13.16b, ones               # 7 s1 upper
	add r1, unif, r1                       # 7 T1 K+w
	v8min r2, ra2.16b, ones                # 7 S0 upper
	add r1, state_0, r1                    # 7 T1 +h
	mul24 ra1, r2, power_9                 # 7 S0 upper*2^9
	ror r2, ra0, 6                         # 7 S1 ror6
	mul24 ra0, r3, r4                      # 7 s1 upper*2^13
	add r2, r2, w_7                        # 7 T1 +Ch
	mul24 ra3, r3, power_15                # 7 s1 upper*2^15
	add r1, r2, r1                         # 7 T1
	mul24 r2, ra2, power_9                 # 7 S0 lower*2^9
	mov state_1, r0                        # 6 a
	and r0, b_xor_c, ra7                   # 7 Maj &(b^c)
	xor rb2, state_2, r0                   # 7 Maj
	v8adds r0, r2, ra1.16b                 # 7 S0 ror23
	xor r0, state_1, r0                    # 7 S0 a^ (2)
	mul24 r2, w_13, r4                     # 7 s1 lower*2^13
	ror r0, r0, 22                         # 7 S0 ror22
	v8adds rb9, r2, ra0.16b                # 7 s1 ror19
	add r0, r0, r1                         # 7 T2
	mul24 r2, w_13, power_15               # 7 s1 lower*2^15
	add w_14, ra4, rb0                     # 6 W +s1
	add state_0, rb2, r0                   # 7 a=T1+T2
	v8adds r0, r2, ra3.16b                 # 7 s1 ror17
	add state_4, state_4, r1               # 7 e=d+T1
	mul24 r1, r3, power_6                  # 7 s1 upper*2^6
	xor r0, rb9, r0                        # 7 s1 ^
	v8adds r1, r1, ra5.8b                  # 7 s1 shr10
	xor r0, r0, r1                         # 7 s1
	mov w_7, w_15                          # 7 w7=w15
	add w_15, rb6, r0                      # 7 W +s1
	brr.alln -, :heavy
	nop
	nop
	nop
# light
:light
	ror r0, state_4, 18                    # 0 S1 ror18
	and r1, state_4, state_5               # 0 Ch e&f
	ldtmu0                                 # 0 load
	and r2, state_4, state_6               # 0 Ch e&g
	mov ra0, r4                            # 0 swap x
	xor ra1, state_4, r0                   # 0 S1 e^
	v8subs r0, state_6, r2                 # 0 Ch g-(e&g)
	v8adds r1, r1, r0                      # 0 Ch
	add r0, unif, w_0                      # 0 T1 K+w
	add r1, state_7, r1                    # 0 T1 +h
	v8min r2, ra1.16b, ones                # 0 S1 upper
	mov w_0, w_8                           # 0 w0=w8
	mul24 ra2, r2, power_13                # 0 S1 upper*2^13
	xor r2, state_0, state_1               # 0 Maj a^b
	mov w_8.8d, r4                         # 0 swap byte 0
	add ra1, r0, r1; mul24 r0, ra1, power_13 # 0 T1 +Ch | 0 S1 lower*2^13
	and r3, r2, b_xor_c                    # 0 Maj &(b^c)
	v8min r1, state_0.16b, ones            # 0 S0 upper
	xor r3, state_1, r3                    # 0 Maj
	v8adds r0, r0, ra2.16b                 # 0 S1 ror19
	xor r0, state_4, r0                    # 0 S1 e^ (2)
	mul24 ra2, r1, power_11                # 0 S0 upper*2^11
	ror r0, r0, 6                          # 0 S1 ror6
	mov t0s, data                          # 0 request
	add r0, ra1, r0                        # 0 T1
	mul24 ra1, r1, power_10                # 0 S0 upper*2^10
	add ra3, unif, w_1                     # 1 T1 K+w
	add rb0, r3, r0                        # 0 T2
	mul24 r3, state_0, power_11            # 0 S0 lower*2^11
	add r0, state_3, r0                    # 0 e=d+T1
	v8adds r3, r3, ra2.16b                 # 0 S0 ror21
	xor r3, state_0, r3                    # 0 S0 a^
	mul24 rb1, state_0, power_10           # 0 S0 lower*2^10
	ldtmu0                                 # 1 load
	ror r3, r3, 13                         # 0 S0 ror13
	mov w_1, w_9                           # 1 w1=w9
	ror r1, r0, 18                         # 1 S1 ror18
	mov w_8.8a, ra0.8d                     # 0 swap byte 3
	xor ra1, r0, r1; v8adds r1, rb1, ra1.16b # 1 S1 e^ | 0 S0 ror22
	xor r1, r1, r3                         # 0 S0
	mov w_9.8d, r4                         # 1 swap byte 0
	add r1, r1, rb0                        # 0 a=T1+T2
	v8min r3, ra1.16b, ones                # 1 S1 upper
	xor rb0, r1, state_0                   # 1 Maj a^b
	mul24 ra2, r3, power_13                # 1 S1 upper*2^13
	ror r3, r1, 21                         # 1 S0 ror21
	mov state_3, r0                        # 0 e
	add ra4, unif, w_2                     # 2 T1 K+w
	mov state_7, r1                        # 0 a
	xor ra1, r1, r3; mul24 r1, ra1, power_13 # 1 S0 a^ | 1 S1 lower*2^13
	v8adds r3, r1, ra2.16b                 # 1 S1 ror19
	and r1, r0, state_5                    # 1 Ch e&g
	xor r3, r0, r3                         # 1 S1 e^ (2)
	and r0, r0, state_4                    # 1 Ch e&f
	v8subs r1, state_5, r1                 # 1 Ch g-(e&g)
	v8adds r0, r0, r1                      # 1 Ch
	ror r1, r3, 6                          # 1 S1 ror6
	add r1, state_6, r1                    # 1 T1 +h
	v8min r3, ra1.16b, ones                # 1 S0 upper
	add r0, ra3, r0                        # 1 T1 +Ch
	mul24 ra3, r3, power_9                 # 1 S0 upper*2^9
	and rb1, rb0, r2                       # 1 Maj &(b^c)
	mov w_2, w_10                          # 2 w2=w10
	add r0, r0, r1                         # 1 T1
	mul24 r1, ra1, power_9                 # 1 S0 lower*2^9
	v8adds r2, r1, ra3.16b                 # 1 S0 ror23
	add r1, state_2, r0                    # 1 e=d+T1
	ror r3, r1, 18                         # 2 S1 ror18
	mov w_8.8b, ra0.8c                     # 0 swap byte 2
	xor rb1, state_0, rb1                  # 1 Maj
	mov ra3, r4                            # 1 swap x
	xor ra1, r1, r3                        # 2 S1 e^
	v8adds t0s, data, 4                    # 1 request
	xor r2, state_7, r2                    # 1 S0 a^ (2)
	mov w_8.8c, ra0.8b                     # 0 swap byte 1
	add r0, rb1, r0                        # 1 T2
	v8min ra0, ra1.16b, ones               # 2 S1 upper
	ldtmu0                                 # 2 load
	add rb1, unif, w_3                     # 3 T1 K+w
	mov ra2, r4                            # 2 swap x
	ror r2, r2, 22                         # 1 S0 ror22
	add r0, r2, r0                         # 1 a=T1+T2
	mul24 ra0, ra0, power_13               # 2 S1 upper*2^13
	ror r2, r0, 21                         # 2 S0 ror21
	mov w_9.8b, ra3.8c                     # 1 swap byte 2
	xor ra1, r0, r2; mul24 r2, ra1, power_13 # 2 S0 a^ | 2 S1 lower*2^13
	v8adds rb2, r2, ra0.16b                # 2 S1 ror19
	xor ra0, r0, state_7                   # 2 Maj a^b
	ror.setf passes, passes, 4             # pass
	mov state_6, r0                        # 1 a
	and r0, r1, state_3                    # 2 Ch e&f
	v8min r2, ra1.16b, ones                # 2 S0 upper
	and r3, r1, state_4                    # 2 Ch e&g
	mov w_10.8d, r4                        # 2 swap byte 0
	xor ra5, r1, rb2                       # 2 S1 e^ (2)
	v8subs r3, state_4, r3                 # 2 Ch g-(e&g)
	add ra4, ra4, state_5                  # 2 T1 +h
	mov state_2, r1                        # 1 e
	ldtmu0                                 # 3 load
	v8adds r0, r0, r3                      # 2 Ch
	ror r3, ra5, 6                         # 2 S1 ror6
	add r0, r0, ra4                        # 2 T1 +Ch
	mul24 ra4, r2, power_9                 # 2 S0 upper*2^9
	add r0, r0, r3                         # 2 T1
	mul24 r3, ra1, power_9                 # 2 S0 lower*2^9
	add r2, state_1, r0                    # 2 e=d+T1
	mov w_3, w_11                          # 3 w3=w11
	add ra1, unif, w_4                     # 4 T1 K+w
	mov state_1, r2                        # 2 e
	ror r1, r2, 18                         # 3 S1 ror18
	v8adds r3, r3, ra4.16b                 # 2 S0 ror23
	xor ra4, r2, r1                        # 3 S1 e^
	v8adds t0s, data, 8                    # 2 request
	xor r3, state_6, r3                    # 2 S0 a^ (2)
	mov w_4, w_12                          # 4 w4=w12
	ror r3, r3, 22                         # 2 S0 ror22
	mov w_9.8c, ra3.8b                     # 1 swap byte 1
	add ra5, r3, r0                        # 2 T2
	v8adds t0s, data, 12                   # 3 request
	and r0, r2, state_2                    # 3 Ch e&f
	mov ra6, r4                            # 3 swap x
	and r3, ra0, rb0                       # 2 Maj &(b^c)
	mov w_11.8d, r4                        # 3 swap byte 0
	and r2, r2, state_3                    # 3 Ch e&g
	v8min r1, ra4.16b, ones                # 3 S1 upper
	ldtmu0                                 # 4 load
	xor r3, state_7, r3                    # 2 Maj
	mov w_11.8b, ra6.8c                    # 3 swap byte 2
	add r1, r3, ra5; mul24 ra5, r1, power_13 # 2 a=T1+T2 | 3 S1 upper*2^13
	ror r3, r1, 21                         # 3 S0 ror21
	mov w_12.8d, r4                        # 4 swap byte 0
	xor rb0, r1, state_6                   # 3 Maj a^b
	mov w_10.8c, ra2.8b                    # 2 swap byte 1
	add ra1, ra1, state_3                  # 4 T1 +Ch
	v8subs r2, state_3, r2                 # 3 Ch g-(e&g)
	sub data, data, -16                    # 4 address+16
	mov state_5, r1                        # 2 a
	xor ra4, r1, r3; mul24 r1, ra4, power_13 # 3 S0 a^ | 3 S1 lower*2^13
	add rb2, unif, w_5                     # 5 T1 K+w
	v8adds r0, r0, r2                      # 3 Ch
	add r0, rb1, r0                        # 3 T1 +Ch
	v8adds r1, r1, ra5.16b                 # 3 S1 ror19
	xor r1, state_1, r1                    # 3 S1 e^ (2)
	v8min r2, ra4.16b, ones                # 3 S0 upper
	ror r1, r1, 6                          # 3 S1 ror6
	mov ra5, r4                            # 4 swap x
	add r1, state_4, r1                    # 3 T1 +h
	mul24 ra7, r2, power_9                 # 3 S0 upper*2^9
	ldtmu0                                 # 5 load
	add r0, r0, r1                         # 3 T1
	mul24 r1, ra4, power_9                 # 3 S0 lower*2^9
	add r2, state_0, r0                    # 3 e=d+T1
	mov t1s, constant                      # request 2^13
	ror rb1, r2, 18                        # 4 S1 ror18
	mov w_5, w_13                          # 5 w5=w13
	and r3, rb0, ra0                       # 3 Maj &(b^c)
	mov w_13.8d, r4                        # 5 swap byte 0
	v8adds r1, r1, ra7.16b                 # 3 S0 ror23
	xor ra7, r2, rb1                       # 4 S1 e^
	xor r3, state_6, r3                    # 3 Maj
	mov state_0, r2                        # 3 e
	xor r1, state_5, r1                    # 3 S0 a^ (2)
	v8min ra0, ra7.16b, ones               # 4 S1 upper
	ror r1, r1, 22                         # 3 S0 ror22
	mov t0s, data                          # 4 request
	and r2, r2, state_1                    # 4 Ch e&f
	mov w_10.8a, ra2.8d                    # 2 swap byte 3
	add r0, r0, r3                         # 3 T2
	mul24 r3, ra7, power_13                # 4 S1 lower*2^13
	add r0, r1, r0                         # 3 a=T1+T2
	mul24 ra0, ra0, power_13               # 4 S1 upper*2^13
	add rb1, unif, w_6                     # 6 T1 K+w
	mov state_4, r0                        # 3 a
	and r1, state_0, state_2               # 4 Ch e&g
	mov ra7, r4                            # 5 swap x
	xor ra0, r0, state_5; v8adds r0, r3, ra0.16b # 4 Maj a^b | 4 S1 ror19
	xor r1, state_0, r0; v8subs r0, state_2, r1 # 4 S1 e^ (2) | 4 Ch g-(e&g)
	v8adds r0, r2, r0                      # 4 Ch
	and r2, ra0, rb0                       # 4 Maj &(b^c)
	xor r2, state_5, r2                    # 4 Maj
	mov w_11.8a, ra6.8d                    # 3 swap byte 3
	ror r1, r1, 6                          # 4 S1 ror6
	v8min r3, state_4.16b, ones            # 4 S0 upper
	add r0, r1, r0                         # 4 T1 +h
	mul24 ra4, r3, power_10                # 4 S0 upper*2^10
	add r0, ra1, r0                        # 4 T1
	mul24 ra1, r3, power_11                # 4 S0 upper*2^11
	add rb0, r0, r2                        # 4 T2
	mul24 r2, state_4, power_11            # 4 S0 lower*2^11
	add r0, state_7, r0                    # 4 e=d+T1
	v8adds r2, r2, ra1.16b                 # 4 S0 ror21
	and r3, r0, state_1                    # 5 Ch e&g
	mov w_12.8b, ra5.8c                    # 4 swap byte 2
	v8subs ra1, state_1, r3                # 5 Ch g-(e&g)
	and r3, r0, state_0                    # 5 Ch e&f
	xor r1, state_4, r2                    # 4 S0 a^
	mul24 r2, state_4, power_10            # 4 S0 lower*2^10
	ror rb3, r1, 13                        # 4 S0 ror13
	mov w_11.8c, ra6.8b                    # 3 swap byte 1
	ror r1, r0, 18                         # 5 S1 ror18
	v8adds r2, r2, ra4.16b                 # 4 S0 ror22
	xor ra4, r0, r1                        # 5 S1 e^
	mov state_7, r0                        # 4 e
	xor r2, r2, rb3                        # 4 S0
	mov w_9.8a, ra3.8d                     # 1 swap byte 3
	ldtmu0                                 # 6 load
	add r2, r2, rb0                        # 4 a=T1+T2
	v8min r1, ra4.16b, ones                # 5 S1 upper
	xor rb0, r2, state_4                   # 5 Maj a^b
	mul24 ra3, r1, power_13                # 5 S1 upper*2^13
	add rb3, unif, w_7                     # 7 T1 K+w
	mov ra6, r4                            # 6 swap x
	ror r1, r2, 21                         # 5 S0 ror21
	v8adds r3, r3, ra1                     # 5 Ch
	xor ra4, r2, r1; mul24 r1, ra4, power_13 # 5 S0 a^ | 5 S1 lower*2^13
	add r1, state_2, r3; v8adds r3, r1, ra3.16b # 5 T1 +Ch | 5 S1 ror19
	xor r0, r0, r3                         # 5 S1 e^ (2)
	mov w_6, w_14                          # 6 w6=w14
	add ra3, rb3, state_0                  # 7 T1 +h
	mov state_3, r2                        # 4 a
	ror r0, r0, 6                          # 5 S1 ror6
	mov w_13.8a, ra7.8d                    # 5 swap byte 3
	and r2, rb0, ra0                       # 5 Maj &(b^c)
	mov w_14.8d, r4                        # 6 swap byte 0
	add r0, rb2, r0                        # 5 T1 +h
	v8min r3, ra4.16b, ones                # 5 S0 upper
	add r0, r1, r0                         # 5 T1
	v8adds t0s, data, 4                    # 5 request
	xor r2, state_4, r2                    # 5 Maj
	mul24 ra0, r3, power_9                 # 5 S0 upper*2^9
	add r3, state_6, r0                    # 5 e=d+T1
	mov w_7, w_15                          # 7 w7=w15
	ldtmu0                                 # 7 load
	add r2, r0, r2                         # 5 T2
	mul24 r0, ra4, power_9                 # 5 S0 lower*2^9
	ror r1, r3, 18                         # 6 S1 ror18
	v8adds r0, r0, ra0.16b                 # 5 S0 ror23
	xor r0, state_3, r0                    # 5 S0 a^ (2)
	mov w_13.8c, ra7.8b                    # 5 swap byte 1
	xor ra0, r3, r1                        # 6 S1 e^
	v8adds t0s, data, 8                    # 6 request
	ror r0, r0, 22                         # 5 S0 ror22
	mov w_14.8c, ra6.8b                    # 6 swap byte 1
	add r0, r0, r2                         # 5 a=T1+T2
	v8adds t0s, data, 12                   # 7 request
	ror r1, r0, 21                         # 6 S0 ror21
	v8min r2, ra0.16b, ones                # 6 S1 upper
	mul24 ra4, r2, power_13                # 6 S1 upper*2^13
	and r2, r3, state_0                    # 6 Ch e&g
	xor ra0, r0, r1; mul24 r1, ra0, power_13 # 6 S0 a^ | 6 S1 lower*2^13
	v8adds rb2, r1, ra4.16b                # 6 S1 ror19
	xor ra4, r0, state_3                   # 6 Maj a^b
	and ra1, r3, state_7                   # 6 Ch e&f
	v8subs r2, state_0, r2                 # 6 Ch g-(e&g)
	xor r1, r3, rb2                        # 6 S1 e^ (2)
	mov w_10.8b, ra2.8c                    # 2 swap byte 2
	ror r2, r1, 6; v8adds r1, ra1, r2      # 6 S1 ror6 | 6 Ch
	add r2, state_1, r2                    # 6 T1 +Ch
	v8min ra1, ra0.16b, ones               # 6 S0 upper
	add r1, rb1, r1                        # 6 T1 +h
	mov state_6, r3                        # 5 e
	and r3, ra4, rb0                       # 6 Maj &(b^c)
	mov ra2, r4                            # 7 swap x
	add r1, r2, r1                         # 6 T1
	mul24 ra1, ra1, power_9                # 6 S0 upper*2^9
	xor r3, state_3, r3                    # 6 Maj
	mov w_14.8a, ra6.8d                    # 6 swap byte 3
	add ra0, r3, r1; mul24 r3, ra0, power_9 # 6 T2 | 6 S0 lower*2^9
	add r1, state_5, r1                    # 6 e=d+T1
	v8adds rb0, r3, ra1.16b                # 6 S0 ror23
	ror r3, r1, 18                         # 7 S1 ror18
	mov w_15.8b, ra2.8c                    # 7 swap byte 2
	xor ra1, r1, r3                        # 7 S1 e^
	mov state_2, r0                        # 5 a
	xor r0, r0, rb0                        # 6 S0 a^ (2)
	mov w_15.8a, ra2.8d                    # 7 swap byte 3
	ror r0, r0, 22                         # 6 S0 ror22
	v8min r3, ra1.16b, ones                # 7 S1 upper
	add r0, r0, ra0                        # 6 a=T1+T2
	mul24 ra0, r3, power_13                # 7 S1 upper*2^13
	ror r3, r0, 21                         # 7 S0 ror21
	mov w_13.8b, ra7.8c                    # 5 swap byte 2
	sub data, data, -16                    # 7 address+16
	mov state_5, r1                        # 6 e
	xor ra1, r0, r3; mul24 r3, ra1, power_13 # 7 S0 a^ | 7 S1 lower*2^13
	v8adds r2, r3, ra0.16b                 # 7 S1 ror19
	and r3, r1, state_7                    # 7 Ch e&g
	xor r2, r1, r2                         # 7 S1 e^ (2)
	v8subs ra0, state_7, r3                # 7 Ch g-(e&g)
	and r1, r1, state_6                    # 7 Ch e&f
	mov w_14.8b, ra6.8c                    # 6 swap byte 2
	ror r2, r2, 6                          # 7 S1 ror6
	v8min r3, ra1.16b, ones                # 7 S0 upper
	xor b_xor_c, r0, state_2               # 7 Maj a^b
	v8adds r1, r1, ra0                     # 7 Ch
	add r1, r2, r1                         # 7 T1 +Ch
	mul24 r2, ra1, power_9                 # 7 S0 lower*2^9
	add rb0, r1, ra3                       # 7 T1
	mul24 ra3, r3, power_9                 # 7 S0 upper*2^9
	and r1, b_xor_c, ra4                   # 7 Maj &(b^c)
	mov w_15.8d, r4                        # 7 swap byte 0
	xor r1, state_2, r1                    # 7 Maj
	mov w_15.8c, ra2.8b                    # 7 swap byte 1
	ldtmu1                                 # load 2^13
	add r2, rb0, r1; v8adds r1, r2, ra3.16b # 7 T2 | 7 S0 ror23
	xor r1, r0, r1                         # 7 S0 a^ (2)
	mov w_12.8c, ra5.8b                    # 4 swap byte 1
	ror r1, r1, 22                         # 7 S0 ror22
	mov w_12.8a, ra5.8d                    # 4 swap byte 3
	add state_4, state_4, rb0              # 7 e=d+T1
	add state_0, r1, r2                    # 7 a=T1+T2
	mov state_1, r0                        # 6 a
	brr.alln -, :light
	nop
	nop
	nop
# end
:end
	add chain_6, chain_6, state_6          # H+ (7)
	mov unif_addr, unif                    # K again
	mov r0, state_7                        # port (2)
	add r0, chain_7, r0                    # H+ (8)
	mov state_6, chain_6                   # state=H (7)
	add chain_3, chain_3, state_3          # H+ (4)
	mov chain_7, r0                        # H= (4)
	mov state_7, r0                        # state=H (8)
	add r0, chain_2, state_2               # H+ (3)
	add r1, chain_4, state_4               # H+ (5)
	mov state_2, r0                        # state=H (3)
	mov r2, state_1                        # port
	mov chain_4, r1                        # H= (3)
	add r2, chain_1, r2                    # H+ (2)
	mov state_3, chain_3                   # state=H (4)
	sub.setf left, left, 1                 # blocks left
	mov chain_1, r2                        # H=
	add chain_5, chain_5, state_5          # H+ (6)
	mov state_1, r2                        # state=H (2)
	add chain_0, chain_0, state_0          # H+
	mov chain_2, r0                        # H= (2)
	xor b_xor_c, r2, r0                    # b^c
	mov state_4, r1                        # state=H (5)
	mov state_5, chain_5                   # state=H (6)
	mov state_0, chain_0                   # state=H
	brr.anynn -, :heavy
	nop
	nop
	nop
