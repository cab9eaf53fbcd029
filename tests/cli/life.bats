#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# life: an archive and its list through the years, by the commands of
# qpu-sha256sum-lists(7).  FILES=3000 plays it with as many files, in minutes.

load ../support/common

setup()
{
	local i
	is_ours || skip "GNU has no such options"
	enter_scratch
	mkdir bin archive
	ln -s "$(realpath "$PROGRAM")" bin/qpu-sha256sum
	PATH=$PWD/bin:$PATH
	cd archive || return
	files=${FILES:-60}
	for ((i = 0; i < files; i++)); do
		((i % 10 > 0)) || mkdir -p "photos/$((i / 10))"
		printf 'photo %s' "$i" >"photos/$((i / 10))/$i.jpg"
	done
}

# run_as_said STATUS COMMAND...: what it prints is in ../out and ../err
run_as_said()
{
	local expected=$1 status=0
	shift
	"$@" >../out 2>../err || status=$?
	[ "$status" = "$expected" ] || fail "status $status: $(cat ../err)"
}

check()		# check STATUS: with all that the manual recommends
{
	run_as_said "$1" qpu-sha256sum -c --quiet --by-time --unlisted SHA256SUMS
}

accept()	# accept STATUS: what was edited, added, moved and deleted
{
	run_as_said "$1" qpu-sha256sum -r --update=SHA256SUMS --in-place \
		--by-time .
}

printed()	# printed [LINE...]: all that is on standard output
{
	[ $# = 0 ] || printf '%s\n' "$@" >../expected
	[ $# != 0 ] || : >../expected
	same ../expected ../out
}

whole()		# the list has all files, and is right
{
	find . -type f ! -name 'SHA256SUMS*' -print0 | LC_ALL=C sort -z |
		xargs -0 sha256sum | sort >../expected
	sort SHA256SUMS | same ../expected -
	check 0
	printed
}

@test "made, grown, moved, edited, damaged: each is told, and only damage stays" {
	accept 0
	whole
	printf 'new' >photos/new.jpg
	check 1
	printed './photos/new.jpg: NOT LISTED'
	accept 0
	printed './photos/new.jpg: NEW'
	whole
	mv photos/1 photos/trip
	mv photos/2/20.jpg photos/3
	cp photos/4/40.jpg photos/copy.jpg
	check 1
	grep -qx './photos/trip/10.jpg: MOVED from ./photos/1/10.jpg' ../out
	grep -qx 'qpu-sha256sum: WARNING: 11 files were moved' ../err
	accept 0
	printed 'photos/trip: MOVED from photos/1' \
		'./photos/3/20.jpg: MOVED from ./photos/2/20.jpg' \
		'./photos/copy.jpg: COPY of ./photos/4/40.jpg'
	whole
	touch -d '2001-01-01' SHA256SUMS photos/5/5?.jpg
	printf 'edited' >photos/5/50.jpg
	printf 'photo XX' >photos/5/51.jpg
	touch -d '2000-12-31' photos/5/51.jpg
	check 1
	printed './photos/5/50.jpg: FAILED' './photos/5/51.jpg: FAILED'
	grep -q '50.jpg: edited' ../err
	grep -q '51.jpg: damaged' ../err
	accept 0
	printed './photos/5/50.jpg: EDITED'
	check 1
	printed './photos/5/51.jpg: FAILED'
	printf 'photo 51' >photos/5/51.jpg
	accept 0
	printed
	whole
}

@test "interrupted again and again: each update goes on from the one before" {
	local signal hashed=0
	mkfifo hold
	for signal in INT KILL TERM KILL; do
		# Some names more each time, and one that never ends.
		hashed=$((hashed + files / 6))
		find photos -name '*.jpg' | LC_ALL=C sort | head -n "$hashed" |
			tr '\n' '\0' >../names
		printf 'hold\0' >>../names
		env --default-signal=INT,TERM qpu-sha256sum --update=SHA256SUMS \
			--in-place --files0-from=../names 2>../err 3>&- &
		until [ -e SHA256SUMS.part ] &&
			[ "$(grep -c jpg SHA256SUMS.part)" = "$hashed" ]; do
			kill -0 $! || fail "it ended: $(cat ../err)"
		done
		kill -s "$signal" $!
		wait $! && fail "SIG$signal did not end it"
		[ ! -e SHA256SUMS ]
	done
	rm hold
	run_as_said 0 qpu-sha256sum -r --update=SHA256SUMS --in-place --stats \
		--quiet photos
	grep -qx "qpu-sha256sum: stats: files: $((files - hashed)), failed: 0, bytes: [0-9]*" \
		../err
	sed -i 's/  photos/  .\/photos/' SHA256SUMS
	whole
}

@test "checked in thirty parts: each file once" {
	local part
	accept 0
	for part in {1..30}; do
		run_as_said 0 qpu-sha256sum -c --part="$part/30" SHA256SUMS
		cat ../out
	done | sort >../seen
	sed 's/^.\{66\}//; s/$/: OK/' SHA256SUMS | sort | same - ../seen
}

@test "a disk that is not mounted, or another place: the list stays" {
	accept 0
	cp SHA256SUMS ../before
	mv photos ../disk
	mkdir photos
	accept 1
	grep -q 'is a file here; the list is not updated' ../err
	printed
	check 1
	run_as_said 1 qpu-sha256sum -r --update=SHA256SUMS --in-place "$PWD"/../disk
	same ../before SHA256SUMS
	rmdir photos
	mv ../disk photos
	whole
}
