#!/bin/sh
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Makes a directory with links to the few plugins that the tests use. A registry of these is read quickly, and other
# plugins with leaks at startup do not appear in the sanitizers' reports.
#
# Usage: link-plugins.sh DIRECTORY PLUGIN-DIRECTORY NAME...
set -eu
directory=$1
from=$2
shift 2
rm -rf "$directory"
mkdir -p "$directory"
for name in "$@"; do
  [ ! -e "$from/libgst$name.so" ] || ln -s "$from/libgst$name.so" "$directory"
done
