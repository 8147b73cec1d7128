# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What the scripts share. Source it; it finds the source tree by its own place.

LMCC_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

# Debian's own interpreter: the one that Debian's python3-* packages belong to.
PYTHON=/usr/bin/python3

say() {
  printf '%s\n' "$*" >&2
}

die() {
  say "$(basename "$0"): $*"
  exit 1
}

# packages_for NAME...: the packages that lib/packages lists under these names.
packages_for() {
  local name
  for name in "$@"; do
    awk -v name="$name" '$1 == name { for (i = 2; i <= NF; i++) print $i }' "$LMCC_ROOT/pipelines/lib/packages"
  done | sort -u
}

# need NAME...: installs what is missing of the packages under these names.
need() {
  local missing=() package privilege=()
  if ! command -v dpkg-query >/dev/null; then
    say "This is not a Debian system, so nothing is installed. Needed, by their Debian names:"
    say "  $(packages_for "$@" | tr '\n' ' ')"
    return
  fi
  for package in $(packages_for "$@"); do
    dpkg-query -W -f '${Status}\n' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return
  say "Installing what is missing: ${missing[*]}"
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null ||
      die "not root, and there is no sudo. As root: apt-get install --no-install-recommends ${missing[*]}"
    privilege=(sudo)
  fi
  "${privilege[@]}" apt-get update -qq >&2
  "${privilege[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2 ||
    die "apt-get could not install: ${missing[*]}"
}

# build DIRECTORY [MESON-OPTION...]: sets DIRECTORY up if it is new, and compiles.
build() {
  local directory=$1 log
  shift
  log=$(mktemp)
  if [ ! -f "$directory/build.ninja" ]; then
    say "Setting up ${directory#"$LMCC_ROOT"/}"
    if ! meson setup "$@" "$directory" "$LMCC_ROOT" >"$log" 2>&1; then
      cat "$log" >&2
      rm -f "$log"
      die "meson setup failed"
    fi
  fi
  if ! meson compile -C "$directory" >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    die "the build failed"
  fi
  rm -f "$log"
}

# use_build DIRECTORY: lets GStreamer find the plugins of a build, its registry kept beside them.
use_build() {
  export GST_PLUGIN_PATH_1_0="$1/plugins${GST_PLUGIN_PATH_1_0:+:$GST_PLUGIN_PATH_1_0}"
  export GST_REGISTRY_1_0="$1/gstreamer-registry.bin"
}

# prepare_to_run: what the pipelines need is there afterwards. With LMCC_BUILD_ROOT that is a build that is up to date.
prepare_to_run() {
  if [ -z "${LMCC_BUILD_ROOT:-}" ]; then
    need build run
    build "$LMCC_ROOT/build"
  fi
  use_build "${LMCC_BUILD_ROOT:-$LMCC_ROOT/build}"
}

# print_line WORD...: a command line as it can be pasted into a shell.
print_line() {
  local word text=()
  for word in "$@"; do
    [[ $word =~ ^[A-Za-z0-9_./:=,!@%+-]+$ ]] && text+=("$word") || text+=("'${word//\'/\'\\\'\'}'")
  done
  say "GST_PLUGIN_PATH_1_0=$GST_PLUGIN_PATH_1_0 ${text[*]}"
}
