#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""histories.py [--count=N] [--seed=S] [--one=S] [--kills=PRELOAD] PROGRAM: random histories of a tree and its list.

Each history makes a tree in a directory of its own below the working directory,
plays random steps on it (edits, damage, moves, rotations, disks that are unmounted,
odd clocks, interruptions, lists and indexes that are replaced) and calls --update
and -c --why in between.  After each call LIST and the output are compared with
the table of qpu-sha256sum-lists(7), which is implemented here a second time:
from the state of the tree, LIST and LIST.index before the call, `Judge` derives
what LIST may contain and what may be printed.

The exit status is 0 if all histories were right.  A wrong one is printed with its
seed and its steps; --one=S plays it again.  With --kills=PRELOAD, which is
tests/support/preload.so, some updates are killed before a random one of their
changes to files.
"""
import argparse
import copy
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time

NAMES = ["a", "b", "c", "IMG_1", "IMG_2", "IMG_3", "log", "log.1", "log.2",
         "a b", "x\ny", "b\\c", "\u00fc"]
DIRECTORIES = ["", "d/", "e/", "d/f/", "disk/", "disk/g/"]
SECOND = 10**9
OLD = 1_400_000_000 * SECOND    # most files are modified around this time


def digest_of(data):
    return hashlib.sha256(data).hexdigest()


def equal_times(a, b):
    """Return true if two times are equal within the precision of file systems."""
    if a == b:
        return True
    return (a % SECOND == 0 or b % SECOND == 0) and abs(a - b) < 2 * SECOND


class Row:
    """A row of LIST.index: a digest and the file that had it."""

    def __init__(self, digest, stat, now):
        self.digest, self.size = digest, stat.st_size
        self.mtime, self.inode = stat.st_mtime_ns, stat.st_ino
        # In between it depends on when LIST.part was written.
        self.young = abs(self.mtime - now) < 2 * SECOND
        self.maybe_young = abs(self.mtime - now) < 60 * SECOND
        # False if a kill may have come before LIST.index was written.
        self.is_certain = True

    def has(self, file):
        return self.size == file.size and equal_times(self.mtime, file.mtime)


class File:
    """A file as it is now."""

    def __init__(self, path):
        stat = os.stat(path)
        with open(path, "rb") as stream:
            self.digest = digest_of(stream.read())
        self.stat, self.size = stat, stat.st_size
        self.mtime, self.inode = stat.st_mtime_ns, stat.st_ino


def unescape(name):
    return (name.replace("\\\\", "\0").replace("\\n", "\n")
            .replace("\\r", "\r").replace("\0", "\\"))


def escape(name):
    return (name.replace("\\", "\\\\").replace("\n", "\\n")
            .replace("\r", "\\r"))


def write_list(path, lines):
    """Write names and digests as sha256sum does."""
    with open(path, "w", encoding="utf-8") as stream:
        for name in sorted(lines, key=lambda name: name.encode()):
            mark = "\\" if escape(name) != name else ""
            stream.write(f"{mark}{lines[name]}  {escape(name)}\n")


def parse_list(data):
    """Return the names of a list with their digests."""
    lines = {}
    for line in data.decode().split("\n")[:-1]:
        escaped = line.startswith("\\")
        digest, name = line[escaped:].split("  ", 1)
        name = plain(unescape(name) if escaped else name)
        if name in lines:
            raise Wrong(f"LIST has {name!r} twice")
        lines[name] = digest
    return lines


def plain(name):
    return name[2:] if name.startswith("./") else name


def folder(name):
    return name.rpartition("/")[0]


def base(name):
    return name.rpartition("/")[2]


class Wrong(Exception):
    """The program did something that the table does not allow."""


def want(condition, what):
    if not condition:
        raise Wrong(what)


class Report:
    """The changes that an update printed: the word and the origin of each name."""

    def __init__(self, output, before, files):
        self.words, self.origin = {}, {}
        rows = [json.loads(line) for line in output.decode().splitlines()]
        rows = [row for row in rows if "summary" not in row]
        # A directory that moved counts the names that have no line of their own.
        for row in sorted(rows, key=lambda row: "files" in row):
            want("change" in row, f"not a change: {row}")
            self.add(row, before, files)

    def add(self, row, before, files):
        name, word = plain(row["name"]), row["change"]
        origin = plain(row["from"]) if "from" in row else None
        if "files" not in row:
            want(name not in self.words, f"{name!r} is reported twice")
            self.words[name], self.origin[name] = word, origin
            return
        name = name.rstrip("/")
        base = name if word in ("missing", "dropped") else origin.rstrip("/")
        below = [n for n in before if not base or base == "." or
                 n.startswith(base + "/")]
        if word == "moved":
            below = [n for n in below if name + n[len(base):] in files and
                     files[name + n[len(base):]].digest == before[n] and
                     (n not in files or files[n].digest != before[n]) and
                     before.get(name + n[len(base):]) != before[n] and
                     name + n[len(base):] not in self.words]
        want(len(below) == row["files"],
             f"{name!r}: {row['files']} files, not {len(below)}")
        for old in below:
            new = old if word != "moved" else name + old[len(base):]
            want(new not in self.words, f"{new!r} is reported twice")
            self.words[new] = word
            self.origin[new] = old if word == "moved" else None


class Judge:
    """The table of --update: what it may do with each name."""

    def __init__(self, before, index, files):
        self.before, self.files = before, files
        self.rows = {name: row for name, row in index.items()
                     if before.get(name) == row.digest}
        self.twins = {}
        for name, row in self.rows.items():
            self.twins.setdefault(row.size, []).append((row.mtime, name))
        self.kinds = {name: self.kind(name) for name in before}
        self.spread()

    def is_twin(self, name):
        row, file = self.rows[name], self.files[name]
        return row.inode != file.inode and any(
            other != name and equal_times(mtime, file.mtime)
            for mtime, other in self.twins[row.size])

    def kind(self, name):
        """Return the set of kinds that the name may be."""
        file, row = self.files.get(name), self.rows.get(name)
        if not file:
            return {"gone"}
        same = file.digest == self.before[name]
        unknown = {"same" if same else "unknown"}
        if not row:
            return unknown
        kinds = self.kind_by_row(name, file, row, same)
        if row.is_certain:
            return kinds
        # The row may belong to any file with this digest.
        return kinds | unknown | ({"damaged"} if "twin" in kinds else set())

    def kind_by_row(self, name, file, row, same):
        if row.has(file):
            if same:
                return {"same"}
            if row.young:
                return {"edited"}
            if self.is_twin(name):
                return {"twin"}
            return {"damaged", "edited"} if row.maybe_young else {"damaged"}
        return {"same"} if same else {"edited"}

    def spread(self):
        """Apply the rule for trees that were copied without their times."""
        old = [n for n in self.rows if n in self.files]
        copied = [n for n in old if not self.rows[n].has(self.files[n]) and
                  self.files[n].digest == self.before[n]]
        self.copied = len(old) >= 8 and len(copied) * 2 > len(old)
        for name in old:
            if "edited" in self.kinds[name] and (
                    self.files[name].size == self.rows[name].size):
                if self.copied and self.rows[name].is_certain:
                    self.kinds[name] = {"unknown"}
                elif len(copied) >= 3:
                    # The manual does not define what the half is taken from.
                    self.kinds[name] = self.kinds[name] | {"unknown"}

    def is_refused(self, new):
        """Return true if this must be the wrong directory, None if it may be."""
        if not self.before or not self.files or (
                any(n in self.files for n in self.before)):
            return False
        found = {self.files[n].digest for n in new}
        known = sum(d in found for d in self.before.values())
        return known * 2 < len(self.before)

    # --- The output and LIST ---

    def check(self, after, report, status, prune, accepted):
        for name in accepted:
            self.kinds[name] = self.kinds[name] | {"edited"}
        new = [n for n in self.files if n not in self.before]
        if status == 1 and after == self.before and self.before and (
                not any(n in self.files for n in self.before)):
            return      # refused, if empty and equal files do not count
        if self.is_refused(new):
            want(status == 1 or status < 0, "the wrong directory is not refused")
            want(after == self.before, "LIST changed although it was refused")
            return
        for name in new:
            self.check_new(name, after, report)
        for name in self.before:
            if name in self.files:
                self.check_old(name, after, report, accepted)
            else:
                self.check_gone(name, after, report, prune)
        extra = set(after) - set(self.before) - set(self.files)
        want(not extra, f"LIST has {extra}, which never was there")
        if report:
            differs = any(word == "differs" for word in report.words.values())
            want(status == (1 if differs else 0), f"status {status}")
            extra = set(report.words) - set(self.files) - set(self.before)
            want(not extra, f"reports about {extra}")

    def changed(self, name):
        """Return true if a name does not have its old digest any more."""
        return bool(self.kinds[name] & {"gone", "edited", "twin", "unknown"})

    def origins(self, name):
        """Return the names from which this file may have moved."""
        digest = self.files[name].digest
        return {n for n in self.before if n != name and
                self.before[n] == digest and self.changed(n)}

    def check_new(self, name, after, report):
        file = self.files[name]
        want(name in after, f"{name!r} is not in LIST")
        ghosts = {n for n, row in self.rows.items()
                  if "gone" in self.kinds[n] and row.size == file.size and
                  equal_times(row.mtime, file.mtime) and
                  row.digest != file.digest}
        same = {n for n in ghosts if self.rows[n].inode == file.inode and
                self.rows[n].is_certain and not self.rows[n].maybe_young and
                self.before[n] not in after.values()}
        origins = self.origins(name)
        if after[name] != file.digest:
            # Without a row an edit cannot be distinguished from damage.
            ghosts |= {n for n in self.before if "gone" in self.kinds[n] and
                       base(n) == base(name) and n not in self.rows}
            want(any(self.before[n] == after[name] for n in ghosts),
                 f"{name!r} has a digest that is not its own")
            if report:
                want(report.words.get(name) == "differs", f"{name!r} DIFFERS")
            return
        want(origins or not same,
             f"{name!r} was moved and damaged, and LIST has its new digest")
        if not report:
            return
        word, origin = report.words.get(name), report.origin.get(name)
        if word == "moved":
            want(origin in origins, f"{name!r} is not moved from {origin!r}")
        elif word == "copy":
            want(self.before.get(origin) == file.digest and
                 self.kinds[origin] & {"same", "damaged"},
                 f"{name!r}: no copy of {origin!r}")
        elif word == "edited":
            want(origin is not None and "gone" in self.kinds.get(origin, ()),
                 f"{name!r} is EDITED, moved from {origin!r}")
        else:
            want(word == "new", f"{name!r} is NEW, and not {word}")
            certain = [n for n in origins if "gone" in self.kinds[n] and
                       n in self.rows and self.rows[n].inode == file.inode]
            taken = {report.origin.get(n) for n in report.words}
            want(not [n for n in certain if n not in taken] or not file.size,
                 f"{name!r} is NEW, but was moved from {certain}")

    def check_old(self, name, after, report, accepted):
        file, kinds = self.files[name], self.kinds[name]
        old, now = self.before[name], file.digest
        word = report.words.get(name) if report else None
        want(name in after, f"{name!r} is a file and not in LIST any more")
        if name in accepted and old != now:
            want(after[name] == now, f"{name!r} was accepted")
            return
        if kinds == {"same"}:
            want(after[name] == old, f"{name!r} has another digest")
            want(word is None, f"{name!r} is as it was, and is {word}")
            return
        if kinds == {"damaged"}:
            want(after[name] == old, f"damage of {name!r} was taken")
            want(word is None, f"{name!r} is damaged, and is {word}")
            return
        origins = self.origins(name)
        if after[name] == old:
            want(kinds & {"unknown", "twin", "damaged"},
                 f"{name!r} was edited, and has its old digest")
            if report and "damaged" not in kinds:
                want(word == "differs", f"{name!r} DIFFERS, and is {word}")
            return
        want(after[name] == now, f"{name!r} has a digest out of nowhere")
        want("edited" in kinds or origins,
             f"{name!r} has the new digest, and may be damaged")
        if not report:
            return
        if word == "moved":
            want(report.origin[name] in origins,
                 f"{name!r} is not moved from {report.origin[name]!r}")
        else:
            want(word == "edited", f"{name!r} is EDITED, and not {word}")

    def check_gone(self, name, after, report, prune):
        if name in after:
            want(after[name] == self.before[name],
                 f"{name!r} is gone and has another digest")
            if report:
                word = report.words.get(name)
                want(word == "missing", f"{name!r} is MISSING, and not {word}")
                want(prune != "all", f"{name!r} is not pruned")
                want(not (prune and self.may_prune(name, after)),
                     f"{name!r} is not pruned")
            return
        moved = [n for n in after if n != name and
                 after[n] == self.before[name] and
                 (n not in self.before or self.before[n] != after[n])]
        if report:
            heirs = [n for n, origin in report.origin.items() if origin == name]
            word = report.words.get(name)
            want(heirs or word == "dropped", f"{name!r} left LIST silently")
            if heirs:
                return
        elif moved or any(base(n) == base(name) or name in self.rows and
                          self.rows[name].inode == self.files[n].inode
                          for n in self.files if n not in self.before):
            return      # moved, and perhaps edited
        want(prune, f"the digest of {name!r} is lost")
        want(prune == "all" or self.may_prune(name, after),
             f"{name!r} is pruned, but its directory may be off")

    def may_prune(self, name, after):
        directory = folder(name)
        inside = [n for n in self.before if folder(n) == directory]
        there = sum(n in self.files for n in inside)
        missing = 0
        for other in inside:
            if other not in self.files and (
                    other in after or self.before[other] not in after.values()
                    or other == name):
                missing += 1
        return there >= missing

    # --- The index afterwards ---

    def index_after(self, after, report, now):
        """Return the rows that LIST.index has after this update."""
        index = {}
        for name, digest in after.items():
            file = self.files.get(name)
            origin = report.origin.get(name) if report else None
            word = report.words.get(name) if report else None
            if file and file.digest == digest:
                row = self.rows.get(name)
                # A twin with another inode was read, and its row has the new inode.
                if row and row.digest == digest and row.has(file) and (
                        not row.young and not self.is_twin(name)):
                    index[name] = row
                else:
                    index[name] = Row(digest, file.stat, now)
            elif word == "differs" and origin in self.rows:
                index[name] = self.rows[origin]
            elif word == "differs" and self.kinds.get(name) == {"twin"}:
                index[name] = self.rows[name]
            elif not report and file and name not in self.before:
                for row in self.rows.values():
                    if row.digest == digest and row.has(file):
                        index[name] = row
            elif word != "differs" and name in self.rows and (
                    self.before[name] == digest):
                index[name] = self.rows[name]
        return index


class History:
    """A tree, its list, and a log of the steps that were played."""

    kills = None        # preload.so, if some updates are to be killed

    def __init__(self, program, seed, directory):
        self.program, self.random = program, random.Random(seed)
        self.directory = directory
        self.tree = os.path.join(directory, "tree")
        self.list = os.path.join(directory, "list")
        self.index, self.saved, self.log = {}, None, []
        self.away = None
        os.makedirs(self.tree)

    def path(self, name):
        return os.path.join(self.tree, name)

    def names(self):
        """Return the names of all files, in a fixed order."""
        above = len(self.tree) + 1
        return sorted(os.path.join(place, name)[above:]
                      for place, _, names in os.walk(self.tree)
                      for name in names)

    def content(self, size=None):
        if size is None:
            size = self.random.choice([0, 1, 5, 5, 5, 100])
        return self.random.randbytes(size)

    def time(self):
        """Return a random time of modification, far from that of the run."""
        seconds = self.random.randrange(-2 * 10**8, 2 * 10**8)
        if self.random.random() < 0.1:
            seconds += 2 * 10**9        # a camera's clock is in 2077
        part = self.random.choice([0, 0, 1, self.random.randrange(SECOND)])
        return OLD + seconds * SECOND + part

    def write(self, name, data, mtime):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "wb") as stream:
            stream.write(data)
        os.utime(self.path(name), ns=(mtime, mtime))

    def free_name(self):
        for _ in range(20):
            name = self.random.choice(DIRECTORIES) + self.random.choice(NAMES)
            if not os.path.lexists(self.path(name)) and (
                    not name.startswith("disk/") or not self.away):
                return name
        return None

    def some(self):
        names = self.names()
        return self.random.choice(names) if names else None

    # --- Steps ---

    def make(self):
        name = self.free_name()
        if name:
            self.write(name, self.content(), self.time())
        return name

    def edit(self):
        name = self.some()
        if name:
            self.write(name, self.content(), self.time())
        return name

    def edit_now(self):
        """Edit a file just before and after an update, with the same current time."""
        name = self.some()
        if not name:
            return None
        now = time.time_ns()
        self.write(name, self.content(5), now)
        self.update()
        self.write(name, self.content(5), now)
        return name

    def damage(self):
        name = self.some()
        if not name:
            return None
        stat = os.stat(self.path(name))
        with open(self.path(name), "r+b") as stream:
            stream.write(self.content(stat.st_size))
        os.utime(self.path(name), ns=(stat.st_mtime_ns, stat.st_mtime_ns))
        return name

    def touch(self):
        name = self.some()
        if name:
            mtime = self.time()
            os.utime(self.path(name), ns=(mtime, mtime))
        return name

    def remove(self):
        name = self.some()
        if name:
            os.remove(self.path(name))
        return name

    def move(self):
        name, target = self.some(), self.free_name()
        if not name or not target:
            return None
        os.makedirs(os.path.dirname(self.path(target)), exist_ok=True)
        os.rename(self.path(name), self.path(target))
        if self.random.random() < 0.15:
            stat = os.stat(self.path(target))
            with open(self.path(target), "r+b") as stream:
                stream.write(self.content(stat.st_size))
            os.utime(self.path(target), ns=(stat.st_mtime_ns,) * 2)
            return f"{name} -> {target}, damaged"
        return f"{name} -> {target}"

    def rotate(self):
        """Let log.1 become log.2, log become log.1, and begin a new log."""
        if not os.path.exists(self.path("log")):
            self.write("log", self.content(5), self.time())
        for old, new in (("log.1", "log.2"), ("log", "log.1")):
            if os.path.exists(self.path(old)):
                os.rename(self.path(old), self.path(new))
        self.write("log", self.content(5), self.time())
        return "log"

    def swap(self):
        one, other = self.some(), self.some()
        if not one or one == other:
            return None
        os.rename(self.path(one), self.path("swap"))
        os.rename(self.path(other), self.path(one))
        os.rename(self.path("swap"), self.path(other))
        return f"{one} <-> {other}"

    def swap_directories(self):
        if not all(os.path.isdir(self.path(d)) for d in "de"):
            return None
        os.rename(self.path("d"), self.path("swap"))
        os.rename(self.path("e"), self.path("d"))
        os.rename(self.path("swap"), self.path("e"))
        return "d <-> e"

    def rename_directory(self):
        old = self.random.choice(["d", "e", "d/f"])
        new = old + self.random.choice("xyz")
        if not os.path.isdir(self.path(old)) or os.path.exists(self.path(new)):
            return None
        os.rename(self.path(old), self.path(new))
        return f"{old} -> {new}"

    def copy(self):
        name, target = self.some(), self.free_name()
        if not name or not target:
            return None
        with open(self.path(name), "rb") as stream:
            data = stream.read()
        kept = os.stat(self.path(name)).st_mtime_ns
        self.write(target, data, self.random.choice([kept, self.time()]))
        return f"{name} -> {target}"

    def copy_tree(self):
        """Copy the whole tree without its times, then change one file."""
        for name in self.names():
            mtime = self.time()
            os.utime(self.path(name), ns=(mtime, mtime))
        return self.damage() if self.random.random() < 0.5 else "whole"

    def unmount(self):
        if self.away or not os.path.isdir(self.path("disk")):
            return None
        self.away = os.path.join(self.directory, "away")
        os.rename(self.path("disk"), self.away)
        os.mkdir(self.path("disk"))
        return "disk"

    def mount(self):
        if not self.away:
            return None
        shutil.rmtree(self.path("disk"), ignore_errors=True)
        os.rename(self.away, self.path("disk"))
        self.away = None
        return "disk"

    def lose_index(self):
        if not os.path.exists(self.list + ".index"):
            return None
        os.remove(self.list + ".index")
        self.index = {}
        return "LIST.index"

    def save_index(self):
        if not os.path.exists(self.list + ".index"):
            return None
        shutil.copy(self.list + ".index", self.list + "-index")
        self.saved = dict(self.index)
        return "LIST.index"

    def restore_index(self):
        """Put back the index of an older list."""
        if self.saved is None or not os.path.exists(self.list):
            return None
        shutil.copy(self.list + "-index", self.list + ".index")
        self.index = dict(self.saved)
        return "LIST.index"

    def edit_list(self):
        """Remove a line from LIST and change another, as another program could."""
        lines = self.lines()
        if len(lines) < 3:
            return None
        one, other = self.random.sample(sorted(lines), 2)
        del lines[one]
        lines[other] = digest_of(self.content(8))
        write_list(self.list, lines)
        return f"without {one}, another digest of {other}"

    STEPS = [(make, 6), (edit, 4), (edit_now, 1), (damage, 3), (touch, 2),
             (remove, 2), (move, 4), (rotate, 2), (swap, 2),
             (swap_directories, 1), (rename_directory, 2), (copy, 3),
             (copy_tree, 1), (unmount, 1), (mount, 2), (lose_index, 1),
             (save_index, 1), (restore_index, 1), (edit_list, 1)]

    def step(self):
        step = self.random.choices([s for s, _ in self.STEPS],
                                   [w for _, w in self.STEPS])[0]
        what = step(self)
        if what:
            self.log.append(f"{step.__name__}: {what!r}")

    # --- Calls ---

    def lines(self):
        try:
            with open(self.list, "rb") as stream:
                return parse_list(stream.read())
        except FileNotFoundError:
            return {}

    def read(self, suffix=""):
        try:
            with open(self.list + suffix, "rb") as stream:
                return stream.read()
        except FileNotFoundError:
            return None

    def run(self, arguments, kill_at=None):
        """Run the program, and kill it before its kill_at-th change to a file."""
        faults = kill_at and {"LD_PRELOAD": self.kills,
                              "FAULTS": f"kill:{kill_at}"}
        done = subprocess.run([self.program, *arguments], cwd=self.tree,
                              stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=120, check=False,
                              env={**os.environ, **(faults or {})})
        self.log.append(f"{' '.join(arguments)} -> {done.returncode} "
                        f"{done.stdout.decode(errors='replace')!r} "
                        f"{done.stderr.decode(errors='replace')!r} " +
                        (f"kill:{kill_at}" if kill_at else ""))
        return done.returncode, done.stdout, done.stderr

    def files(self):
        return {name: File(self.path(name)) for name in self.names()}

    def arguments(self, judge):
        prune = self.random.choice([None] * 6 + ["some", "all"])
        accepted = []
        arguments = ["--json", "-r", "--update=../list"]
        if prune:
            arguments.append("--prune" if prune == "some" else "--prune=all")
        doubtful = [n for n, kinds in judge.kinds.items()
                    if kinds & {"damaged", "unknown", "twin"}]
        if doubtful and self.random.random() < 0.3:
            accepted = [self.random.choice(doubtful)]
            arguments.append("--accept=" + ("./" + accepted[0]))
        return arguments + ["."], prune, accepted

    def update(self):
        before, old, files = self.lines(), self.read(), self.files()
        judge = Judge(before, self.index, files)
        if not files and not before:
            return
        arguments, prune, accepted = self.arguments(judge)
        kill_at = (self.random.randrange(1, 26)
                   if self.kills and self.random.random() < 0.25 else None)
        index = self.read(".index")
        now = time.time_ns()
        status, output, errors = self.run(arguments, kill_at)
        if status == -signal.SIGKILL and kill_at:
            if (self.read(), self.read(".index")) == (old, index):
                if self.random.random() < 0.5:
                    self.step()
                return self.update()
            # LIST was replaced before the kill; the output may be incomplete.
            after = self.lines()
            judge.check(after, None, status, prune, accepted)
            self.check_old_list(old)
            if self.read(".index") != index:
                self.settle(judge, after, None)
            return self.again()
        want(status in (0, 1), f"status {status}: {errors.decode()}")
        after = self.lines()
        if prune and before and status == 1 and after == before and (
                not any(n in files for n in before)):
            return      # refused: nothing would be left of LIST
        report = Report(output, before, files)
        judge.check(after, report, status, prune, accepted)
        self.check_old_list(old)
        self.settle(judge, after, report, now)

    def check_old_list(self, old):
        want(old is None or old in (self.read(), self.read("~")),
             "LIST~ is not the old LIST")

    def settle(self, judge, after, report, now=None):
        """Keep the rows that LIST.index has now, and check that LIST.part is gone."""
        refused = judge.is_refused([n for n in judge.files
                                    if n not in judge.before])
        if not refused:
            self.index = judge.index_after(after, report, now or time.time_ns())
            if not report:
                for name, row in self.index.items():
                    self.index[name] = copy.copy(row)
                    self.index[name].is_certain = False
        if report and report.words:
            want(not os.path.exists(self.list + ".part"),
                 "LIST.part stays after an update")

    def again(self):
        """Update once more, after a kill that came once LIST was replaced."""
        self.index = {name: row for name, row in self.index.items()
                      if name in self.lines()}
        self.update()

    def check(self):
        """Compare the output of -c --why with the files."""
        lines, files = self.lines(), self.files()
        if not lines:
            return
        judge = Judge(lines, self.index, files)
        status, output, errors = self.run(["--json", "-c", "--why", "../list"])
        rows = {plain(row["name"]): row
                for row in map(json.loads, output.decode().splitlines())
                if "summary" not in row}
        want(set(rows) == set(lines), f"-c does not report all: {errors!r}")
        bad = [n for n in lines
               if n not in files or files[n].digest != lines[n]]
        want(status == (1 if bad else 0), f"-c: status {status}")
        for name in bad:
            if name not in files:
                continue
            self.check_cause(name, rows[name], judge)

    def check_cause(self, name, row, judge):
        cause, file = row.get("cause"), judge.files[name]
        want(cause, f"-c --why does not say why {name!r} failed")
        twin = [n for n, d in judge.before.items()
                if d == file.digest and n != name]
        known = judge.rows.get(name)
        if twin and file.size:
            want(cause == "moved" and plain(row["from"]) in twin,
                 f"{name!r} has the digest of {twin}, not: {row}")
        elif not known:
            want("known" in cause, f"{name!r}: not known, and not {cause}")
        elif known.has(file):
            want("damaged" in cause or known.maybe_young or
                 not known.is_certain,
                 f"{name!r} is damaged, and not {cause}")
        else:
            want("edited" in cause or not known.is_certain, f"{name!r} is edited, and not {cause}")


def play(program, seed, directory):
    """Play one history.  Return its log, and what was wrong or None."""
    shutil.rmtree(directory, ignore_errors=True)
    os.makedirs(directory)
    history = History(program, seed, directory)
    try:
        for _ in range(history.random.randrange(3, 12)):
            history.make()
        for _ in range(history.random.randrange(2, 9)):
            history.update()
            for _ in range(history.random.choice([1, 1, 2, 3, 6])):
                history.step()
            if history.random.random() < 0.5:
                history.check()
        history.update()
    except (Wrong, subprocess.TimeoutExpired, KeyError,
            json.JSONDecodeError) as error:
        return history.log, f"{type(error).__name__}: {error}"
    shutil.rmtree(directory, ignore_errors=True)
    return history.log, None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--one", type=int)
    parser.add_argument("--kills", type=os.path.abspath)
    parser.add_argument("program")
    options = parser.parse_args()
    History.kills = options.kills
    seeds = ([options.one] if options.one is not None else
             range(options.seed, options.seed + options.count))
    bad = 0
    for seed in seeds:
        log, wrong = play(os.path.abspath(options.program), seed,
                          os.path.join(os.getcwd(), f"history-{seed}"))
        if not wrong:
            continue
        bad += 1
        print(f"history {seed}: {wrong}")
        for line in log:
            print(f"    {line}")
    print(f"{len(seeds)} histories, {bad} wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
