# SPDX-License-Identifier: MIT
# The programs of qpu/examples: no report of the validator, no finding of the
# checking emulator whatever the seed and the number of QPUs, the one host
# interrupt last of all, and the right results: checksums of what awk computed in
# its own way (commit 6f0ad2b, which bounds the errors of floats).

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

# leaves SUM NAME RUNS TAIL BYTES [OPTION]...: each of the runs leaves a file
# `out` of BYTES bytes with this checksum.
leaves() {
	local sum=$1 name=$2 runs=$3 tail=$4 bytes=$5 run
	shift 5
	for run in $runs; do
		blank out "$bytes"
		launch "$name" "$run" "$tail" "$@"
		[ "$(cksum <out)" = "$sum $bytes" ] || {
			echo "$name $run: $(cksum <out)"
			return 1
		}
	done
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

@test "heat: the documented run" {
	documented heat
	[ "$(cksum <heat.out)" = "1481065461 2048" ]
	[ "$(signed_words heat.out | sed -n '18p;34p')" = "44217
20174" ]
}

# shellcheck disable=SC2154 # each call sets the number of pairs of steps
heat_uniforms() {
	echo ".int $pairs, 0x40020000, 0x40030000"
}

@test "heat: the same plate on any number of QPUs" {
	assemble heat
	noise 512 9 100 | sed 's/^/.int /' | qpuasm -o in -
	options=(heat_uniforms 2048 --mem in@0x40020000 --mem out@0x40030000:rw)
	pairs=0 leaves 1290452271 heat "2:2 12:1" "${options[@]}"
	pairs=1 leaves 3643520752 heat "2:2 12:1" "${options[@]}"
	pairs=9 leaves 4084764323 heat "$(runs 2 5)" "${options[@]}"
}

@test "matrix: the documented run" {
	documented matrix
	for j in {0..15}; do echo $((1360 * (j + 1))); done >expected
	for j in {0..15}; do echo $((7 * (3 + 10 * j))); done >>expected
	floats matrix.c | diff expected -
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
