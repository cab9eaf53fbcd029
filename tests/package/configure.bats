#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# configure: it builds what was asked for, or refuses with a sentence.

load ../support/common

# configure refuses a source tree that was configured in place, so it runs in
# one of links, without what was configured.  What it finds out about this
# machine is kept in $found for the next case.
setup()
{
	[ -f "$TOP/configure" ] || skip "no configure script"
	enter_scratch
	mkdir source build
	ln -s "$TOP"/{aclocal.m4,configure,configure.ac,config.h.in} \
		"$TOP"/{GNUmakefile,Makefile.am,Makefile.in,build-aux,src,cpu,qpu,tests} \
		source/
	found=${BATS_FILE_TMPDIR:-$PWD}/found
}

configure()	# configure WORD...: with the compiler of this build
{
	local compiler
	compiler=$(sed -n 's/^CC = //p' "$BUILD/Makefile")
	(cd build && ../source/configure CC="${compiler:-cc}" \
		--cache-file="$found" --disable-dependency-tracking "$@") \
		>out 2>err
}

# forget PATTERN: look for this again, and with flags that may differ
forget()
{
	touch "$found"
	sed -E "/^ac_cv_env_|$1/d" "$found" >found
	found=$PWD/found
}

refuses()	# refuses PATTERN WORD...: status 1, a sentence, no Makefile
{
	local pattern=$1
	shift
	configure "$@" && fail "accepted: $*"
	grep -E "^configure: error: .*$pattern" err || fail "$*: $(cat err)"
	[ ! -e build/Makefile ]
}

@test "an unknown switch is named at the end, a misspelt word is refused" {
	configure --disable-nls --with-everything
	[ "$(tail -n 1 err)" = 'configure: WARNING: unrecognized options: --disable-nls, --with-everything' ]
	rm build/Makefile
	refuses 'unrecognized option' --disabel-qpu
}

@test "a switch takes yes or no" {
	refuses "--enable-qpu takes yes or no, not 'maybe'" --enable-qpu=maybe
	refuses "--enable-qpuemu takes yes or no, not ''" --enable-qpuemu=
}

@test "impossible combinations are refused" {
	refuses '--enable-tools and --disable-qpu exclude each other' \
		--disable-qpu --enable-tools
	refuses '--enable-qpuemu needs the tools' \
		--disable-tools --enable-qpuemu
	refuses '--enable-qpuemu needs the tools' \
		--enable-qpuemu --disable-qpu
}

# built WORD...: programs that make would build after this
built()
{
	configure "$@" || fail "$*: $(cat err)"
	printf 'show:\n\t@echo $(bin_PROGRAMS) $(preload_PROGRAMS) %s\n' \
		'$(libraryexec_DATA)' |
		make -s -C build -f Makefile -f - show
}

@test "each switch leaves out its part, switches of others nothing" {
	local tools='qpuasm qpudis qpurun' library=libsha256many.a
	local libraries="$library libqpu.a"
	# Packagers may pass switches of others.
	[ "$(built --disable-nls --disable-qpuemu --without-x)" = \
		"qpu-sha256sum $tools $libraries" ]
	[ "$(built --disable-tools)" = "qpu-sha256sum $library" ]
	grep -q '^#define WITH_QPU 1$' build/config.h
	[ "$(built --enable-qpu=no)" = "qpu-sha256sum $library" ]
	[ "$(grep -c '^#define WITH_QPU' build/config.h)" = 0 ]
	[ "$(built --disable-qpu --disable-libraries)" = qpu-sha256sum ]
}

@test "OpenSSL is needed, unless it is left out" {
	mkdir -p none/openssl
	echo '#error none here' >none/openssl/sha.h
	forget 'openssl|ac_cv_lib_crypto'
	refuses "headers are needed .*--without-openssl" CPPFLAGS=-I../none
	configure --without-openssl CPPFLAGS=-I../none
	grep -q '^CRYPTO_LIBS = *$' build/Makefile
	[ "$(grep -c '^#define WITH_OPENSSL' build/config.h)" = 0 ]
}

@test "argp: without it configure names argp-standalone" {
	mkdir none
	echo '#error none here' >none/argp.h
	forget argp
	refuses 'argp-standalone' CPPFLAGS=-I../none
}

@test "argp: where the C library has none it is taken from libargp" {
	mkdir argp
	echo 'char standalone_parse(void) { return 0; }' >argp/argp.c
	# shellcheck disable=SC2086 # CC may carry options
	${CC:-cc} -c -o argp/argp.o argp/argp.c
	ar cr argp/libargp.a argp/argp.o
	forget argp
	configure CPPFLAGS=-Dargp_parse=standalone_parse \
		LDFLAGS=-L../argp || fail "$(cat err)"
	grep -q '^LIBS = .*-largp' build/Makefile
}

# Definitions of newer C libraries are hidden; their users still compile.
@test "RWF_NOWAIT and M_ARENA_MAX are optional" {
	local file
	mkdir -p older/sys
	printf '#include_next <sys/uio.h>\n#undef RWF_NOWAIT\n' \
		>older/sys/uio.h
	printf '#include_next <malloc.h>\n#undef M_ARENA_MAX\n' \
		>older/malloc.h
	touch config.h
	for file in lanes/disk pipeline/pipeline; do
		"${CC:-cc}" -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror \
			-fsyntax-only -isystem older -I . -I "$TOP" \
			"$TOP/src/$file.c"
	done
}
