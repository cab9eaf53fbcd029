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
	[[ ${BATS_FILE_TMPDIR:-$PWD} != *[[:blank:]]* ]] ||
		skip "a blank in a .pc file ends a word"
	enter_scratch
	# Installed once for all cases.
	prefix=${BATS_FILE_TMPDIR:-$PWD}/prefix
	[ -e "$prefix" ] ||
		make -s -C "$BUILD" install prefix="$prefix" >log 2>&1 ||
		fail "$(tail -n 5 log)"
	ln -sfn "$prefix" prefix
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
	awk -v prefix="$2_" '
		/^[a-z]/ && match($0, prefix "[a-z0-9_]+\\(") &&
		before !~ /^typedef/ { print substr($0, RSTART, RLENGTH - 1) }
		{ before = $0 }' "$1" | sort -u
}

@test "the example of libsha256many is compiled by the line in it, and hashes like sha256sum" {
	local options
	read -r -a options < <(pkg-config --cflags --libs libsha256many)
	"${cc[@]}" -Wall -Wextra -Werror -Wno-sign-compare -o shared \
		"$examples"/sha256many.c "${options[@]}"
	"${cc[@]}" -o static "$examples"/sha256many.c -Iprefix/include \
		prefix/lib/libsha256many.a
	seq 20000 | split -l 300 - part
	: >part-empty
	oracle part* >right
	./shared part* >out
	same right out
	env -u LD_LIBRARY_PATH ./static part* >out
	same right out
	! ./shared none || fail "a file that does not exist has a digest"
	# A pipe holds less than this, so one read is not enough.
	head -c 90000 /dev/zero >zeros
	oracle zeros | sed 's/zeros/\/dev\/stdin/' >right
	# shellcheck disable=SC2002
	cat zeros | ./shared /dev/stdin >out
	same right out
}

@test "the example of libqpu is compiled by the line in it, and runs a program on 12 QPUs" {
	local options
	built_with tools || skip 'built without the tools'
	read -r -a options < <(pkg-config --cflags --libs libqpu)
	"${cc[@]}" -Wall -Wextra -Werror -o shared "$examples"/qpu.c \
		"${options[@]}"
	"${cc[@]}" -o static "$examples"/qpu.c -Iprefix/include \
		prefix/lib/libqpu.a -lm -ldl -lpthread
	printf '%s\n' \
		'add.qasm:4: [R1] at 0x18: ra1: read directly after it was written' \
		'add.qasm:3: [] at 0x10: because of this instruction' \
		'success: QPU 7, lane 15: 715; N us (modelled)' >right
	for program in shared static; do
		"./$program" >lines
		sed 's/[0-9.]* us/N us/' lines >out
		same right out
	done
}

@test "the libraries have the names of their headers and no others, and the manual page has them, too" {
	local library
	for library in sha256many qpu; do
		[ -e "prefix/include/$library.h" ] || continue
		names_of "prefix/include/$library.h" "$library" >right
		[ "$(wc -l <right)" -ge 10 ]
		grep -oE "${library}_[a-z0-9_]+" "$TOP/man/$library.3" |
			sort -u | comm -23 right - >undescribed
		[ ! -s undescribed ] ||
			fail "not in the manual page: $(cat undescribed)"
		nm -D --defined-only "prefix/lib/lib$library.so" |
			sed -nE 's/.* T (.*)@@[A-Z0-9]+_1$/\1/p' | sort >names
		same right names
		nm -g --defined-only "prefix/lib/lib$library.a" |
			awk 'NF == 3 { print $3 }' | sort >names
		same right names
		sed -nE "s/^ ($library"'_.*)@[A-Z0-9]+_1 .*/\1/p' \
			"$TOP/src/packaging/debian/lib${library}1.symbols" >names
		same right names
	done
}

@test "the number of the version in the headers is the version of the libraries" {
	local library version
	version=$(sed -n 's/^#define PACKAGE_VERSION "\([0-9.]*\).*/\1/p' \
		"$BUILD/config.h")
	for library in sha256many qpu; do
		[ -e "prefix/include/$library.h" ] || continue
		printf '#include <stdio.h>\n#include <%s.h>\n
			int main(void) { return printf("%%d %%s\\n",
			%s_VERSION_NUMBER, %s_version()) < 0; }\n' "$library" \
			"${library^^}" "$library" >user.c
		"${cc[@]}" -Iprefix/include -o user user.c \
			-Lprefix/lib "-l$library"
		[[ $(./user) =~ ^"${version//./0} $version"(~dev)?$ ]] ||
			fail "$(./user), but it is $version"
	done
}

@test "no library prints, ends the process or needs another library" {
	local file
	for file in prefix/lib/*.a; do
		nm -u "$file" | awk '{ print $NF }' >used
		[ "$(wc -l <used)" -ge 5 ]
		! grep -xE '_?exit|abort|std(out|err)|(__)?v?printf(_chk)?|put(s|char)|perror|__assert_fail' \
			used || fail "$file"
	done
	for file in prefix/lib/*.so; do
		! readelf -d "$file" | grep NEEDED |
			grep -vE 'lib([cm]|dl|pthread|asan|ubsan|tsan)\.so|ld-linux' ||
			fail "$file"
	done
}

@test "the headers are C and C++, and need no others" {
	local header name standard
	for header in prefix/include/*.h; do
		name=${header##*/}
		printf '#include <%s>\n' "$name" >user.c
		for standard in c90 c99; do
			"${cc[@]}" "-std=$standard" -pedantic -Wall -Wextra \
				-Werror -Iprefix/include -c user.c
		done
		command -v c++ >/dev/null || continue
		c++ -x c++ -pedantic -Wall -Wextra -Werror -Iprefix/include \
			-c user.c
	done
}
