#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# accidents: what happens to an archive over years, as --update and -c --why see it.
# No digest is lost, no damage is accepted, and no edit is reported as damage.

load ../support/common

setup()
{
	is_ours || skip "GNU has no such option"
	enter_scratch
	mkdir -p t/cd t/log
	cd t
	local i
	for i in 1 2 3 4 5; do
		printf 'photo %s' "$i" >"cd/IMG_$i"
		printf 'log %s of many' "$i" >"log/log.$i"
	done
	old cd/* log/*
	sum -r --update=../list . >/dev/null
	cp ../list ../first
}

old()		# old FILE...: set each file's own modification time, long ago
{
	local name
	for name; do
		count=$((${count-0} + 1))
		touch -d "@$((978307200 + count)).5" "$name"
	done
}

# updates STATUS [OPTION...]: update ../list; the changes go to ../out
updates()
{
	runs "$1" -r --update=../list "${@:2}" .
}

runs()		# runs STATUS ARGUMENT...: run the program, into ../out and ../err
{
	local status=0
	sum "${@:2}" >../out 2>../err || status=$?
	[ "$status" = "$1" ] || fail "status $status: $(cat ../out ../err)"
}

changes()	# changes [LINE...]: ../out has these lines and no others
{
	[ $# = 0 ] || printf '%s\n' "$@" >../expected
	[ $# != 0 ] || : >../expected
	same ../expected ../out
}

# damage FILE: overwrite its first byte, keeping its size and time
damage()
{
	cp -p "$1" ../as-it-was
	printf 'X' | dd of="$1" conv=notrunc status=none
	touch -r ../as-it-was "$1"
}

causes()	# causes LINE...: -c --why prints these causes and no others
{
	runs 1 -c --quiet --why ../list
	grep -v WARNING ../err | sed 's/^sha256sum: //' >../got
	printf '%s\n' "$@" >../right
	same ../right ../got
}

keeps_all()	# LIST has each digest that the first LIST had
{
	cut -c -64 ../first | sort >../had
	cut -c -64 ../list | sort >../has
	[ -z "$(comm -23 ../had ../has)" ] || fail "lost: $(comm -23 ../had ../has)"
}

said_of()	# said_of TEXT: ../err has this message about LIST and no other
{
	printf 'sha256sum: ../list: %s\n' "$1" >../expected
	same ../expected ../err
}

damaged='damaged: it has the size and the time with which it was hashed'

@test "the names on an unmounted disk stay in LIST, and are checked as before once it is back" {
	mkdir ../off
	mv cd/* ../off
	updates 0
	changes 'cd: MISSING, 5 files'
	grep -q '5 of its names are missing; --prune' ../err
	updates 0 --prune
	keeps_all
	runs 1 -r --update=../list --prune=all cd
	grep -q 'cd: is an empty directory; --prune=all' ../err
	keeps_all
	mv ../off/* cd
	damage cd/IMG_2
	updates 0
	changes
	causes "./cd/IMG_2: $damaged"
}

@test "a copy on a second disk is NEW while the first disk is unmounted" {
	mkdir ../off second
	cp -p cd/* second
	mv cd/* ../off
	updates 0
	changes './second/IMG_1: NEW' './second/IMG_2: NEW' './second/IMG_3: NEW' \
		'./second/IMG_4: NEW' './second/IMG_5: NEW' 'cd: MISSING, 5 files'
	keeps_all
}

@test "whatever the times of lists and files, edits are edits and damage is damage" {
	touch -d 2099-01-01 ../list ../list.index
	printf 'edited' >cd/IMG_1
	touch -d 1980-01-01 cd/IMG_1
	printf 'edited, too' >cd/IMG_2
	touch -d 2099-01-01 cd/IMG_2
	damage cd/IMG_3
	runs 1 -c --quiet --why ../list
	grep -q './cd/IMG_1: edited: it was modified at 1980-01-01 00:00:00 UTC, and hashed as of 2001-01-01 00:00:01 UTC' ../err
	grep -q './cd/IMG_2: edited: it was modified at 2099-' ../err
	grep -qxF "sha256sum: ./cd/IMG_3: $damaged" ../err
	updates 0
	changes './cd/IMG_1: EDITED' './cd/IMG_2: EDITED'
	causes "./cd/IMG_3: $damaged"
}

@test "a file that rsync -a or cp -p has replaced by one of an older time is an edit" {
	printf 'a newer version' >../new
	touch -d 1999-01-01 ../new
	cp -p ../new cd/IMG_1
	updates 0
	changes './cd/IMG_1: EDITED'
	updates 0
	changes
}

@test "an update of one directory leaves edits elsewhere to be found as edits" {
	printf 'edited' >log/log.1
	printf 'new' >cd/new
	runs 0 -r --update=../list ./cd
	changes './cd/new: NEW'
	runs 1 -c --quiet --why ../list
	grep -q './log/log.1: edited: ' ../err
	updates 0
	changes './log/log.1: EDITED'
}

@test "files that exchange names after an interrupted update get their own digests" {
	rm ../list ../list.index
	mkfifo cd/zz
	bash -c 'exec "$0" --update=../list cd/IMG_1 cd/IMG_2 cd/zz' "$PROGRAM" 3>&- &
	until grep -q 'cd/IMG_2$' ../list.part 2>/dev/null; do kill -0 $!; done
	kill -KILL $!
	wait $! || :
	rm cd/zz
	mv cd/IMG_1 x
	mv cd/IMG_2 cd/IMG_1
	mv x cd/IMG_2
	updates 0 --quiet
	sum -r . >../right
	same ../right ../list
}

@test "rotations and renumbered photos are moves" {
	mv log/log.5 log/log.6
	for i in 4 3 2 1; do mv log/log.$i log/log.$((i + 1)); done
	printf 'the newest' >log/log.1
	rm cd/IMG_1
	for i in 1 2 3 4; do mv cd/IMG_$((i + 1)) cd/IMG_$i; done
	runs 1 -c --quiet --why ../list
	grep -qx 'sha256sum: ./cd/IMG_1: has the digest of ./cd/IMG_2' ../err
	grep -qx 'sha256sum: ./log/log.3: has the digest of ./log/log.2' ../err
	updates 0
	changes './cd/IMG_1: MOVED from ./cd/IMG_2' \
		'./cd/IMG_2: MOVED from ./cd/IMG_3' \
		'./cd/IMG_3: MOVED from ./cd/IMG_4' \
		'./cd/IMG_4: MOVED from ./cd/IMG_5' \
		'./log/log.1: EDITED' './log/log.2: MOVED from ./log/log.1' \
		'./log/log.3: MOVED from ./log/log.2' \
		'./log/log.4: MOVED from ./log/log.3' \
		'./log/log.5: MOVED from ./log/log.4' \
		'./log/log.6: MOVED from ./log/log.5'
	sum -r . >../right
	same ../right ../list
}

@test "two swapped files are moves, even with equal sizes and times; a damaged one differs" {
	mv cd/IMG_1 x
	mv cd/IMG_2 cd/IMG_1
	mv x cd/IMG_2
	updates 0
	changes './cd/IMG_1: MOVED from ./cd/IMG_2' './cd/IMG_2: MOVED from ./cd/IMG_1'
	touch -d 2001-02-03 cd/*
	updates 0
	mv cd/IMG_1 x
	mv cd/IMG_2 cd/IMG_1
	mv x cd/IMG_2
	cp -p cd/IMG_3 x
	mv x cd/IMG_3
	damage cd/IMG_3
	updates 1
	changes './cd/IMG_1: MOVED from ./cd/IMG_2' \
		'./cd/IMG_2: MOVED from ./cd/IMG_1' './cd/IMG_3: DIFFERS'
}

@test "a tree whose top was renamed is MOVED, and its edited and damaged files are distinguished" {
	cd ..
	rm list list.index
	sum -r --update=list t >/dev/null
	cp list first
	mv t archive
	damage archive/cd/IMG_1
	printf 'edited' >archive/cd/IMG_2
	runs 1 -r --update=list archive
	changes 'archive: MOVED from t' \
		'archive/cd/IMG_1: DIFFERS from t/cd/IMG_1' \
		'archive/cd/IMG_2: EDITED, moved from t/cd/IMG_2'
	[ "$(wc -l <list)" = 10 ]
	runs 1 -c --quiet list
	changes 'archive/cd/IMG_1: FAILED'
}

@test "directories that were swapped are moves" {
	mv cd x
	mv log cd
	mv x log
	updates 0
	changes 'log: MOVED from cd' 'cd: MOVED from log'
	sum -r . >../right
	LC_ALL=C sort -k 2 ../list >../got
	same ../right ../got
}

@test "the wrong directory is refused, with a name from LIST and one from the tree" {
	mkdir ../u
	cd ../u
	printf 'other' >other
	runs 1 -r --update=../list .
	grep -q "list: none of its 10 names below the FILEs, such as './log/log.5', is a file here, and those that are, such as './other', have 0 of their digests" ../err
	cmp ../first ../list
}

@test "FAT times: rounded to 2 s they are equal, and a shift by an hour is no edit" {
	for name in cd/* log/*; do
		touch -d "@$(($(stat -c %Y "$name") / 2 * 2))" "$name"
	done
	printf 'X' | dd of=cd/IMG_1 conv=notrunc status=none
	touch -d "@978307200" cd/IMG_1
	updates 0
	changes
	causes "./cd/IMG_1: $damaged"
	# After a change to or from daylight saving time all times differ.
	for name in cd/* log/*; do
		touch -d "@$(($(stat -c %Y "$name") + 3600))" "$name"
	done
	updates 1
	changes './cd/IMG_1: DIFFERS'
	updates 1
	changes './cd/IMG_1: DIFFERS'
	keeps_all
}

@test "a list that the shell has emptied is refused, with the command that restores it" {
	: >../list
	runs 1 -r --update=../list .
	[ ! -s ../out ]
	said_of "it is empty; to take its lines from its index: sed 1d ../list.index | cut -d ' ' -f 5-"
	sed 1d ../list.index | cut -d ' ' -f 5- >../back
	same ../first ../back
	cp ../first ../list~
	runs 1 -r --update=../list .
	said_of 'it is empty, and ../list~ has 10 lines; to take these back: mv ../list~ ../list'
}

@test "the index of another list, an empty one, or an old one: no digest is lost" {
	local index
	mkdir ../u
	printf 'photo 9' >../u/IMG_1
	touch -r cd/IMG_1 ../u/IMG_1
	(cd ../u && sum -r --update=../other . >/dev/null)
	cp ../list.index ../right.index
	damage cd/IMG_1
	for index in other right; do
		cp ../$index.index ../list.index
		sum -r --update=../list . >/dev/null 2>&1 || :
		keeps_all
	done
	printf '# LIST.index of qpu-sha256sum, version 1\n' >../list.index
	updates 1
	changes './cd/IMG_1: DIFFERS'
	keeps_all
}

@test "slow storage: unchanged files are looked up many at a time" {
	local i
	needs preload
	! grep -aqEm 1 'lib[at]san\.so' "$PROGRAM" || skip "sanitizers come first"
	! under_qemu || skip "the library is for programs of this machine"
	for i in {1..400}; do printf '%s' "$i" >"cd/$i"; done
	touch -d 2001-01-01 cd/*
	sum -r --update=../list . >/dev/null
	FAULTS=slow:2000 FAULTS_BELOW=$PWD LD_PRELOAD=$PRELOAD \
		"$PROGRAM" -r --update=../list --stats . >../out 2>../err
	changes
	grep -q 'stats: kept: 410, missing: 0, dropped: 0' ../err
	# Far more than the machine has processors.
	[ "$(sed -n 's/.* at most \([0-9]*\) at a time$/\1/p' ../err)" -ge 32 ]
}

@test "of 3,000 equal files each that moved is MOVED, and none is MISSING" {
	local i
	mkdir many
	for i in {1..3000}; do printf 'same' >"many/$i"; done
	updates 0
	[ "$(grep -c ': NEW$' ../out)" = 3000 ]
	mkdir more
	mv many/1??? more
	cp many/2 copy
	updates 0
	grep -qx './copy: COPY of .*' ../out
	[ "$(grep -c ': MOVED from ' ../out)" = 1000 ]
	[ "$(grep -c MISSING ../out)" = 0 ]
}

@test "an inode that several files had, one after the other, does not hide damage" {
	local inode n
	inode=$(stat -c %i cd/IMG_1)
	mv cd/IMG_1 log/moved
	printf 'X' | dd of=log/moved conv=notrunc status=none
	touch -d '@978307201.5' log/moved
	rm cd/IMG_[234]
	# As if each of them had once had the inode of IMG_1.
	for n in 2 3 4; do
		sed -i "/IMG_$n\$/s/^\([^ ]* [^ ]*\) [0-9]*/\1 $inode/" ../list.index
	done
	updates 1
	grep -qx './log/moved: DIFFERS from ./cd/IMG_1' ../out
	[ "$(grep -c MISSING ../out)" = 3 ]
	digest=$(sed -n 's/  .*IMG_1$//p' ../first)
	grep -qx "$digest  ./log/moved" ../list
}

