#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# install: make install puts everything that is built where it belongs, under
# DESTDIR and nowhere else, and make uninstall removes all of it.

load ../support/common

setup()
{
	[ -f "$BUILD/Makefile" ] || skip "no Makefile beside the program"
	enter_scratch
}

build_make()	# build_make TARGET VARIABLE=VALUE...
{
	make -s -C "$BUILD" "$@" DESTDIR="$PWD/root" >log 2>&1 ||
		fail "make $1: $(tail -n 5 log)"
}

# Print the installed files as paths from the root, sorted.
installed()
{
	(cd root && find . ! -type d) | cut -c 2- | sort
}

library()	# library NAME: the files of libNAME
{
	printf '%s\n' "include/$1.h" "lib/lib$1.a" "lib/lib$1.so" \
		"lib/lib$1.so.1" "lib/lib$1.so.1.0.0" \
		"lib/pkgconfig/lib$1.pc" "share/man/man3/$1.3" \
		"share/doc/qpu-sha256sum/examples/$1.c"
}

# The files that are to be installed below prefix.
expected()
{
	local name
	for name in $(programs_built); do
		echo "bin/$name"
		echo "share/man/man1/$name.1"
		echo "share/bash-completion/completions/$name"
		echo "share/zsh/site-functions/_$name"
		echo "share/fish/vendor_completions.d/$name.fish"
	done
	printf 'share/man/man7/qpu-sha256sum-%s.7\n' \
		json lists machines pi storage
	! built_with tools ||
		printf 'share/man/man7/qpu-%s.7\n' programs setup
	echo share/qpu-sha256sum/qpu-sha256sum.schema.json
	! built_with qpuemu || echo lib/qpu-sha256sum/qpuemu.so
	printf 'share/doc/qpu-sha256sum/%s\n' README.md NEWS SECURITY.md \
		LICENSE
	! built_with qpu ||
		echo share/doc/qpu-sha256sum/examples/90-vcio.rules
	! built_with tools || echo share/doc/qpu-sha256sum/TUTORIAL.md
	! built_with libraries || library sha256many
	! built_with libraries || ! built_with tools || library qpu
	! built_with tools || (cd "$TOP/qpu/examples" &&
		printf 'share/doc/qpu-sha256sum/examples/%s\n' *)
}

@test "make install: what is needed, where it belongs, nothing else, and it works" {
	umask 077
	build_make install prefix=/usr
	umask 022
	installed >out
	expected | sed 's|^|/usr/|' | sort >right
	same right out
	[ "$(cd root && echo *)" = usr ]
	# Everybody may read it, and run what is in bin.
	[ -z "$(find root ! -perm -444)" ]
	[ -z "$(find root -type d ! -perm -111)" ]
	[ -z "$(find root/usr/bin -type f ! -perm -111)" ]
	# Programs find what belongs to them.
	printf abc >file
	oracle file >right
	root/usr/bin/qpu-sha256sum file >out
	same right out
	! built_with tools || root/usr/bin/qpuasm --no-check /dev/null
	built_with qpuemu || return 0
	root/usr/bin/qpuemu root/usr/bin/qpu-sha256sum --device=qpu file >out
	same right out
}

@test "make install and uninstall may be repeated, leave nothing, spare what is not ours" {
	build_make install prefix=/usr
	echo mine >root/usr/bin/mine
	installed >once
	build_make install prefix=/usr
	installed >twice
	same once twice
	build_make uninstall prefix=/usr
	[ "$(installed)" = /usr/bin/mine ]
	[ -z "$(find root -path '*qpu-sha256sum*')" ]
	build_make uninstall prefix=/usr
	mkdir -p root/usr/share/doc/qpu-sha256sum
	echo mine >root/usr/share/doc/qpu-sha256sum/notes
	build_make uninstall prefix=/usr
	[ -f root/usr/share/doc/qpu-sha256sum/notes ]
}

@test "an installed README has no link to a file that is not installed" {
	build_make install-data prefix=/p docdir=/d
	grep -q 'make check-hardware' root/d/README.md
	! grep -nE '\]\([^:)]*\)' root/d/README.md ||
		fail 'README.md has links into the source tree'
}

@test "each directory can be another one" {
	local name
	build_make install-data prefix=/p docdir=/d mandir=/m \
		bashcompletiondir=/b zshcompletiondir=/z \
		fishcompletiondir='${datadir}/f'
	for name in b/qpu-sha256sum z/_qpu-sha256sum p/share/f/qpu-sha256sum.fish \
		d/NEWS m/man1/qpu-sha256sum.1; do
		[ -f "root/$name" ] || fail "no /$name"
	done
	! built_with tools || [ -f root/d/examples/hello.m4 ]
	[ "$(cd root && echo *)" = 'b d m p z' ]
}
