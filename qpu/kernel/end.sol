# slot, unit, place and sources of each operation; made by qpusched
end 13 25
10 add - 18 10
12 mul - 47 47
6 add acc 11 11
7 add acc 19 49
9 mul - 50 50
8 mul - 50 50
4 add acc 20 12
5 mul - 53 53
10 mul - 53 53
3 add - 21 13
7 mul - 56 56
5 add acc 22 14
11 mul - 58 58
6 mul - 58 58
9 add - 23 15
12 add - 61 61
0 add - 24 16
2 mul - 63 63
1 mul acc 17 17
2 add acc 25 65
4 mul - 66 66
3 mul - 66 66
11 add - 50 53
8 add - 45 1
1 add - 0 0
