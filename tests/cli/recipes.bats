#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# recipes: what the manual page recommends does what it promises.  Each recipe
# is taken from its page and run as it stands there.

load ../support/common

pages=("$TOP/man/qpu-sha256sum.1" "$TOP/man/qpu-sha256sum-lists.7")

setup()
{
	is_ours || skip "GNU has no such options"
	enter_scratch
	mkdir bin tree
	ln -s "$(realpath "$PROGRAM")" bin/qpu-sha256sum
	PATH=$PWD/bin:$PATH
	mkdir -p tree/.git tree/d
	for name in a b c.tmp d/e d/f.tmp .git/x; do
		printf '%s' "$name" >"tree/$name"
	done
}

# recipe WORDS: the commands of the recipe whose title begins with the words
recipe()
{
	awk -v title="$1" '
		/^\.SH/ { recipes = /RECIPES/ }
		recipes && index($0, title) == 1 { wanted = 1 }
		/^\.EE/ { wanted = shown = 0 }
		shown { print }
		wanted && /^\.EX/ { shown = 1 }' "${pages[@]}" |
		sed 's/\\-/-/g; s/\\(aq/'"'"'/g; s/\\e/\\/g' >commands
	[ -s commands ] || fail "no recipe: $1"
}

run_in()	# run_in DIRECTORY: the recipe
{
	local commands=$PWD/commands
	(cd "$1" && bash -eo pipefail "$commands")
}

@test "leave out names that match patterns" {
	recipe 'Leave out names'
	run_in tree
	(cd tree && oracle ./a ./b ./d/e) >expected
	same expected SHA256SUMS
}

@test "a list in the tree that it describes" {
	recipe 'Write a list into the tree'
	run_in tree
	run_in tree
	(
		cd tree
		oracle ./.git/x ./a ./b ./c.tmp ./d/e ./d/f.tmp
	) >expected
	same expected tree/SHA256SUMS
	recipe 'Is the tree what the list says'
	run_in tree
	printf 'x' >tree/new
	exits 1 run_in tree
	printed './new: NOT LISTED'
}

@test "go on after an interruption" {
	recipe 'Go on after an interruption'
	(cd tree && sum -r . >../all)
	for bytes in 0 100 200 $(($(wc -c <all) - 1)); do
		head -c "$bytes" all >list
		run_in tree
		same all list
	done
}

@test "one digest for a tree, wherever it is" {
	recipe 'One digest for a whole tree'
	run_in . >before
	mkdir elsewhere
	cp -r tree elsewhere/tree
	cp commands elsewhere
	(cd elsewhere && run_in . >../after)
	same before after
	printf 'x' >elsewhere/tree/a
	(cd elsewhere && run_in . >../after)
	if cmp -s before after; then fail "the digest is the same"; fi
}

@test "check a file against a bare digest" {
	printf 'one' >image.iso
	oracle image.iso | cut -d ' ' -f 1 >image.iso.sha256
	recipe 'Check a file against a bare digest'
	run_in . >out
	printed 'image.iso: OK'
	printf 'two' >image.iso
	exits 1 run_in .
	printed 'image.iso: FAILED'
}

@test "check a list that OpenSSL has made" {
	command -v openssl >/dev/null || skip "openssl is not installed"
	recipe 'Check a list that OpenSSL'
	printf 'one' >one.iso
	printf 'two' >'two words.iso'
	run_in . >out
	printed 'one.iso: OK' "'two words.iso': OK"
}