@test "a damaged file that was copied and then moved DIFFERS, and is no copy" {
	damage cd/IMG_1
	cp cd/IMG_1 log/copy
	updates 0
	changes './log/copy: NEW'
	mv cd/IMG_1 log/moved
	updates 1 --prune=all
	changes './log/moved: DIFFERS from ./cd/IMG_1'
	keeps_all
}

@test "a damaged file that left its directory is found, though another took its name and the directory moved" {
	damage cd/IMG_1
	mv cd/IMG_1 log/moved
	printf 'new' >cd/IMG_1
	mv cd ce
	updates 1
	changes 'ce: MOVED from cd' './ce/IMG_1: NEW' \
		'./log/moved: DIFFERS from ./cd/IMG_1'
	keeps_all
}

@test "files and directories that came from outside the FILEs are moves, and damage and edits in them are found" {
	mkdir in cd/sub
	mv cd/IMG_[345] cd/sub
	updates 0
	mv cd/IMG_1 in
	mv cd/sub in/moved
	damage in/moved/IMG_4
	printf 'edited' >in/moved/IMG_5
	runs 1 -r --update=../list ./in
	changes './in/IMG_1: MOVED from ./cd/IMG_1' \
		'./in/moved/IMG_3: MOVED from ./cd/sub/IMG_3' \
		'./in/moved/IMG_4: DIFFERS from ./cd/sub/IMG_4' \
		'./in/moved/IMG_5: EDITED, moved from ./cd/sub/IMG_5'
	[ "$(wc -l <../list)" = 10 ]
}

@test "a directory is MOVED if none of its names is left, and only whole names are compared" {
	mkdir cd/a cd/f cd/g ce
	mv cd/IMG_[12] cd/f
	mv cd/IMG_[34] cd/g
	updates 0
	# IMG_5 is still in cd, so cd did not move to ce, nor cd/g to ce/g.
	mv cd/f ce/f
	rm -r cd/g
	mkdir ce/g
	printf 'new' | tee ce/g/IMG_3 ce/g/IMG_4 >/dev/null
	updates 0
	changes 'ce/f: MOVED from cd/f' './ce/g/IMG_3: NEW' './ce/g/IMG_4: NEW' \
		'cd/g: MISSING, 2 files'
	mkdir only
	mv ce/f only
	updates 0
	mv only/f log/of
	updates 0
	changes 'log/of: MOVED from only/f' 'cd/g: MISSING, 2 files'
}
