# SPDX-License-Identifier: MIT
# The programs of qpu/examples: no report of the validator, no finding of the
# checking emulator whatever the seed and the number of QPUs, the one host
# interrupt last of all, and the right results, which awk, the shell or C
# compute here in their own way.

load ../support/common

CODE=0x40000000

# runs MIDDLE MIDDLE: numbers of QPUs and seeds, as N:SEED; one QPU, as many as
# there are, and two numbers between
runs() {
	echo "1:traced $1:1 $2:2 12:1 12:traced 12:timed"
}

setup() {
	PATH="$BUILD:$PATH"
	enter_scratch
	ln -s "$TOP/qpu" qpu
}

# The commands in the head of an example, run as they stand there.
documented() {
	sed -n 's/^#	[$>][ 	]//p' "qpu/examples/$1.m4" >"$1.sh"
	[ -s "$1.sh" ]
	run bash -e -o pipefail "$1.sh"
	[ "$status" -eq 0 ]
}

assemble() {
	m4 -s -I qpu/examples "qpu/examples/$1.m4" >"$1.qasm"
	run qpuasm -o "$1.bin" --lines="$1.map" --list="$1.list" "$1.qasm"
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	qpudis --check "$1.bin" 2>report >dis
	[ ! -s report ]
}

# ends_well QPUS: in the trace each QPU ends once, one raises the host
# interrupt once, the others have only their end left then, and each
# semaphore is 0 again.
ends_well() {
	awk -v qpus="$1" '
		/ mov irq, / {
			irqs++
			raised_by = $2
		}
		irqs && $2 != raised_by && !/ (nop|thrend)  / { bad = 1 }
		/ thrend  / { ends[$2]++ }
		/ srel -, / { level[$6]++ }
		/ sacq -, / { level[$6]-- }
		END {
			for (q in ends) {
				n++
				bad += ends[q] != 1
			}
			for (s in level)
				bad += level[s] != 0
			exit bad || irqs != 1 || n != qpus
		}' trace
}

# launch NAME N:SEED TAIL [OPTION]...: TAIL prints the uniforms of QPU $1 that
# follow the two that all programs have.  The seed may be a word.
launch() {
	local name=$1 n=${2%:*} seed=${2#*:} tail=$3 q list='' options=()
	shift 3
	for ((q = 0; q < n; q++)); do
		echo ".int $q, $n"
		$tail "$q"
		echo '.align 256'
	done | qpuasm -o unif -
	for ((q = 0; q < n; q++)); do
		list+=,$(printf %x $((0x40010000 + 256 * q)))
	done
	options+=(--mem unif@0x40010000)
	case $seed in
	timed) options+=(--timed --trace trace) ;;
	traced) options+=(--seed 3 --trace trace) ;;
	*) options+=(--seed "$seed") ;;
	esac
	qpurun --check --max-instructions 20000000 \
		--code "$name.bin@$CODE" --lines="$name.map" "${options[@]}" \
		--uniforms "${list#,}" "$@" >/dev/null 2>err
	[ ! -s err ]
	[[ $seed != t* ]] || ends_well "$n"
}

# A result file of N bytes that holds none of the results.
blank() {
	head -c "$2" /dev/zero | tr '\0' '\252' >"$1"
}

# Words and floats of a file, one a line.
words() {
	od -An -v -w4 -tu4 "$1" | tr -d ' '
}
signed_words() {
	od -An -v -w4 -td4 "$1" | tr -d ' '
}
floats() {
	od -An -v -w4 -tf4 "$1" | tr -d ' '
}

# noise N SEED SCALE: numbers k * SCALE, k = -32768..32767, by a generator
# whose values a double holds.
noise() {
	awk -v n="$1" -v x="$2" -v scale="$3" 'BEGIN {
		while (n-- > 0) {
			x = (x * 69069 + 1) % 4294967296
			printf "%.17g\n", (int(x / 65536) - 32768) * scale
		}
	}'
}

@test "hello: the documented run answers 0x1298 in 16 lanes" {
	documented hello
	[ "$(words hello.out | sort | uniq -c | tr -s ' ')" = " 16 4760" ]
	[ $((0x1234 + 100)) -eq 4760 ]
}

hello_uniforms() {
	echo ".int $((4000000000 * ($1 + 1) % 4294967296))"
	echo ".int $((0x40020000 + 64 * $1))"
}

