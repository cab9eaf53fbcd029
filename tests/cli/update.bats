#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# update: --update=LIST brings a list up to date.  What is as it was hashed is not
# read, no digest is lost unless --prune asks for it, and LIST is replaced as a
# whole.  What happens to files and disks meanwhile is in accidents.bats.

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
	age
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

# Let all files have been modified some time ago, each at its own time.
age()
{
	local name n=0
	while IFS= read -r -d '' name; do
		n=$((n + 1))
		touch -d "@$((978307200 + n)).5" "$name"
	done < <(find . -type f -print0 | LC_ALL=C sort -z)
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

@test "new files are added, gone ones stay and are told, and all are sorted" {
	sum -r . >../list
	update 0 -r --update=../list
	rm b d/c
	printf 'x' | tee new d/new 'two words' >/dev/null
	cp ../list ../gone
	update 0 -r --update=../list
	changes './d/new: NEW' './new: NEW' "'./two words': NEW" \
		'./b: MISSING' './d/c: MISSING'
	said '../list: 2 of its names are missing; --prune drops the names of files that are gone'
	{ sum -r .; grep -e '/b$' -e '/c$' ../gone; } | LC_ALL=C sort -k 2 >../expected
	same ../expected ../list
	update 0 -r --update=../list --quiet --stats .
	changes
	grep -qx 'sha256sum: stats: kept: 4, missing: 2, dropped: 0' ../err
	update 0 -r --update=../list --prune=all --stats .
	changes './b: DROPPED' './d/c: DROPPED'
	grep -qx 'sha256sum: stats: kept: 4, missing: 0, dropped: 2' ../err
	list_is -r .
}

@test "what is as it was hashed is not read, and what was not hashed is" {
	touch -d '2001-01-01 12:00' d/{1..300}
	update 0 -r --update=../list
	cp ../list ../right
	# Damage that leaves size and time as they were is found by checks only.
	touch -r a ../time
	printf 'X' >a
	touch -r ../time a
	update 0 -r --update=../list
	changes
	said
	same ../right ../list
	printf 'Y' >a
	update 0 -r --update=../list
	changes './a: EDITED'
	rm ../list.index
	update 0 -r --update=../list
	changes
	printf 'Z' >a
	update 0 -r --update=../list
	changes './a: EDITED'
}

@test "names: files are added to a list, in the order of all names" {
	sum a d/c >../list
	update 0 --update=../list ./a b
	list_is a b d/c
	sum a d/c >../list
	printf 'b\0a\0' | sum --files0-from=- --update=../list
	same ../expected ../list
	: >../list
	rm -f ../list~ ../list.index
	update 0 --update=../list d/c b a b ./b d/.//c
	list_is a b d/c
}

@test "names: of the others nothing is said, and they are not looked at" {
	update 0 -r --update=../list
	rm b
	printf 'edited' >d/c
	update 0 --update=../list ./a
	changes
	update 0 -r --update=../list d
	changes './d/c: EDITED'
	update 0 --update=../list b
	changes './b: MISSING'
	update 1 --update=../list nothere
	said 'nothere: No such file or directory'
	update 1 --update=../list d
	said 'd: Is a directory'
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
	printf '\xef\xbb\xbf' >../list
	sum a b d/c >>../list
	update 0 --update=../list b
	list_is a b d/c
}

@test "a list with NULs is refused without -z, and the reverse; -c says so" {
	sum -z a b >../list
	refused '../list: 1: its lines end with NUL; add --zero; the list is not updated' \
		--update=../list a
	update 1 -c ../list
	said '../list: its lines end with NUL; check it with --check-zero'
	update 0 --check-zero ../list
	sum a b >../list
	refused '../list: its lines do not end with NUL; omit --zero; the list is not updated' \
		-z --update=../list a
}

@test "a list that begins with the mark of UTF-8 is checked as a whole" {
	printf '\xef\xbb\xbf' >../list
	sum a b >>../list
	update 0 -c --strict ../list
	changes 'a: OK' 'b: OK'
	printf 'X' >a
	update 1 -c ../list
	changes 'a: FAILED' 'b: OK'
}

@test "names that are links or directories now are missing for -r" {
	ln -s a link
	sum a b d/c link >../list
	rm b
	mkdir b
	update 0 -r --update=../list
	changes 'b: MISSING' 'link: MISSING'
	update 0 --update=../list a link
	changes
	mv d real
	ln -s real d
	update 0 -r --update=../list
	changes './real/c: MOVED from d/c' 'b: MISSING' 'link: MISSING'
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
	printf 'a' | update 1 --update=../list -
	said '-: Invalid argument'
}

@test "a new file that cannot be read: status 1, the others are there" {
	sum a >../list
	update 1 --update=../list b nothere
	changes 'b: NEW'
	list_is a b
	said 'nothere: No such file or directory'
}

@test "a file that changes while it is read is hashed again at the end" {
	sum a >../list
	for _ in 1 2; do
		head -c 300000 /dev/zero >big
		export FAULTS_COMMAND="printf x >>big"
		faulty read:big:1:run --update=../list big b >../out 2>../err
		struck run
		list_is a b big
		rm ../list
		sum a >../list
	done
	# One that goes on changing keeps its old line.
	cp ../list ../before
	FAULTS_COMMAND="touch big"
	faulty read:big:1:runs --update=../list big >../out 2>../err &&
		fail "no error"
	said 'big: file changed while it was read'
	same ../before ../list
}

@test "memory that runs short never makes a list that looks complete" {
	local calls status
	sum a b d/c >../whole
	for calls in {0..80..4}; do
		sum a >../list
		status=0
		faulty "calls:$calls" --update=../list b d/c \
			>../out 2>../err || status=$?
		[ $status = 1 ] || same ../whole ../list
		grep -q '  a$' ../list
		! grep -vxFf ../whole ../list || fail "$calls"
		rm -f ../list.part ../list.index
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
	[ "$(stat -c %a ../list ../list.index ../list~ | sort -u)" = 640 ]
	[ "$(cd ..; echo list*)" = 'list list.index list~' ]
}

@test "an update that changes no line touches neither the list nor the old one" {
	local before
	update 0 -r --update=../list
	printf 'new' >new
	update 0 -r --update=../list
	before=$(stat -c '%i %z' ../list ../list~)
	touch a
	cp ../list.index ../index
	update 0 -r --update=../list
	[ "$(stat -c '%i %z' ../list ../list~)" = "$before" ]
	if cmp -s ../index ../list.index; then fail "the row is as it was"; fi
	age
	update 0 -r --update=../list
	before=$(stat -c '%i %z' ../list.index)
	update 0 -r --update=../list
	[ "$(stat -c '%i %z' ../list.index)" = "$before" ]
}

@test "a list is made where there is none, but no empty one" {
	update 1 -r --update=../list --quiet ../nothing
	[ ! -e ../list ]
	mkdir ../empty
	refused '../list: there is no file to list; the list is not updated' \
		-r --update=../list ../empty
	[ "$(cd ..; echo list*)" = 'list*' ]
	umask 0
	update 0 -r --update=../list --prune .
	list_is -r .
	[ "$(stat -c %a ../list)" = 666 ]
}

@test "all files of a private list are private from the first byte" {
	mkfifo slow
	sum d/c >../list
	chmod 400 ../list
	umask 0
	sum --update=../list a slow 3>&- &
	until_partial a
	[ "$(stat -c %a ../list.part)" = 600 ]
	echo >slow
	wait $!
	[ "$(stat -c %a ../list ../list.index | sort -u)" = 400 ]
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
	update 0 --update=SHA256SUMS SHA256SUMS SHA256SUMS.index
	said 'SHA256SUMS: skipped: it is the list, or kept beside it
sha256sum: SHA256SUMS.index: skipped: it is the list, or kept beside it'
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
			>../out 2>../err || fail "$signal: $(cat ../err)"
		list_is a b d/c
		[ ! -e ../list.part ]
	done
}

@test "a file that took the place of one that an interrupted update hashed is hashed" {
	sum d/c >../list
	stopped_by KILL
	printf 'o' >other
	touch -r a other
	mv other a
	update 0 --update=../list a b
	list_is a b d/c
	sum d/c >../list
	stopped_by KILL
	# Size and mtime are as before; only the ctime differs.
	touch -r b time
	printf 'o' >b
	touch -r time b
	update 0 --update=../list a b
	list_is a b d/c
}

@test "a partial list that was cut or damaged does no harm" {
	local bytes
	sum d/c >../list
	stopped_by KILL
	cp ../list.part ../whole
	for bytes in 0 1 20 48 49 50 100 200 "$(wc -c <../whole)"; do
		head -c "$bytes" ../whole >../list.part
		sum d/c >../list
		update 0 --update=../list a b
		list_is a b d/c
		[ ! -e ../list.part ]
	done
	sum d/c >../list
	head -c 5000 /dev/zero >../list.part
	update 0 --update=../list a b
	same ../expected ../list
	sum d/c >../list
	{ cat ../whole; printf 'x%.0s' {1..70}; } >../list.part
	update 0 --update=../list a b
	same ../expected ../list
}

@test "a file of another program, or a link, is not taken for one beside the list" {
	local name
	sum a >../list
	for name in list.part list.index; do
		head -c 5000 /dev/urandom >../$name
		cp ../$name ../foreign
		refused "../$name: is another program's file; move it away" \
			--update=../list b
		same ../foreign ../$name
		rm ../$name
	done
	for name in list~ list.index list.part; do
		rm -f ../list.part
		cp a ../target
		ln -s target ../$name
		update 1 --update=../list b
		grep -q "^sha256sum: ../$name: is " ../err
		[ -L ../$name ]
		same a ../target
		rm ../$name
	done
}

@test "temporary files that a kill left are removed, and no walk lists them" {
	sum ./a >list
	mkfifo slow
	bash -c 'exec "$0" --update=list ./b slow' "$PROGRAM" 3>&- &
	until [ -s list.part ]; do kill -0 $!; done
	touch list.part.new list.part.old
	kill -KILL $!
	wait $! || :
	rm -f slow
	update 1 -c --unlisted --quiet list
	changes './b: NOT LISTED' './d/c: NOT LISTED'
	update 0 -r --update=list .
	[ "$(echo list*)" = 'list list.index list~' ]
	changes './b: NEW' './d/c: NEW'
}

@test "temporary files without LIST.part are others': nothing is updated, they stay" {
	sum a >../list
	for name in list.part.new list.part.old
	do
		printf 'mine' >../$name
		update 1 --update=../list a b
		said "../$name: is another program's file; move it away"
		[ "$(cat ../$name)" = mine ]
		[ ! -e ../list.part ]
		rm ../$name
	done
}

@test "temporary files are removed even if a crash took the rows of LIST.part" {
	sum a >../list
	for length in 0 5 60
	do
		truncate -s $length ../list.part
		printf 'half' >../list.part.new
		ln ../list ../list.part.old
		update 0 --update=../list a b
		list_is a b
		[ "$(cd ..; echo list*)" = 'list list.index list~' ]
	done
}

@test "a kill between the link to the old list and the rename: the next one completes" {
	sum d/c >../list
	stopped_by KILL
	ln ../list ../list.part.old
	ln ../list ../list~
	update 0 --update=../list a b
	list_is a b d/c
	[ "$(cd ..; echo list*)" = 'list list.index list~' ]
}

@test "a file system without locks, links and modes: notes, and the same list" {
	sum d/c >../list
	chmod 640 ../list
	cp ../list ../before
	faulty plain --update=../list a b >../out 2>../err
	struck plain
	said '../list: it cannot be locked here: let no other update run
sha256sum: ../list: its owner, group and mode cannot be kept'
	list_is a b d/c
	same ../before ../list~
}

@test "where locks do not count, the beginning of another update's list is not taken" {
	sum d/c >../list
	cp ../list ../before
	# After the first one has written its list, and compares it with the old one.
	FAULTS_COMMAND='rm ../list.part.new; echo half >../list.part.new'
	export FAULTS_COMMAND
	faulty 'plain read:list:3:run' --update=../list a b \
		>../out 2>../err && fail "no error"
	struck run
	tail -n 1 ../err >../said
	echo 'sha256sum: ../list: another update of this list is running' \
		>../expected
	same ../expected ../said
	same ../before ../list
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
	[ -e ../real/sums.index ]
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
	update 1 --update=/proc/self/fd/1 a
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
	age
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
		'./b: MISSING' './keep/empty: MISSING'
	update 0 -r --update=../list --prune
	changes './b: DROPPED' './keep/empty: DROPPED'
	update 0 -r --update=../list
	[ ! -s ../out ]
	rm e
	printf 'newer' >f
	update 0 -r --update=../list --quiet
	changes
	said '../list: 1 of its names is missing; --prune drops the names of files that are gone'
	cp a z
	update 0 -r --update=../list --json --prune=all
	[ "$(head -n 1 ../out)" = '{"name":"./z","change":"copy","from":"./a"}' ]
	[ "$(sed -n 2p ../out)" = '{"name":"./e","change":"dropped"}' ]
}

@test "of equal files the one in the old directory has moved, whatever their names" {
	mkdir -p disk/x p/{x/w,z}
	printf 'photo' >disk/x/a
	printf 'film' >p/x/w/q
	printf 'film' >p/z/q
	age
	update 0 -r --quiet --update=../list
	# Other inodes, since the old ones are still taken.
	mkdir disk/y
	printf 'photo' | tee c >disk/y/b
	printf 'film' >p/a
	rm -r disk/x p/x/w p/z
	update 0 -r --update=../list
	changes './c: NEW' './disk/y/b: MOVED from ./disk/x/a' \
		'./p/a: MOVED from ./p/z/q' './p/x/w/q: MISSING'
}

@test "a directory that was moved is one line; what differs in it is damaged" {
	local i
	mkdir -p old/sub
	for i in {1..5}; do
		printf '%s' "$i" >"old/$i"
		printf 's%s' "$i" >"old/sub/$i"
	done
	: >old/empty
	age
	update 0 -r --update=../list
	mv old new
	update 0 -r --update=../list
	changes 'new: MOVED from old'
	mv new newer
	touch -r newer/sub/3 time
	printf 'sX' >newer/sub/3
	touch -r time newer/sub/3
	rm time
	printf 'edited' >newer/sub/4
	update 1 -r --update=../list
	changes 'newer: MOVED from new' \
		'./newer/sub/3: DIFFERS from ./new/sub/3' \
		'./newer/sub/4: EDITED, moved from ./new/sub/4'
	# The list has its old digest: each check reports the damage.
	update 1 -c --quiet ../list
	changes './newer/sub/3: FAILED'
	update 0 -r --update=../list --accept=newer/sub/3
	changes './newer/sub/3: EDITED'
	update 0 -c --quiet ../list
	# Something is left: the files have moved, the directory has not.
	mkdir other
	mv newer/1 newer/2 other/
	update 0 -r --update=../list
	changes './other/1: MOVED from ./newer/1' \
		'./other/2: MOVED from ./newer/2'
	update 0 -r --update=../list --json
	mv other others
	update 0 -r --update=../list --json
	[ "$(head -n 1 ../out)" = '{"name":"others","change":"moved","from":"other","files":2}' ]
}

@test "a missing directory is one line with the number of its names" {
	mkdir -p d/e d/f
	printf '1' | tee d/e/1 d/e/2 d/f/1 >/dev/null
	update 0 -r --update=../list
	mv d/e d/f ..
	update 0 -r --update=../list
	changes 'd/e: MISSING, 2 files' './d/f/1: MISSING'
	rm -r d
	update 0 -r --update=../list --json
	[ "$(head -n 1 ../out)" = '{"name":"d","change":"missing","files":4}' ]
	update 0 -r --update=../list --prune=all
	changes 'd: DROPPED, 4 files'
	list_is -r .
}

@test "--accept takes the digest of what is damaged or differs, and no other" {
	update 0 -r --update=../list
	printf 'X' >a
	printf 'Y' >b
	age
	rm ../list.index
	update 1 -r --update=../list
	changes './a: DIFFERS' './b: DIFFERS'
	update 1 -r --update=../list --accept=a
	changes './a: EDITED' './b: DIFFERS'
	update 0 --update=../list --accept=b b
	changes './b: EDITED'
	age
	update 0 -r --update=../list
	# Damage that a check has found.
	printf 'Z' >b
	age
	update 0 -r --update=../list
	changes
	update 0 -r --update=../list --accept=./b
	changes './b: EDITED'
	list_is -r .
	update 1 -r --update=../list --accept=nothere
	said 'nothere: --accept: no file of this name was hashed'
}
