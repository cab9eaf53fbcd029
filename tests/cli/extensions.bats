#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# extensions: options that GNU's sha256sum does not have.

load ../support/common

only_ours

# --- --threads ----------------------------------------------------------------

@test "--threads: any number gives the same lines, verdicts and order" {
	local n
	files 30 noise
	echo 'junk' >>right
	sed '1~5s/^./x/; 3~7s/  /  no/' right >list
	sha256sum -cw list >expected 2>&1 || :
	sed -i '$d' right
	for n in 1 2 3 16; do
		sum --threads=$n noise f{1..30} >out 2>err
		same right out
		[ ! -s err ]
		sum --threads=$n -cw list >out 2>&1 && fail "a wrong list passes"
		same expected out
	done
}

# --- --device -----------------------------------------------------------------

@test "built without QPUs: --device and --version say so" {
	built_with qpu && skip "built with QPUs"
	local word
	for word in qpu qpu:mailbox emulator emulator:timed; do
		refused "^sha256sum: --device=$word: this program was built without QPUs\$" \
			--device=$word
	done
	sum --version | grep -q '^Built without:.*QPUs'
	refused "^Valid arguments are:\$" --device=gpu
	[ "$(grep -c -e qpu -e emulator err)" = 0 ]
}

# --- --list-devices -----------------------------------------------------------

@test "--device works with each device that --list-devices calls usable, and no other" {
	local device
	files 6
	sum --list-devices >list
	for device in auto cpu qpu emulator; do
		if [ $device = auto ] ||
			grep "^$device " list | grep -qv 'not usable'; then
			sum f1 --device $device f[2-6] >out 2>err
			same right out
			[ ! -s err ]
			sum -c --quiet --device=$device right >out
			[ ! -s out ]
		else
			refused "^sha256sum: --device=$device: ..*" \
				--device=$device f1
		fi
	done
}

@test "--list-devices shows what --benchmark has measured here" {
	local folder=$XDG_CACHE_HOME/qpu-sha256sum
	sum --list-devices >out
	grep -q '^cpu .* not measured yet' out
	# The clock runs so fast that one sample of each is enough, and the
	# limit leaves no memory for the emulator, which is left out.
	LIMIT=300 faulty 'clock:100 memory:2000000' --benchmark >/dev/null
	sum --list-devices >out
	grep -Eq '^cpu  *cpu .*; [0-9.]+ MB/s a thread, measured [0-9-]{10}$' out
	no_line_but '^[^ ]* [^ ]* [^ ]* 20[1-9].*$' "$folder/rates"
}

@test "--benchmark without memory reports that, and no wrong digest" {
	exits 1 faulty memory:100000 --benchmark
	struck memory
	[ ! -s out ]
	said '--benchmark: memory exhausted; the report is incomplete'
}

@test "numbers do not depend on the locale" {
	needs qpu
	command -v localedef >/dev/null || skip "no localedef"
	mkdir -p locales "$XDG_CACHE_HOME/qpu-sha256sum"
	printf '%s\n' LC_NUMERIC 'decimal_point ","' 'thousands_sep ""' \
		'grouping -1' 'END LC_NUMERIC' >comma
	localedef -c -i ./comma -f ANSI_X3.4-1968 locales/comma \
		>/dev/null 2>&1 || :
	export LOCPATH=$PWD/locales LC_NUMERIC=comma
	unset LC_ALL
	[ "$(env printf '%.1f' 1,5)" = 1,5 ] || skip "no such locale"
	export QPU_SHA256SUM_CPU=-all
	echo "$(uname -n) $(cut -d '' -f 1 /proc/device-tree/compatible \
		2>/dev/null || echo portable-x1)" \
		"$(sum --version | sed -n '1s/.* //p')" \
		"2026-01-02 cpu 1500000000" \
		>"$XDG_CACHE_HOME/qpu-sha256sum/rates"
	sum --list-devices >out
	grep -q '1500\.0 MB/s a thread, measured 2026-01-02' out
	printf 'x' >x
	sum --device=emulator:timed --stats x 2>err
	grep -q '[0-9]\.[0-9]' err
	if grep '[0-9],[0-9]' out err; then fail "a number has a comma"; fi
}

@test "the C library's messages are in the user's language, as with GNU" {
	export LC_ALL=C.UTF-8 LANGUAGE=de
	local word
	for word in nothere --nosuch; do
		sum "$word" 2>&1 | head -n 1 >err
		oracle "$word" 2>&1 | head -n 1 >expected
		[ -s expected ]
		same expected err
	done
}

# --- --files0-from ------------------------------------------------------------