@test "hello: QPUs add each their own number, modulo 2^32" {
	assemble hello
	for run in $(runs 2 7); do
		n=${run%:*}
		for ((q = 0; q < n; q++)); do
			for _ in {0..15}; do
				echo $(((0x1234 + 4000000000 * (q + 1)) %
					4294967296))
			done
		done >expected
		blank out $((64 * n))
		launch hello "$run" hello_uniforms --mem out@0x40020000:rw
		words out | diff expected -
	done
}

@test "debug: the documented run shows the second step" {
	documented debug
	signed_words debug.log | head -n 16 >log
	for i in {0..15}; do
		echo $((i == 0 ? 10 : i == 1 ? 21 : i == 2 ? 33 : 4 * i + 34))
	done | diff - log
}

debug_uniforms() {
	echo ".int $wanted, $((0x40030000 + 128 * $1))"
	echo ".int $((10 * $1)), $((0x40020000 + 64 * $1))"
}

# Sums of as many lanes as there are in reach, for the QPU's start.
prefix_sums() {
	awk -v start="$1" -v reach="$2" 'BEGIN {
		for (i = 0; i < 16; i++) {
			sum = 0
			for (k = i; k >= 0 && k > i - reach; k--)
				sum += start + k
			print sum
		}
	}'
}

@test "debug: each checkpoint logs register and place, none runs to the end" {
	assemble debug
	grep 'brr.allz ra30, r:debug_exit' debug.list >branches
	[ "$(wc -l <branches)" -eq 5 ]
	for at in 0:12 1:1 2:3 3:12 4:3 5:12; do
		wanted=${at%:*} n=${at#*:}
		blank out $((64 * n))
		blank log $((128 * n))
		cp out old.out
		cp log old.log
		launch debug "$n:traced" debug_uniforms \
			--mem out@0x40020000:rw --mem log@0x40030000:rw
		if [ "$wanted" -eq 0 ]; then
			for ((q = 0; q < n; q++)); do
				prefix_sums $((10 * q)) 16
			done >expected
			words out | diff expected -
			cmp log old.log
			continue
		fi
		cmp out old.out
		# The next address after branch and delay slots
		place=$((CODE + 32 + 0x$(sed -n "${wanted}p" branches |
					 cut -d ' ' -f 1)))
		for ((q = 0; q < n; q++)); do
			prefix_sums $((10 * q)) $((1 << (wanted - 1)))
			for _ in {0..15}; do
				echo $place
			done
		done >expected
		words log | diff expected -
	done
}

@test "gcd: the documented run" {
	documented gcd
	[ "$(words gcd.out | xargs)" = "12 17 8 9 0 1 6 7 21 21 6 1 4 25 5 2" ]
}

gcd_uniforms() {
	echo ".int 3, 0x40020000, 0x40030000"
}

@test "gcd: unsigned pairs, against Euclid" {
	local u v r
	assemble gcd
	RANDOM=4711
	for ((i = 0; i < 48; i++)); do
		case $i in
		0) u=4294967295 v=1 ;;
		1) u=2147483648 v=4294967295 ;;
		2) u=2147483648 v=2147483648 ;;
		3) u=0 v=4294967295 ;;
		4) u=4294967295 v=0 ;;
		5) u=2971215073 v=1836311903 ;;	# Fibonacci
		6) u=0 v=0 ;;
		*) r=$((RANDOM % 4096))
		   u=$(((RANDOM << 5 | RANDOM & 31) * r))
		   v=$(((RANDOM << 5 | RANDOM & 31) * r)) ;;
		esac
		((u < 4294967296 && v < 4294967296))
		us[i]=$u
		vs[i]=$v
		while ((v)); do
			r=$((u % v)) u=$v v=$r
		done
		echo $u
	done >expected
	for block in 0 16 32; do
		printf '.int %u\n' "${us[@]:block:16}" "${vs[@]:block:16}"
	done | qpuasm -o in -
	for run in $(runs 2 5); do
		blank out 192
		launch gcd "$run" gcd_uniforms --mem in@0x40020000 \
			--mem out@0x40030000:rw
		words out | diff expected -
	done
}

@test "rotate: the documented quarter turn" {
	documented rotate
	for i in {0..15}; do echo $((-100 - i)); done >expected
	for i in {0..15}; do echo "$i"; done >>expected
	for i in {0..15}; do echo $((200 + i)); done >>expected
	floats rotate.out | diff expected -
}

