#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# lists: a part of the files (--part), lists in many directories
# (--relative-to-list), lists that were written with -z (--check-zero), reasons for
# failures (--why), single names of a list (--only), and names that are longer than the
# system takes.

load ../support/common

only_ours

# A tree t of 60 files, and its list.
plant()
{
	local i
	mkdir -p t/d
	for i in {1..30}; do
		printf '%s' "$i" | tee "t/$i" >"t/d/$i"
	done
	sum -r t >list
}

# --- --part -------------------------------------------------------------------

@test "--part: N parts have each file once, however it is named" {
	local k
	plant
	for k in 1 2 3; do
		sum -r --part=$k/3 t >"p$k"
		[ -s "p$k" ]
		grep -Fxf "p$k" list | cmp - "p$k"
		# Operands, names in a list, and other spellings.
		sum --part=$k/3 t/{?,??} t/d/{?,??} | sort >got
		sort "p$k" >right
		same right got
		(cd t && find d -type f -print0 |
			sum --files0-from=- --part $k/3 | cut -c 67- | sort) >got
		(cd t && find ./d -type f -print0 |
			sum --files0-from=- --part=$k/3 | cut -c 69- | sort) >right
		same right got
	done
	sort p1 p2 p3 >got
	sort list >right
	same right got
}

@test "--part: a file stays in its part when others come or go" {
	plant
	sum -r --part=2/5 t >before
	printf 'x' | tee t/0 t/new t/d/000 >/dev/null
	rm t/1 t/d/30
	sum -r --part=2/5 t >after
	grep -v -e ' t/0$' -e ' t/new$' -e ' t/d/000$' after >got
	grep -v -e ' t/1$' -e ' t/d/30$' before >right
	same right got
}

@test "--part with -c: each line is checked once, and damage is found" {
	local k status failed=0
	plant
	for k in {1..7}; do
		sum -c --part="$k/7" list
	done >out
	sort out >got
	sed 's/.*  //; s/$/: OK/' list | sort >right
	same right got
	printf 'damage' >t/d/7
	for k in {1..7}; do
		status=0
		sum -c --quiet --part="$k/7" list >>damage 2>err || status=$?
		failed=$((failed + status))
	done
	[ "$(cat damage)" = 't/d/7: FAILED' ]
	[ $failed = 1 ]
}

@test "--part: a part without files is no failure, a list without lines is" {
	sum /dev/null >list
	for k in 1 2; do
		sum -c --part=$k/2 list
		sum -c --ignore-missing --part=$k/2 list
	done >out 2>err
	[ "$(sort -u out)" = '/dev/null: OK' ]
	[ ! -s err ]
	refused ': no properly formatted checksum lines found$' -c --part=1/2 /dev/null
	printf '%064d  gone\n' 0 >list
	for k in 1 2; do
		sum -c --ignore-missing --part=$k/2 list || echo "status $?"
	done >out 2>err
	[ "$(cat out)" = 'status 1' ]
	said 'list: no file was verified'
}

@test "--part with --unlisted: files of other parts are listed" {
	plant
	sum -c --part=1/4 --unlisted=t --quiet list
	printf 'x' >t/new
	exits 1 sum -c --part=1/4 --unlisted=t --quiet list
	printed 't/new: NOT LISTED'
}

@test "--part: the recipe for a part each night checks all of the list" {
	local commands day
	plant
	mv list t/SHA256SUMS
	(cd t && sed -i 's|  t/|  |' SHA256SUMS)
	commands=$(sed -n 's/\\-/-/g; s/\\(aq/'"'"'/g; /^qpu-sha256sum .*--part=/p' \
		"$TOP/man/qpu-sha256sum-lists.7")
	[ -n "$commands" ]
	cd t
	for day in {1..30}; do
		command_at "$day" "$commands"
	done >../out
	sort ../out >../got
	sed 's/.*  //; s/$/: OK/' SHA256SUMS | sort >../right
	same ../right ../got
}

# command_at DAY COMMANDS: run them without --quiet, at noon of that day
command_at()
{
	local commands=${2/ --quiet/}
	eval "date() { echo $(($1 * 86400 + 43200)); }; ${commands/qpu-sha256sum/sum}"
}

@test "--part: what is no part is refused" {
	local word
	for word in '' / 1 1/ /2 0/2 3/2 1/0 -1/2 +1/2 ' 1/2' 1/2x 1/2/3 0x1/2 \
		1/4294967296 18446744073709551617/2; do
		refused "^sha256sum: invalid --part argument '.*'$" --part="$word"
	done
	refused '^sha256sum: the --part option is not supported with --update$' \
		--part=1/2 --update=list x
}