@test "--files0-from: a file or standard input may hold many names, odd ones, or none" {
	local name
	for name in 'two words' $'new\nline' 'back\slash' "it's" $'\377' -b; do
		printf '%s' "$name" >"./$name"
	done
	find . -type f ! -name odd -print0 >odd
	sum --files0-from=odd >out
	xargs -0 sha256sum -- <odd >expected
	same expected out
	sum --files0-from=- </dev/null >out 2>err
	[ ! -s out ]
	[ ! -s err ]
	files 30
	printf '%s\0' f{1..30} | sum --files0-from=- >out
	same right out
	printf '%s\0' f{1..30} | head -c -1 |
		sum --files0-from=- >out
	same right out
	printf '%s\0' f{1..30} >names
	sum --files0-from names >out
	same right out
	sum --files0-from=/dev/stdin <names >out
	same right out
}

@test "--files0-from prints what GNU prints for the same names and options" {
	printf 'a' >a
	printf 'b' >$'b\nb'
	printf 'a\0b\nb\0' >names
	for option in -b -t -z --tag; do
		sum $option --files0-from=names >out
		oracle $option a $'b\nb' >expected
		same expected out
	done
}

# as_wc ARGUMENT...: messages and status are as wc's, which has the same option;
# only we print the hint
as_wc()
{
	local ours=0 theirs=0
	sum "$@" <names >out 2>err || ours=$?
	wc "$@" <names >/dev/null 2>err.wc || theirs=$?
	sed -i 's/^wc: /sha256sum: /' err.wc
	sed -i '/: names in a list for --files0-from end with /d' err
	same err.wc err
	[ "$ours" = "$theirs" ]
}

@test "--files0-from: the error messages are those of wc" {
	printf 'a' >a
	printf 'b' >b
	mkdir dir
	printf 'a\0\0b\0' >names
	as_wc --files0-from=names
	as_wc --files0-from=-
	as_wc --files0-from=nothere
	as_wc --files0-from='no such'
	as_wc --files0-from=
	as_wc --files0-from=dir
	printf '\0\0\0' >names
	as_wc --files0-from=names
	printf 'a\0-\0b\0' >names
	as_wc --files0-from=-
	printf 'a\0nothere\0b\0' >names
	as_wc --files0-from=-
	as_wc --files0-from=names
	printf '\0' >"it's"
	as_wc --files0-from="it's"
	printf 'a\n\0' >names
	as_wc --files0-from=names
	as_wc --files0-from=a --files0-from=names
}

@test "--files0-from: a list with one name a line gets one hint" {
	printf 'a\nb\n\0c\nd\n' >names
	hint='names in a list for --files0-from end with a NUL; for one name per line use: tr '
	exits 1 sum --files0-from=names
	[ ! -s out ]
	[ "$(wc -l <err)" = 3 ]
	[ "$(sed -n 2p err)" = "sha256sum: $hint'\\n' '\\0'" ]
	printf 'a\nb' >names
	exits 1 sum --files0-from=names
	[ "$(wc -l <err)" = 1 ]
}

@test "--files0-from with -c: an empty name is an error, and the other lists are checked" {
	printf 'a' >a
	digest_line a <a >l
	printf 'l\0\0l\0' | exits 1 sum -c --files0-from=- --unlisted
	printed 'a: OK' 'a: OK'
	said '-:2: invalid zero-length file name' \
		'--unlisted: not done, since not all lists could be read'
}

# --- --verify -----------------------------------------------------------------

@test "--verify changes no output while all digests are right" {
	needs openssl
	files 60 noise
	sum --verify noise f{1..60} >out 2>err
	same right out
	[ ! -s err ]
	sum --verify -c --quiet right >out 2>err
	[ ! -s out ]
	[ ! -s err ]
	digest_line - <noise >expected
	sum --verify - <noise >out
	same expected out
	cat noise | sum --verify >out
	same expected out
	sum --verify --threads=3 noise f{1..60} >out
	same right out
}

# Put another library in front of the real libcrypto, under each of its names.
foreign_libcrypto()	# foreign_libcrypto [FILE]
{
	local name
	[ -e "$WRONG_CRYPTO_LIBRARY" ] ||
		skip "tests/support/wrong-crypto.so is not built"
	mkdir lib
	for name in libcrypto.so.3 libcrypto.so.1.1 libcrypto.so; do
		cp "${1:-$WRONG_CRYPTO_LIBRARY}" lib/$name
	done
	export LD_LIBRARY_PATH=$PWD/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
}