rotate_uniforms() {
	echo ".int 5, 0x40020000, 0x40030000"
	sed 's/^/.float /' matrix
}

# rotate_check BOUND: out is matrix times in, with errors of at most BOUND times
# the sum of the magnitudes of what was added up.
rotate_check() {
	paste <(floats in) <(floats out) | awk -v bound="$1" '
		BEGIN {
			for (k = 0; (getline m[k] <"matrix") > 0; k++)
				continue
		}
		{ x[NR - 1] = $1; y[NR - 1] = $2 }
		END {
			for (i = 0; i < NR; i++) {
				first = i - i % 48 + i % 16
				row = int(i % 48 / 16)
				sum = size = 0
				for (k = 0; k < 3; k++) {
					p = m[3 * row + k] * x[first + 16 * k]
					sum += p
					size += p < 0 ? -p : p
				}
				error = y[i] - sum
				if (error < 0)
					error = -error
				if (error > bound * size || NR != 240)
					exit 1
			}
		}'
}

@test "rotate: whole numbers exactly, others within the stated bound" {
	assemble rotate
	printf '%s\n' 3 -2 7 0 1 -5 11 4 -6 >matrix.whole
	noise 240 5 1 | sed 's/^/.float /' | qpuasm -o in.whole -
	# 0.7 about an axis that is none of the three
	awk 'BEGIN {
		c = cos(0.7); s = sin(0.7); t = 1 - c
		x = 2 / 7; y = 3 / 7; z = 6 / 7
		printf "%.9g\n%.9g\n%.9g\n", t*x*x+c, t*x*y-s*z, t*x*z+s*y
		printf "%.9g\n%.9g\n%.9g\n", t*x*y+s*z, t*y*y+c, t*y*z-s*x
		printf "%.9g\n%.9g\n%.9g\n", t*x*z-s*y, t*y*z+s*x, t*z*z+c
	}' | sed 's/^/.float /' | qpuasm -o matrix.bits -
	floats matrix.bits | head -n 9 >matrix.real
	noise 240 6 0.0078125 | sed 's/^/.float /' | qpuasm -o in.real -
	for kind in whole real; do
		cp matrix.$kind matrix
		cp in.$kind in
		for run in $(runs 2 4); do
			blank out 960
			launch rotate "$run" rotate_uniforms \
				--mem in@0x40020000 --mem out@0x40030000:rw
			# 4 / 2^23
			bound=$([ $kind = real ] && echo 4.76837158203125e-7 ||
				echo 0)
			rotate_check "$bound"
		done
	done
	run rotate_check 1e-9
	[ "$status" -ne 0 ]
}

heat_steps() {
	signed_words in | awk -v steps="$1" '
		function quotient(x) {
			return x < 0 ? -int((7 - x) / 8) : int(x / 8)
		}
		{ t[NR - 1] = $1 }
		END {
			while (steps-- > 0) {
				for (i = 0; i < NR; i++) {
					n[i] = t[i]
					if (i < 16 || i >= NR - 16 ||
					    i % 16 == 0 || i % 16 == 15)
						continue
					flow = t[i - 1] + t[i + 1]
					flow += t[i - 16] + t[i + 16]
					n[i] += quotient(flow - 4 * t[i])
				}
				for (i = 0; i < NR; i++)
					t[i] = n[i]
			}
			for (i = 0; i < NR; i++)
				printf "%d\n", t[i]
		}'
}

