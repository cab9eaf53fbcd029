# SPDX-License-Identifier: MIT
#
# fish completion for qpu-sha256sum.  Operands are files of any name, also
# behind -c, as a check list may have any name.

function __qpu_sha256sum_devices
    printf '%s\t%s\n' \
        auto 'QPUs where they are worth it, else the CPU' \
        cpu 'the CPU' \
        emulator 'an emulated VideoCore IV' \
        qpu 'the QPUs of this Raspberry Pi'
    # What is typed already stays up to the last colon or comma.
    set -l typed (string match -r '.*[:,]' -- (commandline -ct) |
        string replace -r '^--device=' '')
    string match -q 'emulator:*' -- $typed; or set typed emulator:
    set -l words check fault=alloc@ fault=lane@ fault=refuse@ fault=stuck@ \
        mem= qpus= seed= timed
    printf '%s\n' $typed$words
end

set -l own complete -c qpu-sha256sum
$own -s b -l binary -d 'Mark names as read in binary mode'
$own -s c -l check -d 'Read check lists and check the files'
$own -s r -l recursive -d 'Hash all files below directories'
$own -s t -l text -d 'Mark names as read in text mode'
$own -s w -l warn -d 'With -c: warn about malformed lines'
$own -s z -l zero -d 'End lines with NUL and escape no names'
$own -l benchmark -d 'Measure every engine and kernel in memory'
$own -l check-zero -d 'Check lists written with -z'
$own -l detect-changes -d 'A file that changes while it is read is an error'
$own -l device -x -a '(__qpu_sha256sum_devices)' -d 'Hash on this device'
$own -l files0-from -r -F -d 'Read names, each ended by NUL, from a file'
$own -l help -d 'Print help'
$own -l ignore-missing -d 'With -c: pass over files that do not exist'
$own -l json -d 'Print JSON, an object a line'
$own -l list-devices -d 'List devices, and why they cannot be used'
$own -l progress -d 'Show how far the work has come'
$own -l quiet -d 'With -c: print no OK'
$own -l stats -d 'Tell what the device has done'
$own -l status -d 'With -c: print nothing'
$own -l strict -d 'With -c: fail if any line is malformed'
$own -l tag -d 'Print BSD lines'
$own -l threads -x -a '0 (seq (nproc))' -d 'Use at most so many threads'
$own -l verify -d 'Compute every digest again, and compare'
$own -l version -d 'Print the version'
