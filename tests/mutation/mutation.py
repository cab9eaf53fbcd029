#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""mutation: do the tests notice small mistakes in the code?

Makes mutants of C sources (see mutants.py) in a copy of the source tree,
builds each one there, and runs the suites that cover its room until one of
them fails.  For developers; see CONTRIBUTING.md.
"""

import argparse
import fcntl
import filecmp
import hashlib
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

sys.dont_write_bytecode = True  # the sources stay as they are
import mutants  # noqa: E402

# A mutant may run so much longer than the code as it is, and then is stopped.
SLOWER = 5
MOST_BUILD_SECONDS = 1800
MOST_FILE_BYTES = 16 << 30

NOTICED, LATE, SURVIVED = "noticed", "timed out", "SURVIVED"
BROKEN, WARNED, SAME = "not compiled", "warned about", "same code"
OUTCOMES = (NOTICED, LATE, SURVIVED, WARNED, BROKEN, SAME)


def fail(message):
    sys.exit("mutation: " + message)


def suites_of_rooms(path, source):
    """The rows of the map: a room, and its suites."""
    rooms = {}
    for line in Path(path).read_text().splitlines():
        words = line.split("#")[0].split()
        if words and not line[0].isspace():
            suites = rooms.setdefault(words.pop(0), [])
        for word in words:
            name = "tests/" + word
            if name.endswith("/"):
                suites += sorted(
                    name + program.stem
                    for program in (Path(source) / name).glob("test-*.c"))
            else:
                suites.append(name)
    for suites in rooms.values():
        # A program of the folder that runs others is named, too.
        suites[:] = [one for one in suites if one + "+" not in suites]
    return rooms


def room_of(file, rooms):
    """The room with the longest name that the file is in."""
    inside = [room for room in rooms if file.startswith(room + "/")]
    return max(inside, key=len, default=None)


def remove_tree(path):
    """Trees of tests may be deeper than shutil.rmtree can go."""
    subprocess.run(["rm", "-rf", "--", str(path)], check=False,
                   stderr=subprocess.DEVNULL)


def kill_group(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


class Tree:
    """A copy of the sources in which mutants are built."""

    def __init__(self, source, build, make):
        self.source = Path(source).resolve()
        self.build = Path(build).resolve()
        self.make = make

    def lock(self):
        """Two at a time would try each other's mutants."""
        self.build.mkdir(parents=True, exist_ok=True)
        lock = open(self.build / "mutation-lock", "w")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            fail("another one is at work in %s" % self.build)
        return lock

    def sources(self):
        """The files under version control, or else all of them."""
        listed = subprocess.run(
            ["git", "-C", self.source, "ls-files", "-zco",
             "--exclude-standard"], capture_output=True, text=True)
        if listed.returncode == 0 and listed.stdout:
            return [name for name in listed.stdout.split("\0") if name]
        found = (path for path in self.source.rglob("*") if path.is_file())
        return [str(path.relative_to(self.source)) for path in found
                if self.build not in path.parents]

    def copy(self):
        """Copy what differs: the rest keeps its date, and is not rebuilt."""
        for name in self.sources():
            there, here = self.source / name, self.build / name
            if not there.is_file() or (
                    here.is_file() and filecmp.cmp(there, here, False)):
                continue
            here.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(there, here)
            shutil.copymode(there, here)

    def configure(self, words):
        if not (self.build / "configure.ac").exists():
            return
        if not (self.build / "configure").exists():
            self.must(["autoreconf", "-i"])
        if not (self.build / "Makefile").exists():
            self.must(["./configure", "-q", "CFLAGS=-O2 -g0"] + words)

    def must(self, command):
        ended = self.run(command)
        if ended.returncode:
            fail("%s: %s" % (" ".join(command), ended.stderr[-2000:]))

    def run(self, command):
        """Also kills a build in which a mutant runs for ever."""
        started = subprocess.Popen(
            command, cwd=self.build, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True, errors="replace",
            start_new_session=True)
        timer = threading.Timer(MOST_BUILD_SECONDS, kill_group, [started])
        timer.start()
        errors = started.communicate()[1]
        timer.cancel()
        return subprocess.CompletedProcess(command, started.returncode,
                                           stderr=errors)

    def compile(self, goals):
        return self.run(self.make_command(goals))

    def make_command(self, goals):
        return self.make.split() + ["-s", "-j%d" % os.cpu_count()] + goals

    def object(self, file):
        """A program's own object, if there is no other: it may need flags."""
        plain = (self.build / file).with_suffix(".o")
        own = sorted(plain.parent.glob("*-" + plain.name))
        return own[0] if own and not plain.exists() else plain

    def compile_object(self, file):
        return self.compile([str(self.object(file).relative_to(self.build))])