# --- --relative-to-list -------------------------------------------------------

@test "--relative-to-list: many lists, each beside its files, in one run" {
	local d
	mkdir -p a/b 'c d'
	for d in a a/b 'c d' .; do
		printf '%s' "$d" >"$d/x"
		printf '%s' "$d" >"$d/with blank"
		(cd "$d" && sum x with* "$PWD/x" >SHA256SUMS)
	done
	find . -name SHA256SUMS -print0 | sort -z |
		sum -c --relative-to-list --files0-from=- >out
	quoted {./,./a/,./a/b/,'./c d/'}{x,'with blank'} \
		"$PWD"/{x,a/x,a/b/x,'c d/x'} | sed 's/$/: OK/' | sort >right
	sort out >got
	same right got
	printf 'damage' >a/b/x
	rm 'c d/x'
	exits 1 sum -c --quiet --relative-to-list {.,a,a/b,'c d'}/SHA256SUMS
	grep -qx 'a/b/x: FAILED' out
	grep -qx "'c d/x': FAILED open or read" out
	exits 1 sum -c --json --relative-to-list a/b/SHA256SUMS
	grep -qF '"name":"a/b/x","list":"a/b/SHA256SUMS","line":1,"verdict":"FAILED"' out
}

@test "--relative-to-list: with --unlisted, and with what has no directory" {
	mkdir -p a/b
	printf '1' | tee a/1 a/b/2 >/dev/null
	(cd a && sum 1 >L)
	(cd a/b && sum ./2 >L)
	sum -c --quiet --relative-to-list --unlisted=a a/L a/b/L
	printf 'x' >a/b/new
	exits 1 sum -c --quiet --relative-to-list --unlisted=a a/L a/b/L
	printed 'a/b/new: NOT LISTED'
	# Standard input, as a list and as a file, does not depend on the directory.
	(cd a && sum -c --relative-to-list - <L)
	printf '1' | sum - >a/S
	printf '1' | sum -c --relative-to-list a/S
	(cd a && sum -c --relative-to-list L)
	refused 'the --relative-to-list option is meaningful only when verifying' \
		--relative-to-list a/1
}

# --- --check-zero -------------------------------------------------------------

# Files named after each byte that a name may have, and names that look like parts of
# a line of a list.
odd_files()
{
	local code
	odd=('two  blanks' ' *x' '#x' '\\n' $'\r' $'cr\r' $'nl\n' $'\nnl'
		$'a\nb' 'x)' 'SHA256 (x) = y' 'a = b')
	for ((code = 1; code < 256; code++)); do
		printf -v name '\\%03o' "$code"
		printf -v name %b "$name"
		case $name in
		/ | .) ;;
		*) odd+=("$name") ;;
		esac
	done
	for name in "${odd[@]}"; do
		printf '%s' "$name." >"./$name"
	done
}

