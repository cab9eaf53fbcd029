#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# unlisted: -c --unlisted reports the regular files below a directory that no
# list names, and nothing else.

load ../support/common

only_ours

# A tree t with a list of it in list; then run: STATUS OPTION...
plant()
{
	mkdir -p t/d/e
	for name in a b d/c d/e/f 'd/two words' $'d/new\nline'; do
		printf '%s' "$name" >"t/$name"
	done
	(cd t && sum -r . >../list)
}

in_t()		# in_t COMMAND ARGUMENT...
{
	(cd t && "$@")
}

run_in_t()	# run_in_t STATUS ARGUMENT...
{
	exits "$1" in_t sum -c "${@:2}"
}

found()		# found NAME...: these are not listed, in this order
{
	grep ': NOT LISTED$' out >got || :
	: >expected
	[ $# = 0 ] || printf '%s: NOT LISTED\n' "$@" >expected
	same expected got
}

warned()	# warned TEXT: the last line of stderr
{
	[ "$(tail -n 1 err)" = "sha256sum: WARNING: $1" ]
}

@test "a tree that is as its list says" {
	plant
	run_in_t 0 ../list --unlisted
	[ ! -s err ]
	[ "$(grep -c ': OK$' out)" = 6 ]
	found
}

@test "new files are reported, sorted, after the verdicts" {
	plant
	printf 'x' | tee t/zz t/d/A t/d/e/x >t/0
	run_in_t 1 ../list --unlisted
	found ./0 ./d/A ./d/e/x ./zz
	[ "$(tail -n 4 out)" = "$(cat expected)" ]
	warned '4 files are not listed'
	rm t/0 t/zz t/d/e/x
	run_in_t 1 --unlisted ../list
	found ./d/A
	warned '1 file is not listed'
}

@test "names with ./ and // are the same" {
	plant
	(cd t && sum ./a .//b d//c ././d/./e/f d/two* d/new* >../list)
	run_in_t 0 --unlisted ../list
	run_in_t 0 --unlisted=.//. ../list
	sum -r t >list
	sum -c --quiet --unlisted=t/ list
	sum -c --quiet --unlisted=./t list
}

@test "DIR: only what is below it counts, spelled as in the list" {
	plant
	printf 'x' | tee t/new >t/d/new
	run_in_t 1 --unlisted=d ../list
	found d/new
	sum t/a >list
	run_in_t 1 --unlisted=d/e ../list
}

@test "several DIRs: a file that no list names is reported in each of them" {
	local order
	mkdir a b c
	printf '1' >a/1
	printf '2' >b/2
	sum -r a b >list
	printf 'x' | tee a/new b/new >c/new
	for order in 'a b' 'b a'; do
		# shellcheck disable=SC2086
		set -- $order
		exits 1 sum -c --quiet --unlisted="$1" --unlisted="$2" list
		printf '%s/new: NOT LISTED\n' "$@" >expected
		same expected out
		warned '2 files are not listed'
	done
	rm a/new
	# One that cannot be walked, and one that no list knows: all others are.
	exits 1 sum -c --quiet --unlisted={none,c,a,b} list
	[ "$(cat out)" = 'b/new: NOT LISTED' ]
	sed 's/, and those .*//' err >got
	printf 'sha256sum: %s\n' 'none: No such file or directory' \
		'--unlisted: no list names anything below c; names in lists are like a/1' \
		'WARNING: 1 file is not listed' >expected
	same expected got
	exits 1 sum -c --status --unlisted=a --unlisted=none list
	rm b/new
	sum -c --unlisted=a --unlisted=b list
}

@test "DIRs are counted: what cannot be done is said" {
	local dirs
	plant
	printf -v dirs -- '--unlisted=d%d ' {1..33}
	# shellcheck disable=SC2086
	refused '^sha256sum: --unlisted is given more than 32 times$' \
		-c $dirs list
}

@test "DIR spelled otherwise than the names in the lists: one message" {
	plant
	run_in_t 1 --unlisted="$PWD/t" --quiet ../list
	[ ! -s out ]
	said "--unlisted: no list names anything below $(quoted "$PWD/t"); names in lists are like ./a, and those of files like $(quoted "$PWD/t/a")"
	run_in_t 1 --unlisted="$PWD/t" --quiet --json ../list
	[ "$(head -n 1 out)" = '{"name":"'"$PWD"'/t","error":"no list names anything below this directory"}' ]
	mkdir empty
	run_in_t 0 --unlisted=../empty ../list
}

@test "a file with the digest of a missing name was moved from there" {
	plant
	printf 'copy' >t/copy
	(cd t && sum -r . >../list)
	mv t/b t/d/moved
	cp t/d/moved t/$'\033'
	: >t/empty
	mv t/d/c t/new
	printf 'x' >>t/new
	cp t/copy t/d/copy
	printf '%s  ./gone\n' "$(oracle </dev/null | cut -c 1-64)" >>list
	run_in_t 1 --unlisted --quiet ../list
	tail -n 5 out >got
	cat >expected <<-'END'
	'./'$'\033': MOVED from ./b
	./d/copy: NOT LISTED
	./d/moved: MOVED from ./b
	./empty: NOT LISTED
	./new: NOT LISTED
	END
	same expected got
	warned '3 files are not listed'
	grep -qxF 'sha256sum: WARNING: 2 files were moved' err
	run_in_t 1 --unlisted --quiet --stats ../list
	[ "$(tail -n 1 err)" = 'sha256sum: stats: entries: 8, ok: 5, failed: 0, missing: 3, unreadable: 0, ignored: 0, malformed: 0, unlisted: 3, moved: 2' ]
}

@test "several lists count together, and not themselves" {
	plant
	(cd t && sum a b >L1 && sum -r d >d/L2)
	run_in_t 0 --unlisted L1 d/L2
	run_in_t 1 --unlisted L1
	[ "$(grep -c NOT out)" = 5 ]
	(cd t && sum -c --unlisted - d/L2 <L1 >../out)
	ln t/L1 t/hard
	run_in_t 0 --unlisted L1 d/L2
}

@test "the file of standard output does not count" {
	plant
	(cd t && sum -c --unlisted ../list >out)
	rm t/out
	(cd t && sum -c --unlisted ../list >>d/log)
}

@test "--quiet, --status and --json" {
	plant
	printf 'x' >t/new
	ln -s a t/link
	run_in_t 1 --quiet --unlisted ../list
	[ "$(cat out)" = './new: NOT LISTED' ]
	said 'WARNING: 1 file is not listed'
	run_in_t 1 --status --unlisted ../list
	[ ! -s out ]
	[ ! -s err ]
	run_in_t 1 --json --quiet --unlisted ../list
	[ "$(head -n 1 out)" = '{"name":"./new","verdict":"UNLISTED"}' ]
	warned '1 file is not listed'
}

@test "links and special files are noted, not reported" {
	plant
	ln -s a t/link
	mkfifo t/fifo
	run_in_t 0 --unlisted ../list
	found
	said './fifo: skipped: not a regular file' \
		'.: skipped: 1 symbolic link'
}

@test "changed, missing, new, moved, unreadable, hostile: one command" {
	public_place
	mkdir -p t/many
	(cd t/many && seq 200 | xargs touch)
	plant
	printf 'changed' >t/a
	rm t/b
	printf 'x' >t/d/new
	mv t/d/c t/d/moved
	chmod 0 t/d/e/f
	printf 'x' >t/$'\033[2K'
	chmod 755 t
	chmod 644 list
	exits 1 in_t as_user_sum -c --unlisted ../list
	grep -qx './a: FAILED' out
	grep -qx './b: FAILED open or read' out
	grep -qx './d/c: FAILED open or read' out
	grep -qx './d/e/f: FAILED open or read' out
	grep -qx './d/moved: MOVED from ./d/c' out
	[ "$(grep -c ': OK$' out)" = 202 ]
	found "'./'\$'\\033''[2K'" ./d/new
	grep -qx 'sha256sum: ./d/e/f: Permission denied' err
	[ "$(cat out err | tr -d '[:print:]\n' | wc -c)" = 0 ]
}

@test "DIR that is none, or may not be read: an error before the verdicts" {
	plant
	run_in_t 1 --unlisted=a ../list
	said 'a: Not a directory'
	run_in_t 1 --unlisted=nothere ../list
	said 'nothere: No such file or directory'
	[ "$(grep -c ': OK$' out)" = 6 ]
	run_in_t 1 --unlisted= ../list
	said "'': No such file or directory"
	run_in_t 1 --json --quiet --unlisted=a ../list
	[ "$(head -n 1 out)" = '{"name":"a","error":"Not a directory"}' ]
}

@test "a directory below that may not be read is an error" {
	public_place
	plant
	mkdir t/closed
	chmod 0 t/closed
	chmod 755 t
	exits 1 in_t as_user_sum -c --quiet --unlisted ../list
	said './closed: Permission denied'
}

@test "what a list that is not read would list is not known" {
	plant
	printf 'x' >t/new
	run_in_t 1 --unlisted nothere ../list
	found
	[ "$(tail -n 1 err)" = 'sha256sum: --unlisted: not done, since not all lists could be read' ]
	run_in_t 1 --unlisted . ../list
	found
	[ "$(tail -n 1 err)" = 'sha256sum: --unlisted: not done, since not all lists could be read; for a directory use --unlisted=DIR' ]
}

@test "a malformed line lists nothing" {
	plant
	sed 's/^.*  \.\/a$/x&/' list >bad
	run_in_t 1 --unlisted ../bad
	found ./a
}

@test "what --update keeps beside a list does not count" {
	mkdir tree
	echo 1 >tree/1
	sum -r tree >tree/sums
	touch tree/sums~ tree/sums.part tree/sums.index
	sum -c --quiet --unlisted=tree tree/sums
	touch tree/other~
	exits 1 sum -c --quiet --unlisted=tree tree/sums
	[ "$(cat out)" = 'tree/other~: NOT LISTED' ]
}
