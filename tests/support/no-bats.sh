#!/bin/sh
# SPDX-License-Identifier: MIT
# no-bats: stands in for bats where that is not installed, and says so.
echo "1..0 # SKIP bats is not installed (Debian package: bats)"