@test "heat: the documented run" {
	documented heat
	cp heat.in in
	heat_steps 20 >expected
	signed_words heat.out | diff expected -
	[ "$(signed_words heat.out | sed -n '18p;34p')" = "44217
20174" ]
}

heat_uniforms() {
	echo ".int $pairs, 0x40020000, 0x40030000"
}

@test "heat: the same plate on any number of QPUs" {
	assemble heat
	noise 512 9 100 | sed 's/^/.int /' | qpuasm -o in -
	for pairs in 0 1 9; do
		heat_steps $((2 * pairs)) >expected
		for run in $([ $pairs = 9 ] && runs 2 5 || echo 2:2 12:1); do
			blank out 2048
			launch heat "$run" heat_uniforms \
				--mem in@0x40020000 --mem out@0x40030000:rw
			signed_words out | diff expected -
		done
	done
}

# matrix_check BOUND: as rotate_check, of a, b and c.
matrix_check() {
	paste <(floats a) <(floats c) | awk -v bound="$1" '
		BEGIN {
			for (k = 0; (getline b[k] <"b.text") > 0; k++)
				continue
		}
		{ a[NR - 1] = $1; c[NR - 1] = $2 }
		END {
			for (i = 0; i < NR; i++) {
				sum = size = 0
				for (k = 0; k < 16; k++) {
					p = a[i - i % 16 + k]
					p *= b[16 * k + i % 16]
					sum += p
					size += p < 0 ? -p : p
				}
				error = c[i] - sum
				if (error < 0)
					error = -error
				if (error > bound * size || NR != 320)
					exit 1
			}
		}'
}

matrix_uniforms() {
	echo ".int 20, 0x40020000, 0x40030000, 0x40040000"
}

@test "matrix: the documented run" {
	documented matrix
	for j in {0..15}; do echo $((1360 * (j + 1))); done >expected
	for j in {0..15}; do echo $((7 * (3 + 10 * j))); done >>expected
	floats matrix.c | diff expected -
}

@test "matrix: whole numbers exactly, others within the stated bound" {
	assemble matrix
	noise 320 10 1 | awk '{ print ".float " $1 % 500 }' |
		qpuasm -o a.whole -
	noise 256 11 1 | awk '{ print ".float " $1 % 500 }' |
		qpuasm -o b.whole -
	noise 320 12 0.0009765625 | sed 's/^/.float /' | qpuasm -o a.real -
	noise 256 13 0.0009765625 | sed 's/^/.float /' | qpuasm -o b.real -
	for kind in whole real; do
		cp a.$kind a
		cp b.$kind b
		floats b >b.text
		for run in $(runs 2 3); do
			blank c 1280
			launch matrix "$run" matrix_uniforms \
				--mem a@0x40020000 --mem b@0x40030000 \
				--mem c@0x40040000:rw
			# 18 / 2^23
			bound=$([ $kind = real ] && echo 2.1457672119140625e-6 ||
				echo 0)
			matrix_check "$bound"
		done
	done
	run matrix_check 1e-9
	[ "$status" -ne 0 ]
}

@test "fft: the documented tone is 256 at 5" {
	documented fft
	floats fft.out | awk '
		$1 > 1e-4 || $1 < -1e-4 {
			n++
			good = NR == 6 && $1 > 255.999 && $1 < 256.001
		}
		END { exit !(good && n == 1) }'
}

fft_uniforms() {
	echo ".int 0x40020000, 0x40030000, 0x40040000"
}

# fft_error: the rms error of the file out against the transform of the file in,
# by its definition and in doubles, relative to the rms of the transform
fft_error() {
	paste <(floats in) <(floats out) | awk '
		{ x[NR - 1] = $1; y[NR - 1] = $2 }
		END {
			for (i = 0; i < 256; i++) {
				c[i] = cos(atan2(0, -1) * i / 128)
				s[i] = sin(atan2(0, -1) * i / 128)
			}
			for (k = 0; k < 256; k++) {
				re = im = 0
				for (n = 0; n < 256; n++) {
					i = k * n % 256
					re += x[n] * c[i] + x[256 + n] * s[i]
					im += x[256 + n] * c[i] - x[n] * s[i]
				}
				error += (y[k] - re) ^ 2 + (y[256 + k] - im) ^ 2
				power += re ^ 2 + im ^ 2
			}
			printf "%.3e\n", sqrt(error / power)
		}'
}

@test "fft: noise, against the definition in doubles; any number of QPUs" {
	documented fft	# makes the table
	assemble fft
	noise 512 21 0.000030517578125 | sed 's/^/.float /' | qpuasm -o in -
	for run in $(runs 2 3); do
		blank out 2048
		launch fft "$run" fft_uniforms --mem fft.table@0x40020000 \
			--mem in@0x40030000 --mem out@0x40040000:rw
		[ -e first ] || cp out first
		cmp out first
	done
	fft_error >error
	echo "# relative rms error of the FFT (modelled): $(cat error)" >&3
	# What the head of the example states, rounded up
	awk '{ exit !($1 > 0 && $1 < 4e-7) }' error
}
