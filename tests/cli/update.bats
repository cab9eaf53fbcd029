#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# update: --update=LIST writes a list anew, so that none is lost.  What LIST names
# and what is still there is not read.

load ../support/common

setup()
{
	is_ours || skip "GNU has no such option"
	enter_scratch
	mkdir -p t/d
	printf 'a' >t/a
	printf 'b' >t/b
	printf 'c' >t/d/c
	cd t
}

teardown()
{
	leave_public_place
}

# update STATUS ARGUMENT...: in out and err
update()
{
	local expected=$1 status=0
	shift
	sum "$@" >../out 2>../err || status=$?
	[ "$status" = "$expected" ] || fail "status $status: $(cat ../err)"
}

said()		# said [LINE]: all that is on standard error
{
	[ $# = 0 ] || printf 'sha256sum: %s\n' "$1" >../expected
	[ $# != 0 ] || : >../expected
	same ../expected ../err
}

changes()	# changes [LINE...]: all that is on standard output
{
	[ $# = 0 ] || printf '%s\n' "$@" >../expected
	[ $# != 0 ] || : >../expected
	same ../expected ../out
}

list_is()	# list_is ARGUMENT...: the list is what the program prints with these
{
	sum "$@" >../expected
	same ../expected ../list
}

# refused LINE ARGUMENT...: status 1, only this message, and the list as it was
refused()
{
	local line=$1
	shift
	[ ! -e ../list ] || cp ../list ../before
	update 1 "$@"
	[ ! -s ../out ] || fail "$(cat ../out)"
	said "$line"
	[ ! -e ../list ] || same ../before ../list
}

until_partial()	# until_partial NAME: the update that was started has hashed it
{
	until grep -q "  $1\$" ../list.part 2>/dev/null; do
		kill -0 $! || fail "it ended: $(cat ../err)"
	done
}

# --- What is in the new list ------------------------------------------------------

@test "-r: new files are added, vanished ones dropped, and all are sorted" {
	sum -r . >../list
	rm b d/c
	printf 'x' | tee new d/new 'two words' >/dev/null
	update 0 -r --update=../list
	said
	list_is -r .
	rm new
	update 0 -r --update=../list --quiet --stats .
	changes './new: DROPPED'
	grep -qx 'sha256sum: stats: files: 0, failed: 0, bytes: 0' ../err
	grep -qx 'sha256sum: stats: kept: 3, dropped: 1' ../err
}

@test "what the list has is neither read nor changed" {
	touch d/{1..300}
	sum -r . | tac >../list
	sort -k 2 ../list >../right
	printf 'changed' >a
	touch -d 2100-01-01 ../list
	update 0 -r --update=../list .
	changes
	said
	same ../right ../list
}

@test "names: files are added to a list, in the order of all names" {
	sum a d/c >../list
	update 0 --update=../list ./a b
	list_is a b d/c
	sum a d/c >../list
	printf 'b\0a\0' | sum --files0-from=- --update=../list
	same ../expected ../list
	: >../list
	update 0 --update=../list d/c b a b ./b d/.//c
	same ../expected ../list
}

@test "all forms of lists are read; what is written has one form" {
	printf 'x' >$'new\nline'
	sum -b a >../list
	sum --tag b >>../list
	printf '# comment\n\n' >>../list
	update 0 -r --update=../list .
	sum a b d/c $'new\nline' >../expected
	sed 's|  \(d/c\)|  ./\1|; s|new\\nline|./&|' ../expected |
		LC_ALL=C sort -k 2 >../sorted
	LC_ALL=C sort -k 2 ../list >../got
	same ../sorted ../got
	update 0 -r --tag --update=../list .
	[ "$(grep -c '^\\\?SHA256 (' ../list)" = 4 ]
	sum -z a $'new\nline' >../list
	cp ../list ../zeros
	update 0 -z --update=../list a
	same ../zeros ../list
}

@test "names that are links or directories now are dropped by -r" {
	ln -s a link
	sum a b d/c link >../list
	cp ../list ../before
	rm b
	mkdir b
	update 0 -r --update=../list
	changes 'b: DROPPED' 'link: DROPPED'
	cp ../before ../list
	update 0 --update=../list a
	changes 'b: DROPPED'
	list_is a d/c link
}

@test "a list of which nothing would be left is refused: a disk that is not mounted" {
	mkdir u
	printf 'u' | tee u/file d/other >/dev/null
	sum -r d >../list
	sum -r d u >../both
	mv d off
	mkdir d
	refused "../list: none of its 2 names, such as 'd/c', is a file here; the list is not updated" \
		-r --update=../list d
	refused '../both: none of its 2 names below d is a file; the list is not updated' \
		-r --update=../both d u
	rmdir d
	mv off d
	cd d
	sum "--update=../../list" -r . 2>../err && fail 'no error'
	grep -q "none of its 2 names, such as 'd/c', is a file here" ../err
}

@test "a list whose names begin elsewhere than the files is refused" {
	sum -r d >../list
	refused "../list: none of its names, such as 'd/c', is below what is to be walked; the list is not updated" \
		-r --update=../list "$PWD/d"
	mkdir y
	echo 2 >y/2
	refused "../list: none of its names, such as 'd/c', is below what is to be walked; the list is not updated" \
		-r --update=../list y
	sum -r "$PWD/d" >../list
	refused "../list: none of its names, such as '$PWD/d/c', is below what is to be walked; the list is not updated" \
		-r --update=../list .
	sum -r d >../list
	# A tree is added beside one that the list has.
	update 0 -r --update=../list d y
	list_is -r d y
}

@test "a list that cannot be understood is refused" {
	sum a b >../list
	printf 'MD5 (b) = 92eb5ffee6ae2fec3ad71c777531578f\n' >>../list
	refused '../list: 3: improperly formatted SHA256 checksum line; the list is not updated' \
		-r --update=../list
	sum a b | sed '1p; s/^../00/; s/^00/11/' >../list
	refused 'a has two digests; the list is not updated' --update=../list d/c
	sum a b | sed '1h; $G; s/^../00/' >../list
	refused 'a has two digests; the list is not updated' --update=../list d/c
	sum a b | sed '1p; 1s/^../00/; 1s|  |  .//|' >../list
	refused './/a has two digests; the list is not updated' \
		-r --update=../list
	sum a >../list
	sum --update=../list b >>../list 2>../err && fail "no error"
	said '../list: the list is standard output'
	[ "$(wc -l <../list)" = 1 ]
}

@test "a new file that cannot be read: status 1, the others are there" {
	sum a >../list
	update 1 --update=../list b nothere
	changes 'b: NEW'
	list_is a b
	said 'nothere: No such file or directory'
}

@test "memory that runs short never makes a list that looks complete" {
	local calls status
	sum a b d/c >../whole
	for calls in {0..60..4}; do
		sum a >../list
		status=0
		faulty "calls:$calls" --update=../list b d/c \
			>../out 2>../err || status=$?
		[ $status = 1 ] || same ../whole ../list
		grep -q '  a$' ../list
		! grep -vxFf ../whole ../list || fail "$calls"
		rm -f ../list.part
	done
}

# --- The list on the disk ---------------------------------------------------------

# stopped_by SIGNAL: an update that had hashed a and b when the signal came
stopped_by()
{
	local status=0
	mkfifo slow
	env --default-signal=INT,TERM \
		bash -c 'exec -a sha256sum "$0" "$@"' \
		"$PROGRAM" --update=../list a b slow \
		>../out 2>../err 3>&- &
	until_partial b
	kill "-$1" $!
	wait $! || status=$?
	[ "$status" -gt 128 ]
	rm slow
}

@test "the old list stays beside the new one, which has its mode" {
	sum a b >../list
	chmod 640 ../list
	cp ../list ../before
	update 0 -r --update=../list .
	said
	changes './d/c: NEW'
	same ../before ../list~
	[ "$(stat -c %a ../list)" = 640 ]
	[ ! -e ../list.part ]
	[ ! -e ../list.new ]
}

@test "a list is made where there is none, but no empty one" {
	update 1 -r --update=../list --quiet ../nothing
	[ ! -e ../list ]
	mkdir ../empty
	refused '../list: there is no file to list; the list is not updated' \
		-r --update=../list ../empty
	[ ! -e ../list ]
	[ ! -e ../list.part ]
	umask 0
	update 0 -r --update=../list .
	list_is -r .
	[ "$(stat -c %a ../list)" = 666 ]
}

@test "a list in the tree names none of its own files" {
	local name
	for name in new newer newest; do
		echo $name >$name
		update 0 -r --update=SHA256SUMS
	done
	[ -e SHA256SUMS~ ]
	[ "$(sed 's/.*  //' SHA256SUMS | tr '\n' ' ')" = \
		'./a ./b ./d/c ./new ./newer ./newest ' ]
}

@test "after SIGINT, SIGTERM and SIGKILL: what was hashed is not lost" {
	local signal victim=b
	for signal in INT TERM KILL; do
		[ $victim = b ] && victim=a || victim=b
		sum d/c >../list
		cp ../list ../before
		stopped_by "$signal"
		same ../before ../list
		# Proof that the next one does not read a, or b.
		faulty "read:$victim:1:eio" --update=../list a b \
			>../out 2>../err
		sum a b d/c >../expected
		same ../expected ../list
		[ ! -e ../list.part ]
	done
}

@test "what was modified after it was hashed is hashed again" {
	sum d/c >../list
	stopped_by KILL
	printf 'other' >a
	update 0 --update=../list a b
	list_is a b d/c
}

@test "a partial list that was cut or damaged does no harm" {
	sum d/c >../list
	stopped_by KILL
	printf 'x%.0s' {1..70} >>../list.part
	update 0 --update=../list a b
	list_is a b d/c
	sum d/c >../list
	head -c 5000 /dev/urandom >../list.part
	update 0 --update=../list a b
	same ../expected ../list
}

@test "of two updates of a list the second one says so" {
	mkfifo slow
	sum d/c >../list
	sum --update=../list a slow 3>&- &
	until_partial a
	update 1 --update=../list b
	said '../list: another update of this list is running'
	echo >slow
	wait $!
	grep -q '  slow$' ../list
}

@test "a list that another program has changed meanwhile is left alone" {
	mkfifo slow
	sum d/c >../list
	sum --update=../list a slow 2>../err 3>&- &
	until_partial a
	sum b >>../list
	cp ../list ../changed
	echo >slow
	wait $! && fail "no error"
	said '../list: the list was changed by another program meanwhile, and is not updated'
	same ../changed ../list
	update 0 --update=../list a
	sum a b d/c >../expected
	grep -v ' slow$' ../list >../kept
	same ../expected ../kept
}

@test "links lead to the list; what is no file is refused" {
	mkdir ../real
	sum d/c >../real/sums
	ln -s real/sums ../list
	update 0 --update=../list a
	[ -L ../list ]
	sum a d/c >../expected
	same ../expected ../real/sums
	[ -e ../real/sums~ ]
	rm ../list
	mkfifo ../list
	update 1 --update=../list a
	said '../list: is not a regular file, and cannot be updated in place'
	rm ../list
	ln -s nowhere ../list
	update 1 --update=../list a
	said '../list: No such file or directory'
	update 1 --update=- a
	said '--update: standard input cannot be updated'
	update 1 --update=/dev/stdout a
}

@test "where nothing can be written: the list stays as it is" {
	sum d/c >../list
	cp ../list ../before
	# The largest size of a file stands for a disk that is full.
	( trap '' XFSZ; ulimit -f 0
	  sum --update=../list a b ) 2>&1 | cat >../err
	[ "${PIPESTATUS[0]}" = 1 ]
	said '../list.part: File too large'
	same ../before ../list
	public_place
	sum /dev/null >list
	cp list before
	: >err
	chmod 555 .
	as_user_sum --update=list /dev/null before 2>err &&
		fail "no error"
	grep -qx 'sha256sum: list.part: Permission denied' err
	same before list
}

# --- What has changed -----------------------------------------------------------

@test "tells what is new, gone, moved and copied" {
	mkdir keep
	printf 'one' >keep/1
	printf 'two' >keep/2
	: >keep/empty
	update 0 -r --update=../list
	changes './a: NEW' './b: NEW' './d/c: NEW' './keep/1: NEW' \
		'./keep/2: NEW' './keep/empty: NEW'
	mv keep/1 'd/moved it'
	cp keep/2 d/copied
	rm b keep/empty
	: >d/empty
	printf 'new' >e
	update 0 -r --update=../list
	changes './d/copied: COPY of ./keep/2' './d/empty: NEW' \
		"'./d/moved it': MOVED from ./keep/1" './e: NEW' \
		'./b: DROPPED' './keep/empty: DROPPED'
	update 0 -r --update=../list
	[ ! -s ../out ]
	rm e
	printf 'newer' >f
	update 0 -r --update=../list --quiet
	changes './e: DROPPED'
	rm f
	cp a z
	update 0 -r --update=../list --json
	jq_free='{"name":"./z","change":"copy","from":"./a"}'
	[ "$(head -n 1 ../out)" = "$jq_free" ]
	[ "$(sed -n 2p ../out)" = '{"name":"./f","change":"dropped"}' ]
}

@test "a directory that was moved is one line; what differs in it is damaged" {
	local i
	mkdir -p old/sub
	for i in {1..5}; do
		printf '%s' "$i" >"old/$i"
		printf 's%s' "$i" >"old/sub/$i"
	done
	: >old/empty
	sum -r . >../list
	mv old new
	update 0 -r --update=../list
	changes 'new: MOVED from old'
	mv new newer
	printf 'X' >newer/sub/3
	update 1 -r --update=../list
	changes 'newer: MOVED from new' \
		'./newer/sub/3: DIFFERS from ./new/sub/3'
	# The list has its old digest: each check tells the damage.
	update 1 -c --quiet ../list
	changes './newer/sub/3: FAILED'
	# Something is left: the files have moved, the directory has not.
	mkdir other
	mv newer/1 newer/2 other/
	update 0 -r --update=../list
	changes './other/1: MOVED from ./newer/1' \
		'./other/2: MOVED from ./newer/2'
}

@test "--by-time: an edit is accepted, damage is not" {
	sum a b d/c >../list
	touch -d '2001-01-01' b
	touch -d '2001-01-02' ../list
	touch -d '2001-01-01' a d/c
	printf 'edited' >a
	printf 'damaged' >b
	touch -d '2001-01-01' b
	# Without it the list would be newer than an edit that it does not have.
	update 1 -r --update=../list .
	grep -q "list: 1 of its files, such as 'a', was modified after it" ../err
	[ ! -s ../out ]
	update 1 -c --by-time ../list
	changes 'a: FAILED' 'b: FAILED' 'd/c: OK'
	grep -qx 'sha256sum: a: edited: it was modified after the list' ../err
	grep -qx 'sha256sum: b: damaged: it was not modified after the list' \
		../err
	sum -c --by-time --json ../list 2>/dev/null |
		grep -o '"cause":"[a-z]*"' >../out
	changes '"cause":"edited"' '"cause":"damaged"'
	update 0 -r --update=../list --by-time .
	changes 'a: EDITED'
	update 1 -c --by-time ../list
	changes 'a: OK' 'b: FAILED' 'd/c: OK'
	grep -q 'b: damaged' ../err
	# A file that was only touched has not changed.
	touch d/c
	update 0 -r --update=../list --by-time .
	[ ! -s ../out ]
}
