#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# libraries: what a stranger compiles and links after make install.

load ../support/common

setup()
{
	[ -e "$BUILD/libsha256many.a" ] || skip "built without libraries"
	! under_qemu || skip "the libraries are for another machine"
	command -v pkg-config >/dev/null || skip "no pkg-config"
	enter_scratch
	# Not a part of the make that runs this test.
	unset MAKEFLAGS MFLAGS MAKELEVEL
	make -s -C "$BUILD" install prefix="$PWD/prefix" >log 2>&1 ||
		fail "$(tail -n 5 log)"
	export PKG_CONFIG_PATH=$PWD/prefix/lib/pkgconfig
	export LD_LIBRARY_PATH=$PWD/prefix/lib
	# The compiler of this build, and its sanitizers.
	read -r -a cc < <(sed -n 's/^CC = //p' "$BUILD/Makefile")
	mapfile -t -O ${#cc[@]} cc < <(sed -n 's/^CFLAGS = //p' \
		"$BUILD/Makefile" | grep -oE -e '-fsanitize=[^ ]*')
	examples=prefix/share/doc/qpu-sha256sum/examples
}

# names_of HEADER PREFIX: its functions
names_of()
{
	grep -oE "$2_[a-z0-9_]+\(" "$1" | tr -d '(' | sort -u
}

@test "the example of libsha256many is compiled by the line in it, and hashes like sha256sum" {
	local options
	read -r -a options < <(pkg-config --cflags --libs libsha256many)
	"${cc[@]}" -Wall -Wextra -Werror -Wno-sign-compare -o shared \
		$examples/sha256many.c "${options[@]}"
	"${cc[@]}" -o static $examples/sha256many.c -Iprefix/include \
		prefix/lib/libsha256many.a
	seq 20000 | split -l 300 - part
	: >part-empty
	oracle part* >right
	./shared part* >out
	same right out
	env -u LD_LIBRARY_PATH ./static part* >out
	same right out
	! ./shared none || fail "a file that does not exist has a digest"
}

@test "libsha256many has the names of its header and no others, shared and static" {
	names_of prefix/include/sha256many.h sha256many | sed '/piece/d' >right
	[ "$(wc -l <right)" -ge 10 ]
	nm -D --defined-only prefix/lib/libsha256many.so |
		sed -nE 's/.* T (.*)@@SHA256MANY_1$/\1/p' | sort >names
	same right names
	nm -g --defined-only prefix/lib/libsha256many.a |
		awk 'NF == 3 { print $3 }' | sort >names
	same right names
	sed -n 's/^ \(sha256many_.*\)@SHA256MANY_1 .*/\1/p' \
		"$TOP/src/packaging/debian/libsha256many1.symbols" >names
	same right names
}

@test "the headers are C and C++, and need no others" {
	local header name
	for header in prefix/include/*.h; do
		name=${header##*/}
		printf '#include <%s>\n' "$name" >user.c
		"${cc[@]}" -std=c99 -pedantic -Wall -Wextra -Werror \
			-Iprefix/include -c user.c
		command -v c++ >/dev/null || continue
		c++ -x c++ -pedantic -Wall -Wextra -Werror -Iprefix/include \
			-c user.c
	done
}
