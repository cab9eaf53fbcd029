:heavy
ror rb0, ra28, -14
ror r0, ra31, -11
xor ra0, ra28, rb0
and r1, ra28, rb22
xor ra1, ra31, rb24
ror.setf ra10, ra10, 4
ror rb0, ra20, 7
and r2, ra28, rb23
add r3, ra32, rb14
shr rb1, ra22, 3
xor ra2, ra31, r0; v8subs r0, rb22, r1
and r0, ra1, rb13; v8adds r2, r2, r0
add r3, rb21, r3; v8min r1, ra2.16b, r5
and r1, ra25.16b, r5; mul24 ra3, r1, rb30
add rb2, r3, r2; mul24 r2, ra2, rb30
xor r0, rb24, r0; v8adds r2, r2, ra3.16b
ror r3, ra25, 7
xor r1, ra31, r2; mul24 ra3, r1, rb27
ror r1, r1, -10; v8min r2, ra0.16b, r5
add r1, r1, r0; mul24 r0, ra25, rb27
or r0, r0, ra3.16b; mul24 ra3, r2, rb28
shr r2, ra25, 3
xor r0, r0, r3; mul24 ra2, ra12.8b, rb31
xor r2, r0, r2; mul24 r0, ra0, rb28
add r2, rb14, r2; v8min r3, ra12.16b, r5
shr rb3, ra21, 3
or r0, r0, ra3.16b; mul24 ra3, r3, rb28
add rb4, r2, ra17; mul24 ra0, r3, rb26
xor r0, ra28, r0; mul24 rb5, r3, rb31
ror r3, r0, 6; v8min r0, ra24.16b, r5
add r2, rb2, r3; v8min r3, ra23.16b, r5
add r1, r2, r1; mul24 ra4, ra11.8b, rb31
and r0, ra18.16b, r5; mul24 ra5, r0, rb27
xor rb2, r1, ra31; mul24 ra6, r0, rb27
or rb21, r1, r1; mul24 r0, ra24, rb27
ror r0, r1, -11; v8adds rb6, r0, ra5.16b
add r2, ra29, r2; mul24 ra5, r3, rb27
xor ra7, r1, r0; mul24 r0, ra18, rb27
ror r1, r2, -14; v8adds r0, r0, ra6.16b
ror r3, ra18, 7; v8min ra29, r2, r2
xor r3, r0, r3; mul24 r0, ra12, rb28
xor ra6, r2, r1; mul24 rb7, ra7, rb30
and r0, r2, rb23; v8adds ra3, r0, ra3.16b
shr r1, ra18, 3; v8min rb14, ra18, ra18
xor rb8, r3, r1; mul24 r1, ra12, rb26
add r3, rb32, ra25
add r1, rb22, r3; v8adds r3, r1, ra0.16b
and r2, r2, ra28; v8subs r0, rb23, r0
ror r2, ra24, 7; v8adds r0, r2, r0
xor rb6, rb6, r2; v8min r2, ra6.16b, r5
xor r2, r3, ra3; mul24 ra3, r2, rb28
shr r3, ra24, 3
add r1, r1, r0; v8adds r0, rb5, ra2.8b
xor r0, r2, r0; mul24 r2, ra6, rb28
add ra18, rb4, r0; v8adds r0, r2, ra3.16b
xor r3, rb6, r3; v8min r2, ra7.16b, r5
xor r0, ra29, r0; mul24 ra7, r2, rb30
ror r0, r0, 6; v8min r2, ra11.16b, r5
add r0, r1, r0; mul24 rb6, ra23, rb27
add r1, ra30, r0; mul24 ra3, r2, rb26
and rb4, r1, ra29; mul24 ra6, r2, rb28
add rb5, ra25, r3; mul24 r2, r2, rb31
ror r2, r1, -14; v8adds ra4, r2, ra4.8b
xor ra7, r1, r2; v8adds r2, rb7, ra7.16b
and r1, r1, ra28; v8min ra30, r1, r1
nop; mul24 ra2, ra18.8b, rb31
xor r2, rb21, r2; v8min ra0, ra22.16b, r5
and r3, rb2, ra1
ror r2, r2, -10; v8subs r1, ra28, r1
xor r1, ra31, r3; v8adds rb4, rb4, r1
ror r3, ra23, 7
add r2, r2, r1; mul24 r1, ra11, rb26
add r0, r0, r2; mul24 ra0, ra0, rb27
xor ra1, r0, rb21; v8min r2, ra18.16b, r5
ror r1, r0, -11; v8adds rb7, r1, ra3.16b
xor ra5, r0, r1; v8adds r1, rb6, ra5.16b
xor r1, r1, r3; mul24 r3, ra11, rb28
shr r0, ra23, 3; v8min rb22, r0, r0
xor r0, r1, r0; mul24 rb6, ra18, rb28
or r3, r3, ra6.16b; mul24 ra6, r2, rb28
xor r1, rb7, r3; v8min r3, ra5.16b, r5
xor r1, r1, ra4; mul24 ra4, r2, rb26
add r0, ra24, r0; mul24 ra3, r3, rb30
add r3, rb32, ra24
or ra25, ra17, ra17; mul24 rb7, r2, rb31
ror rb9, ra19, 7
add r2, rb5, ra16; v8min ra24, ra16, ra16
add ra17, r2, r1; mul24 r1, ra18, rb26
or r2, rb6, ra6.16b
add r3, rb23, r3; v8adds r1, r1, ra4.16b
add ra4, r3, rb4; v8min r3, ra7.16b, r5
add r0, r0, ra15; mul24 ra6, r3, rb28
and r3, ra1, rb2
xor r2, r1, r2; v8adds r1, rb7, ra2.8b
xor r1, r2, r1; mul24 r2, ra5, rb30
xor r2, rb21, r3; v8adds r3, r2, ra3.16b
add ra16, r0, r1; mul24 r0, ra7, rb28
xor r3, rb22, r3; v8adds r0, r0, ra6.16b
ror r1, r3, -10; v8min r3, ra17.16b, r5
add r1, r1, r2; mul24 ra6, ra17.8b, rb31
add r2, rb32, ra23
xor r0, ra30, r0; mul24 ra7, r3, rb28
add rb7, ra28, r2; mul24 ra3, r3, rb26
ror r2, r0, 6; v8min r0, ra20.16b, r5
add r2, ra4, r2; mul24 r3, r3, rb31
add r3, rb24, r2; v8adds rb2, r3, ra6.8b
and r0, r3, ra29; mul24 ra6, r0, rb27
ror r0, r3, -14; v8subs ra4, ra29, r0
add r1, r2, r1; mul24 ra5, ra16.8b, rb31
xor ra2, r3, r0; mul24 r0, ra17, rb28
ror r0, r1, -11; v8adds r2, r0, ra7.16b
xor ra7, r1, r0; mul24 r0, ra17, rb26
xor rb4, r1, rb22; v8adds r0, r0, ra3.16b
xor r0, r0, r2; mul24 r2, ra22, rb27
and r1, rb4, ra1; v8min rb23, r1, r1
xor rb2, r0, rb2; v8min r0, ra2.16b, r5
and r0, r3, ra30; mul24 ra1, r0, rb28
ror r3, ra22, 7; v8min rb24, r3, r3
xor ra0, rb22, r1; v8adds r1, r2, ra0.16b
xor r3, r1, r3; mul24 r1, ra2, rb28
add r2, rb32, ra22
xor r0, r3, rb1; v8adds r3, r0, ra4
add ra1, rb7, r3; v8adds r1, r1, ra1.16b
xor r3, rb24, r1; v8min r1, ra7.16b, r5
shr rb7, ra20, 3
add rb1, ra23, r0; mul24 ra4, r1, rb30
nop; mul24 r0, ra7, rb30
ror r3, r3, 6; v8adds r0, r0, ra4.16b
xor r0, rb23, r0; v8min r1, ra21.16b, r5
add rb6, ra29, r2; mul24 ra4, r1, rb27
ror r1, r0, -10; v8min r0, ra16.16b, r5
add r1, r1, ra0; mul24 ra0, r0, rb28
add r3, ra1, r3; mul24 ra1, r0, rb26
add r1, r3, r1; mul24 r2, ra16, rb28
add r3, ra31, r3; mul24 r0, r0, rb31
xor ra5, r1, rb23; v8adds rb5, r0, ra5.8b
add rb10, rb32, ra21; v8min ra28, r1, r1
ror r0, r1, -11; v8min ra31, r3, r3
xor ra7, r1, r0; mul24 r0, ra20, rb27
ror r1, r3, -14; v8adds r0, r0, ra6.16b
xor ra6, r3, r1; mul24 rb11, ra16, rb26
xor r0, r0, rb0; v8min ra23, ra15, ra15
xor r0, r0, rb7; v8min r1, ra7.16b, r5
and r1, r3, ra30; mul24 ra2, r1, rb30
and r3, r3, rb24; v8subs r1, ra30, r1
add rb7, ra21, r0; mul24 r0, ra21, rb27
add r3, rb1, ra14; v8adds r1, r3, r1
add ra0, rb6, r1; v8adds r1, r2, ra0.16b
ror r2, ra21, 7
add ra15, r3, rb2; v8adds r0, r0, ra4.16b
xor r2, r0, r2; v8adds r0, rb11, ra1.16b
xor r0, r0, r1; mul24 r1, ra7, rb30
and r3, ra5, rb4
xor ra7, r0, rb5; v8min r0, ra6.16b, r5
xor r1, rb23, r3; v8adds r3, r1, ra2.16b
xor r0, ra28, r3; mul24 ra2, r0, rb28
ror r0, r0, -10; v8min r3, ra19.16b, r5
add r0, r0, r1; mul24 r1, ra6, rb28
xor r1, r2, rb3; v8adds r2, r1, ra2.16b
xor r2, ra31, r2; mul24 ra2, r3, rb27
ror r2, r2, 6; v8min r3, ra15.16b, r5
add r1, ra22, r1; mul24 rb3, r3, rb31
add rb5, r1, ra13; mul24 ra6, r3, rb26
nop; mul24 r1, ra15, rb26
add r2, ra0, r2; mul24 ra0, r3, rb28
add r1, rb21, r2; v8adds rb4, r1, ra6.16b
ror r3, r1, -14; v8min ra22, ra14, ra14
add ra14, rb5, ra7
add r0, r2, r0; mul24 ra7, ra15.8b, rb31
shr rb5, ra19, 3
xor ra6, r1, r3; mul24 r3, ra15, rb28
ror r3, r0, -11; v8adds r2, r3, ra0.16b
xor rb4, rb4, r2; v8min r2, ra6.16b, r5
add ra0, rb32, ra20; v8min rb21, r1, r1
xor rb11, r0, ra28; mul24 ra1, r2, rb28
add rb8, ra19, rb8
and rb2, rb11, ra5; v8min ra29, r0, r0
xor ra6, r0, r3; mul24 r0, ra6, rb28
and r3, r1, rb24; v8adds r0, r0, ra1.16b
xor r0, rb21, r0; v8min r2, ra6.16b, r5
add rb6, rb24, ra0; v8subs r3, rb24, r3
and r1, r1, ra31; mul24 ra0, r2, rb30
add r1, ra30, rb10; v8adds r3, r1, r3
add rb8, rb8, ra18
xor ra1, ra28, rb2
add r3, r1, r3; v8adds r1, rb3, ra7.8b
ror r0, r0, 6
xor rb4, rb4, r1; v8min r1, ra14.16b, r5
add r3, r3, r0; mul24 r0, ra6, rb30
add r2, rb22, r3; v8adds r0, r0, ra0.16b
xor r0, ra29, r0; mul24 ra0, r1, rb28
ror r0, r0, -10; v8min ra21, ra13, ra13
add r0, r0, ra1; mul24 ra1, r1, rb26
add r0, r3, r0; mul24 ra6, ra14.8b, rb31
xor ra7, r0, ra29; mul24 r1, r1, rb31
ror r1, r2, -14; v8adds rb3, r1, ra6.8b
xor ra6, r2, r1; mul24 r1, ra19, rb27
ror r3, r0, -11; v8adds r1, r1, ra2.16b
xor ra2, r0, r3; mul24 r3, ra6, rb28
xor ra6, r1, rb9; v8min r1, ra6.16b, r5
and r1, r2, ra31; mul24 ra5, r1, rb28
and rb11, ra7, rb11; v8min ra30, r0, r0
add rb9, rb32, ra19
and r0, r2, rb21; v8subs r1, ra31, r1
add r2, rb7, ra12; v8min rb22, r2, r2
add ra13, r2, rb4; v8adds r2, r3, ra5.16b
xor r0, ra6, rb5; v8adds r1, r0, r1
add r1, rb6, r1; v8min r3, ra2.16b, r5
add rb6, ra20, r0; mul24 ra6, r3, rb30
xor r2, rb22, r2
ror r2, r2, 6; v8min ra20, ra12, ra12
add r2, r1, r2; mul24 r1, ra2, rb30
add r1, rb23, r2; v8adds r0, r1, ra6.16b
xor r0, ra30, r0
xor r3, ra29, rb11
ror r0, r0, -10; v8min rb23, r1, r1
add r3, r0, r3; mul24 r0, ra14, rb28
add r2, r2, r3; mul24 ra6, ra13.8b, rb31
ror r0, r2, -11; v8adds ra0, r0, ra0.16b
and r3, r1, rb21; v8min rb24, r2, r2
xor ra2, r2, r0; mul24 rb11, ra13, rb28
xor rb13, r2, ra30; v8subs r2, rb21, r3
ror r3, r1, -14; v8min r0, ra2.16b, r5
xor ra5, r1, r3; mul24 r3, ra14, rb26
and r1, r1, rb22; v8adds r3, r3, ra1.16b
add r2, ra31, rb9; v8adds r1, r1, r2
xor r0, r3, ra0; mul24 ra0, r0, rb30
xor r3, r0, rb3; v8min r0, ra5.16b, r5
add ra2, r2, r1; mul24 r1, ra2, rb30
add r2, rb6, ra11; v8min ra19, ra11, ra11
or r0, r1, ra0.16b; mul24 ra0, r0, rb28
add ra12, r2, r3; mul24 r2, ra5, rb28
xor r0, rb24, r0; v8adds ra0, r2, ra0.16b
ror r0, r0, -10; v8min r2, ra13.16b, r5
and r3, rb13, ra7
xor r1, rb23, ra0
xor r3, ra30, r3; mul24 ra0, r2, rb26
add r0, r0, r3; mul24 r3, ra13, rb26
ror r1, r1, 6; v8adds r3, r3, ra0.16b
add r1, ra2, r1; mul24 ra2, r2, rb28
add ra28, ra28, r1; mul24 r2, r2, rb31
add ra31, r1, r0; v8adds r0, rb11, ra2.16b
brr.alln -, :heavy
xor r2, r3, r0; v8adds r0, r2, ra6.8b
xor r0, r2, r0
add ra11, rb8, r0
:light
add r0, ra32, rb14
ror r1, ra31, -11
and r2, ra28, rb22
xor ra0, ra31, r1; v8subs r1, rb22, r2
ror r2, ra28, -14
and r3, ra28, rb23; ldtmu0
xor ra1, ra31, rb24; v8adds r1, r3, r1
add r0, rb21, r0; v8min t0s, ra9, ra9
xor ra2, ra28, r2
ror ra3, r4, 8; v8min rb14, ra18, ra18
add r2, rb32, ra25
add ra4, rb22, r2; v8min r2, ra2.16b, r5
and r2, ra0.16b, r5; mul24 ra5, r2, rb28
add r1, r0, r1; mul24 r0, ra2, rb28
ror r0, r4, -8; v8adds r3, r0, ra5.16b
xor r0, ra28, r3; v8min rb0, r0, rb25
ror r0, r0, 6; v8min ra25, ra17, ra17
add r1, r1, r0; mul24 r0, ra0, rb30
add r2, ra29, r1; mul24 ra0, r2, rb30
and ra5, ra1, rb13
ror r0, r2, -14; v8adds r3, r0, ra0.16b
xor ra0, ra31, r3
add ra2, rb32, ra24
and ra6, r2, rb23; v8min r3, ra0.16b, r5
xor ra0, r2, r0; mul24 r0, ra0, rb29
and rb1, r2, ra28; mul24 ra7, r3, rb29; ldtmu0
xor r2, rb24, ra5; v8min ra29, r2, r2
ror ra7, r4, 8; v8adds r0, r0, ra7.16b
add r0, r0, r2; v8adds t0s, ra9, 4
add r0, r1, r0; mul24 r1, ra0, rb28
ror r3, r0, -11; v8min r2, ra0.16b, r5
xor rb2, r0, ra31; mul24 ra0, r2, rb28
add rb3, rb32, ra23
ror r2, r4, -8; v8adds r1, r1, ra0.16b
xor ra6, r0, r3; v8subs r3, rb23, ra6; ldtmu0
xor r1, ra29, r1; v8adds r3, rb1, r3
add r2, ra4, r3; v8min ra4, r2, rb25
ror r3, r1, 6; v8min r1, ra6.16b, r5
add r2, r2, r3; v8subs r3, ra7, rb25
add r1, ra30, r2; mul24 ra7, r1, rb30
ror r3, r4, -8; v8adds ra17, r3, ra4
ror r0, r1, -14; v8min rb21, r0, r0
add rb1, rb32, ra22
xor ra6, r1, r0; mul24 r0, ra6, rb30
and rb4, r1, ra29; v8min ra4, r3, rb25
and r3, rb2, ra1; v8min ra30, r1, r1
ror ra7, r4, 8; v8adds r0, r0, ra7.16b
xor rb5, ra31, r3; ldtmu0
xor r0, rb21, r0; v8min ra22, ra14, ra14
ror r0, r0, -10; v8min r3, ra6.16b, r5
add r0, r0, rb5; v8min ra24, ra16, ra16
add r0, r2, r0; mul24 r2, ra6, rb28
and r1, r1, ra28; mul24 ra6, r3, rb28
ror ra1, r4, 8; v8adds t0s, ra9, 8
ror r3, r0, -11; v8subs r1, ra28, r1
xor ra7, r0, r3; v8subs r3, ra7, rb25
xor ra6, r0, rb21; v8adds r2, r2, ra6.16b
add r0, rb23, ra2; v8min rb22, r0, r0
xor r1, ra30, r2; v8adds r2, rb4, r1
add ra2, r0, r2; mul24 r0, ra7, rb30
ror r1, r1, 6; v8min r2, ra7.16b, r5
add r1, ra2, r1; mul24 ra2, r2, rb30
add rb4, rb32, ra21
add r2, rb24, r1; v8adds r0, r0, ra2.16b
ror r3, r2, -14; v8adds ra16, r3, ra4
xor ra4, r2, r3; v8adds t0s, ra9, 12
and r3, ra6, rb2; v8min rb24, r2, r2
xor ra2, rb22, r0
xor ra7, rb21, r3; v8min r3, ra4.16b, r5
ror r0, ra2, -10
add r0, r0, ra7; mul24 ra7, r3, rb28
ror r3, r4, -8; v8min ra23, ra15, ra15
add r1, r1, r0; v8subs r0, ra3, rb25
and r3, r2, ra29; v8min ra3, r3, rb25
ror r3, r1, -11; v8subs ra2, ra29, r3
xor ra4, r1, r3; mul24 r3, ra4, rb28
and r0, r2, ra30; v8adds ra18, r0, rb0
xor rb0, r1, rb22; v8adds r3, r3, ra7.16b
xor r3, rb24, r3; v8adds r0, r0, ra2
add ra2, ra28, rb3
ror r2, r3, 6; v8min r3, ra4.16b, r5
ror.setf ra10, ra10, 4; v8min rb23, r1, r1
add r0, ra2, r0; mul24 ra2, r3, rb30; ldtmu0
add r0, r0, r2; mul24 r2, ra4, rb30
ror r2, r4, 8; v8adds r3, r2, ra2.16b
add rb4, ra30, rb4
xor ra2, rb23, r3
add r2, ra31, r0; v8subs ra4, r2, rb25
ror ra7, r4, -8; v8min r3, ra2.16b, r5
and r3, r2, ra30; mul24 ra0, r3, rb29
ror r3, r2, -14; v8subs ra5, ra30, r3
and r1, rb0, ra6; v8min ra31, r2, r2
xor ra2, r2, r3; mul24 r3, ra2, rb29
and r2, r2, rb24; v8adds r3, r3, ra0.16b
xor r1, rb22, r1; v8min ra0, ra2.16b, r5
add r3, r3, r1; mul24 r1, ra2, rb28
add r0, r0, r3; mul24 ra0, ra0, rb28
xor ra5, r0, rb23; v8adds r2, r2, ra5; ldtmu0
ror ra0, r4, -8; v8adds rb3, r1, ra0.16b
ror r1, r0, -11; v8min ra21, ra13, ra13
xor ra1, r0, r1; v8subs r1, ra1, rb25
add ra2, ra29, rb1
xor r0, ra31, rb3; v8min ra28, r0, r0
ror r3, r0, 6; v8min r0, ra1.16b, r5
add r0, ra2, r2; mul24 ra2, r0, rb30
add ra1, r0, r3; mul24 r0, ra1, rb30
ror r1, r4, 8; v8adds ra15, r1, ra3
add r3, rb21, ra1
ror r0, r3, -14; v8adds r2, r0, ra2.16b
xor ra0, r3, r0; v8min r0, ra0, rb25
xor r2, ra28, r2; v8subs r1, r1, rb25
ror r2, r2, -10
and r0, ra5, rb0; v8adds ra13, r1, r0
add ra2, rb32, ra20
xor r0, rb23, r0; v8min r1, ra0.16b, r5
add r0, r2, r0; mul24 r2, ra0, rb28
add r0, ra1, r0
and r1, r3, ra31; mul24 ra1, r1, rb28; ldtmu0
sub ra9, ra9, -16; v8min rb21, r3, r3
and r2, r3, rb24; v8adds ra1, r2, ra1.16b
xor rb0, r0, ra28; v8subs ra0, rb24, r2
ror r2, r0, -11; v8min t0s, ra9, ra9
xor ra3, r0, r2; v8adds t0s, ra9, 4
xor r2, rb21, ra1
and r0, rb0, ra5; v8min ra29, r0, r0
ror r1, r2, 6; v8adds r2, r1, ra0
add r3, rb4, r2; v8min r2, ra3.16b, r5
xor rb4, ra28, r0; mul24 ra0, r2, rb30
add r3, r3, r1; mul24 r1, ra3, rb30
ror r1, r4, -8; v8adds r0, r1, ra0.16b
ror r2, r4, 8; v8min ra20, ra12, ra12
xor r0, ra29, r0; v8subs ra0, r2, rb25
and r2, ra7, rb25; v8min r1, r1, rb25; ldtmu0
ror r0, r0, -10; v8adds ra14, ra4, r2
add r1, rb22, r3; v8adds ra12, ra0, r1
ror r2, r1, -14; v8min rb22, r1, r1
xor ra0, r1, r2; v8adds t0s, ra9, 8
add ra2, rb24, ra2
add r0, r0, rb4; v8min r2, ra0.16b, r5
add r0, r3, r0; mul24 r3, ra0, rb28
and r2, r1, ra31; mul24 ra0, r2, rb28
and r1, r1, rb21; v8subs rb4, ra31, r2
ror r2, r0, -11; v8adds r3, r3, ra0.16b
xor r3, rb22, r3
xor ra0, r0, r2; v8adds t0s, ra9, 12
xor ra4, r0, ra29; v8adds r1, r1, rb4
ror r2, r3, 6; v8min r3, ra0.16b, r5
add r1, ra2, r1; mul24 ra2, r3, rb30
and r3, ra4, rb0
add r0, rb32, ra19; v8min ra30, r0, r0
add ra0, r1, r2; mul24 r1, ra0, rb30
ror r2, r4, 8; v8adds r1, r1, ra2.16b
add rb0, ra31, r0; v8subs ra2, r2, rb25
xor ra7, ra30, r1
add r1, rb23, ra0
ror r0, r1, -14; v8min r2, ra7.16b, r5
xor ra7, r1, r0; mul24 r0, ra7, rb29
xor r2, ra29, r3; mul24 ra3, r2, rb29
sub ra9, ra9, -16; v8min rb23, r1, r1
and r3, r1, rb21; v8adds r0, r0, ra3.16b
add r0, r0, r2; mul24 r2, ra7, rb28
and rb4, r1, rb22; v8min r1, ra7.16b, r5
add r0, ra0, r0; mul24 ra0, r1, rb28
xor rb13, r0, ra30; v8subs r3, rb21, r3
ror r2, r0, -11; v8adds ra0, r2, ra0.16b
and r1, rb13, ra4
xor ra4, r0, r2; v8adds r2, rb4, r3
xor r0, rb23, ra0; v8min rb24, r0, r0
add r2, rb0, r2
ror r3, r0, 6; v8min r0, ra4.16b, r5
xor rb0, ra30, r1; mul24 ra0, r0, rb30
add r3, r2, r3; mul24 r2, ra4, rb30
ror r0, r4, -8; v8adds r2, r2, ra0.16b
xor r2, rb24, r2; v8min ra19, ra11, ra11
add ra28, ra28, r3; v8min r0, r0, rb25
brr.alln -, :light
ror r2, r2, -10
add r0, r2, rb0; v8adds ra11, ra2, r0
add ra31, r3, r0
:blockend
add r0, rb18, ra30
or.setf -, ra8, ra8; v8min r1, rb24, rb24
add r2, rb16, ra28; v8min.ifnn rb18, r0, r0
add.ifnn rb20, rb20, ra31; v8min ra30, r0, r0
add r1, rb19, r1; v8min.ifnn rb16, r2, r2
add.ifnn ra26, ra26, rb22; v8min rb24, r1, r1
add.ifnn rb17, rb17, ra29; v8min ra28, r2, r2
add.ifnn ra27, ra27, rb23; v8min.ifnn rb19, r1, r1
or unif_addr, ra32, ra32; v8min r2, rb21, rb21
add r2, rb15, r2; v8min rb23, ra27, ra27
sub.setf ra8, ra8, 1; v8min.ifnn rb15, r2, r2
brr.anynn -, :heavy
sub.ifn ra9, ra9, rb31; v8min rb21, r2, r2
xor rb13, r1, r0; v8min ra31, rb20, rb20
or ra29, rb17, rb17; v8min rb22, ra26, ra26
