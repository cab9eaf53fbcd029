#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
#
# schema: the installed JSON schema accepts all that --json prints, and rejects
# what it never prints.

load ../support/common

schema=$TOP/man/qpu-sha256sum.schema.json
digest=$(printf '%064d' 0)

setup()
{
	is_ours || skip "GNU has no such option"
	command -v python3 >/dev/null || skip "python3 is not installed"
	enter_scratch
}

# accepted: the schema accepts each line of standard input; err has those that it
# rejects
accepted()
{
	python3 "$TOP/tests/support/check-json.py" --schema "$schema" 2>err
}

# print_all: print objects of every kind that --json has
print_all()
{
	mkdir -p t/dir
	printf 'a' | tee t/a t/b t/$'\377' t/new >/dev/null
	printf 'was gone' >t/moved
	(
		cd t
		sum --json a $'\377' nothere dir
		sum --json -r .
		sum a b $'\377' >../list
		sum a >$'list\376'
		{
			printf '%s  gone\n' "$(oracle <moved | cut -c 1-64)"
			printf '%s  %s\n' "$digest" b "$digest" gone \
				"$digest" dir
			printf 'junk\n'
		} >>../list
		: >../empty
		sum -c --json --strict --unlisted ../list $'list\376'
		sum -c --json ../empty ../nothere
		sum -c --json --unlisted=nothere ../list
		sum --list-devices --json
		printf '1' >./1
		touch -d 2001-01-01 1 a b
		rm ../list
		sum -r --update=../list --json .
		mv b copied
		mv a 1
		printf 'edited' >b
		rm new
		sum -c --why --json ../list
		sum -r --update=../list --json .
		sum -r --update=../list --prune=all --json .
	) 2>/dev/null || :
}

@test "all that --json prints is accepted" {
	print_all >out
	accepted <out || fail "$(cat err)"
	for part in '"sha256"' '"error"' '"OK"' '"FAILED"' '"MISSING"' \
		'"UNREADABLE"' '"cause"' '"change":"new"' '"change":"missing"' '"change":"dropped"' '"from"' '"UNLISTED"' '"MOVED"' '"summary":"hash"' \
		'"summary":"check"' '"name_base64"' '"list_base64"' \
		'improperly formatted' 'no properly formatted' '"engine"'; do
		grep -q "$part" out || fail "no $part in the output"
	done
}

@test "the devices of every board are accepted" {
	local options
	[ -x "$BUILD/qpuemu" ] || skip "there is no qpuemu"
	! under_qemu || skip "qpuemu is for programs of this machine"
	while read -r options; do
		# shellcheck disable=SC2086
		"$BUILD/qpuemu" $options "$PROGRAM" --list-devices --json
	done >out <<-'END'
	--board=pi1
	--board=pi3 --system=bookworm64 --kms=no
	--board=pi3 --system=bookworm64 --kms=no --user=nobody
	--board=pi3 --system=trixie --kms --user=video
	--board=zero --system=dietpi
	--board=pi3 --system=mainline
	--board=pi4
	--board=pc
	END
	accepted <out || fail "$(cat err)"
	for part in '"nodes":[{' '"steps":[{' '"clock_hz":250000000' \
		'"most_clock_hz":400000000' '"reason"' '"firmware":"20'; do
		grep -qF "$part" out || fail "no $part in the output"
	done
}

@test "objects that --json never prints are rejected" {
	printf '%s\n' '1' '[]' '{}' '{"name":"a"}' \
		'{"name":"a","sha256":"00","size":1,"device":"cpu"}' \
		'{"name":"a","sha256":"'"$digest"'","size":-1,"device":"cpu"}' \
		'{"name":"a","sha256":"'"$digest"'","size":1,"device":"x"}' \
		'{"name":"a","sha256":"'"$digest"'","size":"1","device":"cpu"}' \
		'{"name":"a","name_base64":"YQ==","error":"x"}' \
		'{"name_base64":"YQ=","error":"x"}' \
		'{"name":"a","verdict":"OK"}' \
		'{"name":"a","verdict":"UNLISTED","error":"x"}' \
		'{"list":"l","line":0,"error":"x"}' \
		'{"list":"l"}' \
		'{"summary":"hash","files":1,"failed":0,"status":0}' \
		'{"name":"b","verdict":"MOVED","from":"a"}' \
		'{"device":"qpu","engine":"mailbox","about":"x"}' \
		'{"device":"qpu","engine":"mailbox","usable":1,"about":"x"}' \
		'{"device":"qpu","engine":"mailbox","usable":true,"about":"x","nodes":[{}]}' \
		'{"device":"qpu","engine":"mailbox","usable":true,"about":"x","name":"a"}' \
		'{"name":"a","list":"l","line":1,"verdict":"MISSING","expected":"'"$digest"'"}' >never
	accepted <never && fail "all are accepted"
	sed 's/^not accepted: //' err >got
	same never got
}
