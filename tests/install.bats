#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# install: make install puts everything where it belongs, under DESTDIR and
# nowhere else, and make uninstall takes all of it away.

load common

build=${PROGRAM%/*}
source=$BATS_TEST_DIRNAME/..

setup()
{
	[ -f "$build/Makefile" ] || skip "no Makefile beside the program"
	enter_scratch
	# Not a part of the make that runs this test.
	unset MAKEFLAGS MFLAGS MAKELEVEL
}

build_make()	# build_make TARGET VARIABLE=VALUE...
{
	make -s -C "$build" "$@" DESTDIR="$PWD/root" >log 2>&1 ||
		fail "make $1: $(tail -n 5 log)"
}

# What is installed, as paths from the root, sorted.
installed()
{
	(cd root && find . ! -type d) | cut -c 2- | sort
}

# The files that are to be installed below prefix.
expected()
{
	local name
	for name in qpu-sha256sum qpuasm qpudis qpuemu qpurun; do
		echo "bin/$name"
		echo "share/bash-completion/completions/$name"
		echo "share/zsh/site-functions/_$name"
		echo "share/fish/vendor_completions.d/$name.fish"
	done
	echo lib/qpu-sha256sum/qpuemu.so
	(cd "$source/man" && printf 'share/man/man1/%s\n' *.1)
	printf 'share/doc/qpu-sha256sum/%s\n' README.md NEWS HACKING.md
	(cd "$source/qpu/examples" &&
		printf 'share/doc/qpu-sha256sum/examples/%s\n' \
			* 90-vcio.rules)
}

@test "make install: what is needed, where it belongs, and nothing else" {
	build_make install prefix=/some/where
	installed >out
	expected | sed 's|^|/some/where/|' | sort >right
	same right out
	[ "$(cd root && echo *)" = some ]
	# Everybody may read it, and run what is in bin.
	[ -z "$(find root ! -perm -444)" ]
	[ -z "$(find root/some/where/bin -type f ! -perm -111)" ]
}

@test "installed programs work, and find what belongs to them" {
	build_make install prefix=/usr
	printf abc >file
	oracle file >right
	root/usr/bin/qpu-sha256sum file >out
	same right out
	root/usr/bin/qpuemu root/usr/bin/qpu-sha256sum --device=qpu file >out
	same right out
	root/usr/bin/qpuasm --no-check /dev/null
}

@test "make uninstall leaves nothing" {
	build_make installdirs prefix=/usr
	(cd root && find . | sort) >before
	build_make install prefix=/usr
	build_make uninstall prefix=/usr
	(cd root && find . | sort) >after
	same before after
}

@test "make install and uninstall may be repeated, and spare what is not ours" {
	build_make install prefix=/usr
	installed >once
	build_make install prefix=/usr
	installed >twice
	same once twice
	echo mine >root/usr/bin/mine
	build_make uninstall prefix=/usr
	build_make uninstall prefix=/usr
	[ "$(installed)" = /usr/bin/mine ]
}

@test "each directory can be another one" {
	local name
	build_make install-data prefix=/p docdir=/d mandir=/m \
		bashcompletiondir=/b zshcompletiondir=/z \
		fishcompletiondir='${datadir}/f'
	for name in b/qpurun z/_qpurun p/share/f/qpurun.fish d/NEWS \
		d/examples/hello.m4 m/man1/qpurun.1; do
		[ -f "root/$name" ] || fail "no /$name"
	done
	[ "$(cd root && echo *)" = 'b d m p z' ]
}