class Suite:
    """A test program, or a suite for a shell; both speak TAP."""

    def __init__(self, name, tree):
        self.runs_others = name.endswith("+")
        self.name = name = name.rstrip("+")
        self.tree = tree
        self.seconds = self.limit = None
        self.without = None  # the program as it is without a mutant
        if name.endswith(".bats"):
            self.command = ["bats", "--tap", name]
        elif name.endswith(".test"):
            self.command = ["bash", name]
        else:
            self.command = ["./" + name]

    def is_program(self):
        """A test program of its own, not one that runs programs of ours."""
        return self.command[0].startswith("./") and not self.runs_others

    def program(self):
        """What the test program is made of, or nothing for a suite."""
        if not self.is_program():
            return None
        return hashlib.sha256(
            (self.tree.build / self.name).read_bytes()).digest()

    def is_about(self, file):
        """Is the program named after the file?  Then it may notice first."""
        return self.is_program() and (
            Path(file).stem.replace("_", "-") in Path(self.name).name)

    def is_unchanged(self):
        """The mutant is not linked with it: it need not be run."""
        return self.without is not None and self.program() == self.without

    def goals(self):
        if self.is_program():
            return [self.name]
        # Not "all": its make of its own would build beside this one.
        return ["all-am", "check-data"] + [self.name] * self.runs_others

    def environment(self, scratch):
        build = str(self.tree.build)
        return dict(os.environ, QPU_BUILD=build, srcdir=".", TMPDIR=scratch,
                    QPU_SHA256SUM=build + "/qpu-sha256sum", QPU_TESTS="quick")

    def run(self):
        """NOTICED, LATE or SURVIVED, and what failed."""
        scratch = self.tree.build / "mutation-scratch"
        remove_tree(scratch)
        scratch.mkdir(exist_ok=True)
        started = subprocess.Popen(
            self.command, cwd=self.tree.build, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            errors="replace", env=self.environment(str(scratch)),
            start_new_session=True, preexec_fn=spare_the_disk)
        late = threading.Event()

        def stop():
            late.set()
            kill_group(started)

        timer = threading.Timer(self.limit or 3600, stop)
        timer.start()
        failed = None
        for line in started.stdout:
            if line.startswith("not ok"):
                failed = line.strip()
                break
        if failed:
            kill_group(started)
        status = started.wait()
        timer.cancel()
        kill_group(started)
        remove_tree(scratch)
        if failed:
            return NOTICED, failed
        if late.is_set():
            return LATE, "after %d s" % self.limit
        if status:
            return NOTICED, "status %d" % status
        return SURVIVED, ""

    def measure(self, patience):
        """Can it be used, and for how long may it run?"""
        self.tree.must(self.tree.make_command(self.goals()))
        self.without = self.program()
        start = time.monotonic()
        outcome, what = self.run()
        self.seconds = time.monotonic() - start
        self.limit = SLOWER * self.seconds + patience
        if outcome != SURVIVED:
            print("left out: %s fails without a mutant: %s" % (
                self.name, what))
        return outcome == SURVIVED


