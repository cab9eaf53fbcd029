# SPDX-License-Identifier: MIT
# fish completion for qpuemu: options, then the program and its own words.

# Are all words before the cursor's options, or values of these options?
function __qpuemu_no_program
    set -l words (commandline -opc)[2..]
    while set -q words[1]
        string match -q -- '-*' $words[1]; or return 1
        contains -- $words[1] $argv; and set -e words[2]
        set -e words[1]
    end
end

set -l valued --board --cma --cma-hole --debug-launch --debug-script --delay \
    --dirty --enable-answers --fault --heap-used --ignore --kernel-timeout \
    --leaks --lines --memory --qpus --seed --system --timeline --trace \
    --user --v3d-clock --vcsm-delay
set -l own complete -c qpuemu -n "__qpuemu_no_program $valued"
complete -c qpuemu -x -a "(__fish_complete_subcommand -- $valued)"
$own -l board -x -a 'pc pi1 pi1b+ pi2 pi2v1.2 pi3 pi3a+ pi3b+ pi4 pi5 zero
    zero2 zerow' -d 'The board'
$own -l check -d 'Noise, random interleaving, report hazards'
$own -l classic-vcsm -d 'There is /dev/vcsm'
$own -l cma -x -d 'Memory of the kernel for /dev/vcsm-cma'
$own -l cma-hole -x -d 'Its largest free piece'
$own -l counters -d 'Print the counters of the hardware at the end'
$own -l debug -d 'Take commands at a launch'
$own -l debug-launch -x -d 'Launch at which the debugger starts'
$own -l debug-script -r -F -d 'Commands of the debugger'
$own -l delay -x -d 'Let each launch take longer'
$own -l dirty -x -a 'all none some' -d 'A killed program has left disorder'
$own -l enable-answers -x -a 'all ends single' \
    -d 'Which enables and disables answer 0'
$own -l fault -x -a 'alloc@ enable@ lane@ refuse@ stuck@' -d 'Break this'
$own -l fkms -d 'The driver of the kernel owns the V3D, by fkms'
$own -l heap-used -x -d 'GPU memory that is taken already'
$own -l ignore -x -d 'Rules that are not reported'
$own -l kernel-timeout -x -d 'How long the kernel waits for the firmware'
$own -l kms -d 'The driver of the kernel owns the V3D, by kms'
$own -l leaks -x -a 'error ignore report' -d 'GPU memory that is not released'
$own -l lines -r -F -d 'Line map of what is launched'
$own -l memory -x -d 'Memory of the GPU'
$own -l modprobe -d 'The module of /dev/vcsm-cma is loaded'
$own -l no-mem -d 'There is no /dev/mem'
$own -l no-vcio -d 'There is no /dev/vcio'
$own -l no-vcsm -d 'There is no /dev/vcsm-cma'
$own -l profile -d 'Print what each instruction cost'
$own -l qpus -x -a '(seq 12)' -d 'Number of QPUs'
$own -l seed -x -d 'Of noise, interleaving and fault'
$own -l system -x -a 'bookworm32 bookworm64 bullseye buster dietpi
    mainline plain trixie' -d 'Operating system'
$own -l timed -d 'Use the cycle model'
$own -l timeline -r -F -d 'Write a timeline in JSON'
$own -l trace -r -F -d 'Append each instruction'
$own -l udev-rule -d 'A rule gives the nodes to the group video'
$own -l user -x -a 'nobody root video' -d 'The user'
$own -l v3d-clock -x -d 'Clock of the QPUs'
$own -l vcsm-delay -x -d 'Let each allocation take longer'
$own -l help -d 'Print help'
$own -l usage -d 'Print a short help'
$own -s V -l version -d 'Print the version'