@test "--verify: no digest is printed if libcrypto and the reference disagree" {
	needs openssl
	mkdir -p t/below
	printf 'a' >a
	printf 'b' >t/below/b
	foreign_libcrypto
	sum --verify -r a t >out 2>err
	[ "$(wc -l <out)" = 2 ]
	[ ! -s err ]
	WRONG_CRYPTO=digest exits 1 sum --verify -r a t
	[ ! -s out ]
	[ "$(wc -l <err)" = 2 ]
	grep -q '^sha256sum: a: internal error' err
	grep -q '^sha256sum: t/below/b: internal error' err
}

@test "--verify: a wrong digest of the engine is corrected and reported" {
	needs openssl
	head -c 1000000 /dev/urandom >big
	digest_line big <big >expected
	foreign_libcrypto
	export QPU_SHA256SUM_CPU=-all WRONG_CRYPTO=blocks
	sum big >out
	! cmp -s expected out || skip "this engine does not use libcrypto"
	exits 1 sum --verify big
	same expected out
	grep -q '^sha256sum: big: .*wrong digest' err
	exits 1 sum --verify -c expected
	[ "$(cat out)" = 'big: OK' ]
	grep -q '^sha256sum: big: .*wrong digest' err
	LIMIT=300 exits 1 faulty 'clock:100 memory:2000000' --benchmark
	said '--benchmark: an engine computed a wrong digest'
}

@test "--verify without libcrypto is refused" {
	printf 'a' >a
	: >empty
	foreign_libcrypto empty
	refused '^sha256sum: --verify: ' --verify a
}

@test "libcrypto is not loaded by a plain run" {
	printf 'a' >a
	LD_DEBUG=libs sum a >out 2>err
	if grep libcrypto err; then fail "libcrypto was loaded"; fi
}

# --- --uncached ---------------------------------------------------------------

@test "--uncached: a block device is read by its name" {
	local size device=
	is_ours || skip "GNU has no such option"
	# A loop device without a backing file is empty.
	for size in /sys/block/loop*/size; do
		device=/dev/$(basename "${size%/size}")
		if [ -r "$device" ] && [ "$(cat "$size")" = 0 ]; then break; fi
		device=
	done
	[ -n "$device" ] || skip "no empty block device can be read"
	sum "$device" >expected
	sum --uncached "$device" >out
	same expected out
}

@test "--uncached: files, trees, lists and standard input leave the page cache" {
	mkdir tree
	head -c 200000 /dev/urandom >tree/a
	sum -r tree >list
	local words
	for words in -r --device=cpu -c; do
		set -- tree
		[ $words != -c ] || set -- list
		[ $words != --device=cpu ] || set -- tree/a
		faulty clock:0 --uncached $words "$@" >out
		[ "$(grep -c '^dropped - 0$' faults)" = 2 ]
		[ $words = -c ] || same list out
	done
	[ "$(cat out)" = 'tree/a: OK' ]
	faulty clock:0 --uncached <tree/a >out
	[ "$(grep -c '^dropped - 0$' faults)" = 2 ]
	faulty clock:0 tree/a >out
	[ "$(grep -c '^dropped' faults || true)" = 0 ]
}

# --- --one-at-a-time ----------------------------------------------------------
# (Reading one file at a time from a rotating disk, without the option, is in
# tests/pipeline/test-storage.c.)

@test "--one-at-a-time: each line comes before the next file is opened" {
	mkfifo second
	printf '%s' 1 >first
	printf '%s' 2 >third
	mkfifo lines
	exec 8<>lines
	sum --one-at-a-time first second third nothere >lines 2>&1 8>&- &
	expect_line 8 "$(digest_line first <first)"
	rm third
	: >second
	expect_line 8 "$(digest_line second </dev/null)"
	expect_line 8 'sha256sum: third: No such file or directory'
	expect_line 8 'sha256sum: nothere: No such file or directory'
	wait $! || [ $? = 1 ]
	expect_nothing 8
}

@test "--one-at-a-time works with standard input, FIFOs, errors and --verify" {
	needs openssl
	printf 'a' >a
	mkfifo fifo
	head -c 300000 /dev/zero >fifo &
	printf 'in' | exits 1 sum --one-at-a-time --verify a - fifo nothere a
	{
		digest_line a <a
		printf 'in' | digest_line -
		head -c 300000 /dev/zero | digest_line fifo
		digest_line a <a
	} >expected
	same expected out
	said 'nothere: No such file or directory'
}

@test "the user's own files keep their access time, and those of others are read" {
	public_place
	printf 'a' >a
	touch -a -d 2000-01-01 a
	sum a >out
	[ "$(stat -c %X a)" = "$(date -d 2000-01-01 +%s)" ]
	as_user_sum a >got
	same out got
	sum /etc/passwd >out
}
