#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# bootstrap: it installs what is missing, and nothing else; sudo is for
# apt-get only.  Every tool is played by a stub that writes down its call.

load ../support/common

setup()
{
	local tool
	local -a tools
	enter_scratch
	unset CC
	mkdir bin tree elsewhere
	export CALLS=$PWD/calls
	: >calls
	for tool in sh dirname stat find env grep mktemp wc rm cat touch chmod; do
		hash $tool
		tools+=("${BASH_CMDS[$tool]}")
	done
	ln -s "${tools[@]}" bin/
	stub cc ''
	stub make '
		printf "#!/bin/sh\necho a digest\n" >qpu-sha256sum
		chmod +x qpu-sha256sum'
	stub autoreconf '
		touch Makefile.in config.h.in
		printf "#!/bin/sh\ntouch Makefile config.status\n" >configure
		chmod +x configure'
	for tool in automake m4 bats python3 setpriv script nproc sha256sum; do
		stub $tool ''
	done
	stub id 'echo ${FAKE_UID-1000}'
	stub apt-get 'case "$FAKE_FAIL $*" in
		always*install* | offline*) exit 100 ;; esac'
	stub sudo '"$@"'
	cp "$TOP/bootstrap" tree/
	mkdir tree/build-aux tree/src tree/cpu tree/qpu tree/tests \
		tree/test-data tree/man
	touch tree/configure.ac tree/Makefile.am tree/build-aux/tap-driver.sh
	touch tree/.git tree/src/main.c
}

# stub NAME BODY: make a tool that logs its call, then runs BODY
stub()
{
	printf '#!/bin/sh\necho "%s $*" >>"$CALLS"\n%s\n' "$1" "$2" >"bin/$1"
	[ -x "bin/$1" ] || chmod +x "bin/$1"
}

boot()
{
	(
		PATH=$PWD/bin
		unset SUDO_USER CPPFLAGS LDFLAGS
		cd elsewhere && ../tree/bootstrap "$@"
	) >out 2>err
}

calls()		# calls TOOL: its calls
{
	sed -n "s/^$1 //p" calls
}

@test "nothing is missing: neither sudo nor apt-get is called" {
	boot
	[ -z "$(calls sudo)$(calls apt-get)" ]
	[ -n "$(calls make)" ]
	boot check
	[ -z "$(calls sudo)$(calls apt-get)" ]
	[[ "$(calls make | tail -n 1)" = *check ]]
}

@test "what is missing is installed, through sudo, and nothing else is" {
	rm bin/bats bin/m4
	boot check
	[ "$(calls apt-get | sed 's/.*=any //')" = 'update
install -y --no-install-recommends m4 bats' ]
	[ "$(calls sudo | wc -l)" = 2 ]
	calls sudo | grep -q '^env DEBIAN_FRONTEND=noninteractive .* apt-get '
}

@test "root needs no sudo" {
	rm bin/bats bin/sudo
	FAKE_UID=0 boot check
	calls apt-get | grep -q ' install .* bats$'
}

@test "bats is for the tests only" {
	rm bin/bats
	boot
	[ -z "$(calls apt-get)" ]
}

# gives_up PATTERN: status 1, this on stderr, and nothing is built
gives_up()
{
	local status=0
	boot || status=$?
	[ $status = 1 ]
	grep -q "$1" err
	[ -z "$(calls make)" ]
}

@test "what cannot be installed is said: no sudo, no apt-get, or one that always fails" {
	rm bin/m4
	FAKE_FAIL=always gives_up 'could not install m4'
	: >calls
	mv bin/sudo .
	gives_up 'neither root nor sudo'
	grep -q 'apt-get install m4' err
	mv sudo bin/
	rm bin/apt-get
	gives_up m4
	[ -z "$(calls sudo)$(calls apt-get)" ]
}

@test "without a network it stops at the first update, and says what to install" {
	rm bin/m4
	FAKE_FAIL=offline gives_up 'by hand: apt-get install m4$'
	[ "$(calls apt-get | sed 's/.*=any //')" = update ]
}

@test "a tree that cannot be written to, and TMPDIR that is not there, are said at once" {
	rm bin/m4
	TMPDIR=$PWD/absent gives_up "^bootstrap: TMPDIR: $PWD/absent is no directory"
	[ ! -s calls ]
	public_place
	cp -r "$BATS_TEST_TMPDIR"/{bin,tree} .
	chmod 555 tree
	! as_user env PATH="$PWD/bin" tree/bootstrap >out 2>err || false
	[ "$(cat out err)" = "bootstrap: $PWD/tree cannot be written to: copy the tree, and build the copy" ]
}

@test "CC is looked for, and not gcc beside it; OpenSSL where it is configured" {
	local CC
	export CC='clang -m32'
	boot
	calls apt-get | grep -q ' install .* clang libc6-dev libssl-dev$'
	stub clang ''
	rm bin/cc calls
	boot
	[ -z "$(calls apt-get)" ]
	: >calls
	CC='/nothing -m32' gives_up '^bootstrap: CC: no such program: /nothing$'
	stub clang 'grep -q openssl && exit 1; exit 0'
	echo '/* #undef WITH_OPENSSL */' >tree/config.h
	boot
	[ -z "$(calls apt-get)" ]
}

@test "a missing library is a missing package" {
	stub cc 'grep -q openssl && exit 1; exit 0'
	boot
	calls apt-get | grep -q ' install .* libssl-dev$'
}

@test "a tarball needs neither autoconf nor m4" {
	rm tree/.git bin/m4 bin/automake
	touch tree/Makefile.in tree/config.h.in
	printf '#!/bin/sh\ntouch Makefile config.status\n' >tree/configure
	chmod +x tree/configure
	rm bin/autoreconf
	boot
	[ -z "$(calls apt-get)" ]
	[ -n "$(calls make)" ]
}

@test "a word it does not know is refused" {
	local status=0
	boot chekc || status=$?
	[ $status = 1 ]
	grep -q 'usage' err
	[ ! -s calls ]
}
