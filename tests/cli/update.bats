#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# update: --update=LIST prints a list anew.  What LIST names and what is still
# there is not read.

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

@test "-r: new files are added, vanished ones dropped and counted" {
	sum -r . >../list
	rm b d/c
	printf 'x' | tee new d/new 'two words' >/dev/null
	update 0 -r --update=../list
	said '--update: 2 names were dropped, since there are no such files'
	sum -r . >../expected
	same ../expected ../out
	update 0 -r --update=../list --quiet --stats .
	grep -qx 'sha256sum: stats: files: 3, failed: 0, bytes: 3' ../err
	grep -qx 'sha256sum: stats: kept: 1, dropped: 2' ../err
}

@test "what the list has is neither read nor changed" {
	touch d/{1..300}
	sum -r . | tac >../list
	printf 'changed' >a
	update 0 -r --update=../list .
	sort -k 2 ../list >../expected
	same ../expected ../out
	said
}

@test "names: files are added to a list, in the order of all names" {
	sum a d/c >../list
	update 0 --update=../list ./a b
	sum a b d/c >../expected
	same ../expected ../out
	printf 'b\0a\0' | sum --files0-from=- --update=../list >../out
	same ../expected ../out
	update 0 --update=/dev/null d/c b a b ./b d/.//c
	same ../expected ../out
	sum d/c a | sum --update=- b >../out
	same ../expected ../out
}

@test "a list inside of the tree does not list itself" {
	sum -r . >../list
	cp ../list SHA256SUMS
	update 0 -r --update=SHA256SUMS .
	same ../list ../out
}

@test "all forms of lists are read; what is printed has one form" {
	printf 'x' >$'new\nline'
	sum -b a >../list
	sum --tag b >>../list
	printf '# comment\n\n' >>../list
	update 0 -r --update=../list .
	sum a b d/c $'new\nline' >../expected
	sed 's|  \(d/c\)|  ./\1|; s|new\\nline|./&|' ../expected |
		LC_ALL=C sort -k 2 >../sorted
	LC_ALL=C sort -k 2 ../out >../got
	same ../sorted ../got
	update 0 -r --tag --update=../list .
	[ "$(grep -c '^\\\?SHA256 (' ../out)" = 4 ]
	sum -z a $'new\nline' >../zeros
	update 0 -z --update=../zeros a
	same ../zeros ../out
}

@test "names that are links or directories now are dropped by -r" {
	ln -s a link
	sum a b d/c link >../list
	rm b
	mkdir b
	update 0 -r --update=../list
	sum a d/c >../expected
	same ../expected ../out
	grep -q -- '--update: 2 names were dropped' ../err
	update 0 --update=../list a
	sum a d/c link >../expected
	same ../expected ../out
}

@test "names below a directory that is a link now are dropped by -r" {
	mkdir d/e p
	printf 'e' >d/e/f
	ln -s ../d p/link
	sum a d/c d/e/f p/link/c >../list
	mv d new
	ln -s new d
	update 0 -r --update=../list
	sum ./b ./new/c ./new/e/f a >../expected
	same ../expected ../out
	grep -q -- '--update: 3 names were dropped' ../err
	# A link that is an operand is followed; other trees keep their lines.
	update 0 -r --update=../list d
	same ../list ../out
	update 0 -r --update=../list new
	sum a d/c d/e/f new/c new/e/f p/link/c >../expected
	same ../expected ../out
}

# refused LINE ARGUMENT...: status 1, only this message, nothing on stdout
refused()
{
	local line=$1
	shift
	update 1 "$@"
	[ ! -s ../out ] || fail "$(cat ../out)"
	said "$line"
}

@test "a list of which nothing would be left is refused: a disk that is not mounted" {
	mkdir u
	printf 'u' | tee u/file d/other >/dev/null
	sum -r d >../list
	sum -r d u >../both
	mv d off
	mkdir d
	refused '../list: none of its 2 names is a file here; the list is not updated' \
		-r --update=../list d
	refused '../both: none of its 2 names below d is a file; the list is not updated' \
		-r --update=../both d u
	rmdir d
	mv off d
	cd d
	refused '../../list: none of its 2 names is a file here; the list is not updated' \
		-r --update=../../list .
}

@test "a list whose names begin elsewhere than the files is refused" {
	sum -r d >../list
	refused "../list: its names are not from the root directory, and what is to be walked is; the list is not updated" \
		-r --update=../list "$PWD/d"
	sum -r "$PWD/d" >../list
	refused "../list: its names are from the root directory, and what is to be walked is not; the list is not updated" \
		-r --update=../list d
	sum -r d >../list
	update 0 -r --update=../list . d
}

@test "a list that cannot be understood is refused, and nothing is printed" {
	sum a b >../list
	printf 'MD5 (b) = 92eb5ffee6ae2fec3ad71c777531578f\n' >>../list
	update 1 -r --update=../list
	[ ! -s ../out ]
	said '../list: 3: improperly formatted SHA256 checksum line; the list is not updated'
	sum a b | sed '1p; s/^../00/; s/^00/11/' >../list
	update 1 --update=../list d/c
	[ ! -s ../out ]
	said 'a has two digests; the list is not updated'
	sum a b | sed '1p; 1s/^../00/; 1s|  |  .//|' >../list
	update 1 -r --update=../list
	[ ! -s ../out ]
	said './/a has two digests; the list is not updated'
	update 1 --update=nothere a
	said 'nothere: No such file or directory'
	update 1 --update=d a
	said 'd: read error'
	sum a >../list
	sum --update=../list b >>../list 2>../err && fail "no error"
	said '../list: the list is standard output; write to another file, then rename it'
	[ "$(wc -l <../list)" = 1 ]
}

@test "a new file that cannot be read: status 1, the others are there" {
	sum a >../list
	update 1 --update=../list b nothere
	sum a b >../expected
	same ../expected ../out
	said 'nothere: No such file or directory'
}

@test "memory that runs short never makes a list that looks complete" {
	local calls status
	sum a >../list
	sum a b d/c >../whole
	for calls in {0..60..4}; do
		status=0
		faulty "calls:$calls" --update=../list b d/c \
			>../out 2>../err || status=$?
		[ $status = 1 ] || same ../whole ../out
	done
}