def spare_the_disk():
    """A mutant may write without an end."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_FILE_BYTES,) * 2)


def try_mutant(mutant, text, suites, tree):
    """What becomes of the mutant, and why.  The source is put back."""
    path = tree.build / mutant.file
    before = tree.compile_object(mutant.file)
    if before.returncode:
        fail("without a mutant make fails: " + before.stderr[-2000:])
    good = tree.object(mutant.file).read_bytes()
    try:
        path.write_text(mutant.apply(text))
        ended = tree.compile_object(mutant.file)
        if ended.returncode:
            return BROKEN, ""
        if "warning:" in ended.stderr and "warning:" not in before.stderr:
            return WARNED, ""
        if good == tree.object(mutant.file).read_bytes():
            return SAME, ""
        programs = [suite for suite in suites if suite.is_program()]
        # One make for all of them, since it takes longer than what it does.
        # Programs that are built with the mutant take part in the build.
        if tree.compile([suite.name for suite in programs]).returncode:
            return NOTICED, "the test programs cannot be built"
        all_built = False
        for suite in sorted(suites, key=lambda s: (
                not s.is_program(), not s.is_about(mutant.file), s.seconds)):
            if suite.is_program():
                if suite.is_unchanged():
                    continue
            elif not all_built:
                # Suites that run others are programs with the mutant, too.
                goals = {goal for one in suites for goal in one.goals()}
                if tree.compile(sorted(goals)).returncode:
                    return NOTICED, "%s cannot be built" % suite.name
                all_built = True
            outcome, what = suite.run()
            if outcome != SURVIVED:
                return outcome, "%s: %s" % (suite.name, what)
        return SURVIVED, ""
    finally:
        path.write_text(text)


def changed_lines(source, revision):
    """{file: line numbers} that differ from a revision."""
    diff = subprocess.run(
        ["git", "-C", source, "diff", "-U0", "--relative", revision, "--",
         "*.c"], capture_output=True, text=True, check=False)
    if diff.returncode:
        fail(diff.stderr.strip())
    changed = {}
    for line in diff.stdout.splitlines():
        if line.startswith("+++ b/"):
            lines = changed.setdefault(line[6:], set())
        hunk = re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line)
        if hunk:
            first, count = int(hunk[1]), int(hunk[2] or 1)
            lines.update(range(first, first + count))
    return changed


def candidates(tree, rooms, options):
    """The mutants that were asked for, and the texts of their files."""
    changed = (changed_lines(tree.source, options.changed)
               if options.changed else None)
    only = options.only.rstrip("/")
    found, texts = [], {}
    for file in sorted(tree.sources()):
        if (not file.endswith(".c") or not room_of(file, rooms)
                or only not in ("", file, room_of(file, rooms))
                or not (tree.source / file).is_file()):
            continue
        texts[file] = (tree.source / file).read_text()
        its = mutants.find(file, texts[file])
        if changed is not None:
            its = [m for m in its if m.line in changed.get(file, ())]
        found += its
    return found, texts


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--source", default=".", help="the source tree")
    parser.add_argument("--build", default="mutation-build",
                        help="its copy, in which mutants are built")
    parser.add_argument("--rooms", required=True,
                        help="the map from rooms to suites")
    parser.add_argument("--make", default="make")
    parser.add_argument("--only", default="", help="one room, or one file")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--changed", default="", metavar="REVISION",
                        help="only lines that differ from it")
    parser.add_argument("--patience", type=int, default=15,
                        metavar="SECONDS",
                        help="how long a suite may take more than usual")
    parser.add_argument("--id", default="",
                        help="only the mutant with this number")
    parser.add_argument("--list", action="store_true",
                        help="show the mutants, try none")
    parser.add_argument("configure", nargs="*",
                        help="what configure is told")
    return parser.parse_args()


def show_score(counts):
    noticed = counts[NOTICED] + counts[LATE]
    valid = noticed + counts[SURVIVED]
    print("\nnoticed %d of %d%s, %d of them by time-out" % (
        noticed, valid, " (%d %%)" % (100 * noticed // valid) if valid else "",
        counts[LATE]))
    print("not counted: %d warned about by the compiler, %d not compiled, "
          "%d same code" % (counts[WARNED], counts[BROKEN], counts[SAME]))


def main():
    options = arguments()
    # The make that runs this program is not the one that builds mutants.
    for name in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES"):
        os.environ.pop(name, None)
    rooms = suites_of_rooms(options.rooms, options.source)
    tree = Tree(options.source, options.build, options.make)
    found, texts = candidates(tree, rooms, options)
    if options.id:
        chosen = [m for m in found if m.identity() == options.id]
    else:
        chosen = mutants.sample(found, options.count, options.seed)
    if not chosen:
        fail("no mutant is like that")
    print("%d of %d mutants" % (len(chosen), len(found)))
    chosen.sort(key=lambda m: (m.file, m.start))
    if options.list:
        for mutant in chosen:
            print(mutant.identity(), "%s:%d" % (mutant.file, mutant.line),
                  mutant.change())
        return

    lock = tree.lock()  # until the end
    tree.copy()
    tree.configure(options.configure)
    suites = {}
    counts = dict.fromkeys(OUTCOMES, 0)
    for mutant in chosen:
        names = rooms[room_of(mutant.file, rooms)]
        for name in names:
            if name not in suites:
                suite = Suite(name, tree)
                usable = suite.measure(options.patience)
                suites[name] = suite if usable else None
        usable = [suites[name] for name in names if suites[name]]
        if not usable:
            fail("no suite is left for " + mutant.file)
        outcome, why = try_mutant(mutant, texts[mutant.file], usable, tree)
        counts[outcome] += 1
        print("%-12s %s %s:%d: %s%s" % (
            outcome, mutant.identity(), mutant.file, mutant.line,
            mutant.change(), "  # " + why if why else ""), flush=True)
    show_score(counts)


if __name__ == "__main__":
    main()