@test "--check-zero: all names there are, in all styles of -z" {
	local style
	odd_files
	for style in '' -b --tag; do
		# shellcheck disable=SC2086 # without a style, no word
		oracle -z $style -- "${odd[@]}" >../list
		sum --check-zero --strict -w ../list >../out 2>../err
		[ ! -s ../err ]
		[ "$(grep -c ': OK$' ../out)" = ${#odd[@]} ]
		sum --check-zero --quiet <../list >../out
		[ ! -s ../out ]
	done
}

@test "--check-zero: status, verdicts and messages are those of -c, with each of its modifiers" {
	local option list status
	local -A mode=([plain]=-c [zero]=--check-zero)
	odd_files
	{ sum -z -- "${odd[@]}"; printf 'junk\0%064d  gone\0' 0; } >../zero
	{ sum -- "${odd[@]}"; printf 'junk\n%064d  gone\n' 0; } >../plain
	printf 'other' >"${odd[0]}"
	rm "./${odd[1]}"
	for option in --check -w --quiet --status --strict --ignore-missing; do
		for list in plain zero; do
			status=0
			sum "${mode[$list]}" $option <../$list \
				>../$list.out 2>../$list.err || status=$?
			echo $status >>../$list.out
		done
		same ../plain.out ../zero.out
		same ../plain.err ../zero.err
	done
}

# --- --why and --only -----------------------------------------------------------

@test "--why: an edit, damage, another name's digest, and what is not known" {
	mkdir t
	printf '1' >t/1
	printf '2' >t/2
	printf '3' >t/3
	printf '4' >t/4
	touch -d '2001-01-01 UTC' t/*
	sum -r --update=list t >out
	printf '%s  t/5\n' "$(printf 5 | oracle | cut -c -64)" >>list
	printf 'x' >t/1
	touch -d '2001-01-01 UTC' t/1
	printf 'x' >t/2
	touch -d '2000-01-01 UTC' t/2
	cp t/4 t/3
	printf 'x' >t/5
	exits 1 sum -c --quiet --why list
	printed 't/1: FAILED' 't/2: FAILED' 't/3: FAILED' 't/5: FAILED'
	said 't/1: damaged: it has the size and the time with which it was hashed' \
		't/2: edited: it was modified at 2000-01-01 00:00:00 UTC, and hashed as of 2001-01-01 00:00:00 UTC' \
		't/3: has the digest of t/4' \
		"t/5: not known whether edited or damaged: the list's index has no row of it" \
		'WARNING: 4 computed checksums did NOT match'
	exits 1 sum -c --json --why list
	grep -o '"cause":"[a-z]*"\(,"from":"[^"]*"\)\?' out >got
	printf '"cause":%s\n' '"damaged"' '"edited"' '"moved","from":"t/4"' \
		'"unknown"' >right
	same right got
	# A list on a pipe, and one without an index.
	exits 1 sum -c --quiet --why <list
	[ "$(grep -c 'the list has no index$' err)" = 4 ]
	rm list.index
	exits 1 sum -c --quiet --why list
	[ "$(grep -c 'the list has no index$' err)" = 3 ]
}

@test "--why: with --check-zero, --part, --relative-to-list and several lists" {
	mkdir a b
	printf '1' >a/1
	printf '2' >b/2
	touch -d '2001-01-01 UTC' a/1 b/2
	(cd a && sum --update=L 1)
	(cd b && sum -z --update=L 2) >out
	printf '2' >a/1
	touch -d '2001-01-01 UTC' a/1
	printf 'x' >b/2
	touch -d '2001-01-01 UTC' b/2
	exits 1 sum -c --quiet --why --relative-to-list a/L
	grep -qx 'sha256sum: a/1: damaged: .*' err
	exits 1 sum --check-zero --quiet --why --relative-to-list --part=1/1 b/L
	grep -qx 'sha256sum: b/2: damaged: .*' err
	(cd b && printf 2 >./2 && rm L* && sum --update=L 2) >out
	exits 1 sum -c --quiet --why --relative-to-list a/L b/L
	grep -qx 'sha256sum: a/1: has the digest of b/2' err
}

@test "--only: this name and no other; one that no list has is an error" {
	printf '1' | tee x.tgz x.tgz.sbom.json >y
	sum x.tgz x.tgz.sbom.json y >list
	exits 0 sum -c --only=x.tgz list
	printed 'x.tgz: OK'
	said
	rm y
	exits 0 sum -c --only=./x.tgz --only=x.tgz.sbom.json list --strict
	printed 'x.tgz: OK' 'x.tgz.sbom.json: OK'
	exits 1 sum -c --only=x.tgz --only=x list
	printed 'x.tgz: OK'
	said 'x: no list names it'
	exits 1 sum -c --json --only=x list
	grep -qxF '{"name":"x","error":"no list names it"}' out
	sed 's/^../00/' list >other
	exits 1 sum -c --only=x.tgz list other
	grep -qx 'sha256sum: x.tgz: the lists have two digests for it' err
	exits 1 sum -c --only=y list
	printed 'y: FAILED open or read'
}

# --- Longer names -------------------------------------------------------------

@test "a list of names that are longer than the system takes can be checked" {
	local name deep i
	printf -v name '%0200d' 0
	for i in {1..30}; do
		deep=${deep-}$name/
		mkdir "$name"
		cd -P "$name"
		printf '%s' "$i" >f
	done
	cd "$BATS_TEST_TMPDIR"
	sum -r "$name" >list
	[ "$(wc -l <list)" = 30 ]
	[ "$(wc -L <list)" -gt 6000 ]
	sum -c --quiet list
	sum -r --update=updated "$name" >out
	same list updated
	sum -r --update=updated "$name" >out
	printed
	sed "s|  |  $PWD/|" list >absolute
	sum -c --quiet absolute
	sum "${deep}f" >out
	[ "$(cut -c -64 out)" = "$(printf 30 | oracle | cut -c -64)" ]
	# A missing file is reported as by GNU's program, and damage is found.
	sed 's/f$/g/' list >gone
	exits 1 sum -c gone
	grep -q 'g: File name too long$' err
	sed 's/^.\{8\}/00000000/' list >wrong
	exits 1 sum -c --quiet wrong
	[ "$(grep -c ': FAILED$' out)" = 30 ]
	rm -rf "$name"
}
