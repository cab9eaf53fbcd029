# SPDX-License-Identifier: MIT
#
# fish completion for qpu-sha256sum.  Operands are files of any name, also
# after -c, since a check list may have any name.

function __qpu_sha256sum_devices
    printf '%s\t%s\n' \
        auto 'the QPUs if they are faster, else the CPU' \
        cpu 'the CPU' \
        emulator 'an emulated VideoCore IV' \
        emulator+cpu 'an emulated VideoCore IV and the CPU' \
        qpu 'the QPUs of this Raspberry Pi' \
        qpu: 'with options of the device' \
        qpu+cpu 'its QPUs and the CPU' \
        qpu+cpu: 'with options of the device'
    # Keep what was typed up to the last colon or comma.
    set -l typed (string match -r '.*[:,]' -- (commandline -ct) |
        string replace -r '^--device=' '')
    if string match -qr '^qpu(\+cpu)?:' -- $typed
        printf '%s\n' $typed{counters,mailbox,registers,short}
        return
    end
    string match -qr '^emulator(\+cpu)?:' -- $typed; or set typed emulator:
    set -l words check fault=alloc@ fault=data@ fault=lane@ fault=late@ fault=nothing@ \
        fault=once@ fault=refuse@ fault=row@ fault=short@ fault=stale@ \
        fault=stores@ fault=stuck@ fault=swap@ \
        mem= qpus= seed= timed
    printf '%s\n' $typed$words
end

set -l own complete -c qpu-sha256sum
$own -s b -l binary -d 'Mark names as read in binary mode'
$own -s c -l check -d 'Read check lists and check the files'
$own -s r -l recursive -d 'Hash all files below directories'
$own -s t -l text -d 'Mark names as read in text mode'
$own -s x -l one-file-system -d 'With -r and --unlisted: stay on one file system'
$own -s w -l warn -d 'With -c: warn about malformed lines'
$own -s z -l zero -d 'End lines with NUL and escape no names'
$own -l benchmark -d 'Measure every engine and kernel in memory'
$own -l check-zero -d 'Check lists written with -z'
$own -l detect-changes -d 'Report a file that changes while it is read'
$own -l device -x -a '(__qpu_sha256sum_devices)' -d 'Hash on this device'
$own -l files0-from -r -F -d 'Read NUL-terminated names from a file'
$own -l help -d 'Print help'
$own -l ignore-missing -d 'With -c: pass over files that do not exist'
$own -l json -d 'Print one JSON object per line'
$own -l list-devices -d 'List devices and whether they can be used'
$own -l one-at-a-time -d 'Read each file to its end before the next is opened'
$own -l progress -d 'Show the progress of the work'
$own -l quiet -d 'With -c: print no OK; with -r: print no notes'
$own -l stats -d 'Print device statistics to standard error'
$own -l status -d 'With -c: report by exit status only'
$own -l strict -d 'With -c: fail if any line is malformed'
$own -l tag -d 'Print BSD lines'
$own -l threads -x -a '0 (seq (nproc))' -d 'Use at most N threads (0 = automatic)'
$own -l unlisted -d 'With -c: report files that no list names'
$own -l verify -d 'Check every digest by two other implementations'
$own -l version -d 'Print the version'
