#!/bin/sh
# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Makes a directory with the few plugins that the tests use: a registry of these is read at once, and plugins that
# are none of ours and leak at start stay out of the sanitizers' reports.
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
