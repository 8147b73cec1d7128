# lmcc: layered multicast congestion control
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Functions that the scripts share. Source this file; it finds the source tree by its own location.

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

# packages_for NAME...: prints the packages that lib/packages lists under these names, with their alternatives.
packages_for() {
  local name
  for name in "$@"; do
    awk -v name="$name" '$1 == name { for (i = 2; i <= NF; i++) print $i }' "$LMCC_ROOT/pipelines/lib/packages"
  done | sort -u
}

is_installed() {
  [[ $(dpkg-query -W -f '${Status}' "$1" 2>/dev/null) == *'ok installed' ]]
}

has_candidate() {
  [[ $(LC_ALL=C apt-cache policy "$1" 2>/dev/null) == *'Candidate: '[!\(]* ]]
}

# choose_packages ALTERNATIVES...: prints, for each argument, the first alternative that apt knows. If apt knows none,
# prints nothing for an optional package, else the first alternative, so that apt-get reports the missing package.
choose_packages() {
  local alternatives name
  for alternatives in "$@"; do
    for name in ${alternatives//|/ }; do
      has_candidate "$name" && echo "$name" && continue 2
    done
    [[ $alternatives == *'|' ]] || echo "${alternatives%%|*}"
  done
}

# need NAME...: installs the missing ones of the packages under these names.
need() {
  local missing=() chosen alternatives name privilege=()
  if ! command -v dpkg-query >/dev/null; then
    say "This is not a Debian system: install these packages yourself (Debian names):"
    say "  $(packages_for "$@" | sed 's/|$/ (optional)/; s/|/ or /g' | paste -sd ' ')"
    return
  fi
  for alternatives in $(packages_for "$@"); do
    for name in ${alternatives//|/ }; do
      is_installed "$name" && continue 2
    done
    missing+=("$alternatives")
  done
  [ ${#missing[@]} -eq 0 ] && return
  mapfile -t chosen < <(choose_packages "${missing[@]}")
  [ ${#chosen[@]} -eq 0 ] && return
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null ||
      die "packages are missing and there is no sudo. Run as root: apt-get install --no-install-recommends ${chosen[*]}"
    privilege=(sudo)
  fi
  "${privilege[@]}" apt-get update -qq >&2
  # A freshly installed system knows the alternatives only after the update.
  mapfile -t chosen < <(choose_packages "${missing[@]}")
  say "Installing missing packages: ${chosen[*]}"
  "${privilege[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "${chosen[@]}" >&2 ||
    die "apt-get could not install: ${chosen[*]}"
}

# build [--only TARGET] DIRECTORY [MESON-OPTION...]: sets up DIRECTORY if it is new, and compiles.
build() {
  local target=() directory log
  if [ "$1" = --only ]; then
    target=("$2")
    shift 2
  fi
  directory=$1
  shift
  log=$(mktemp)
  if [ ! -f "$directory/build.ninja" ]; then
    say "Setting up ${directory#"$LMCC_ROOT"/} and compiling; the first time takes some minutes"
    if ! meson setup "$@" "$directory" "$LMCC_ROOT" >"$log" 2>&1; then
      cat "$log" >&2
      rm -f "$log"
      die "meson setup failed"
    fi
  fi
  if ! compile "$directory" "${target[@]}" >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    die "the build failed"
  fi
  rm -f "$log"
}

# compile DIRECTORY [TARGET]: calls ninja directly if it has its usual name, because meson takes a second to find it.
compile() {
  if command -v ninja >/dev/null; then
    ninja -C "$@"
  else
    meson compile -C "$@"
  fi
}

# use_build DIRECTORY: sets up the environment for a build: GStreamer's plugin path and registry, and the tool's PATH.
use_build() {
  export PATH="$1/plugins/tools:$PATH"
  export GST_PLUGIN_PATH_1_0="$1/plugins${GST_PLUGIN_PATH_1_0:+:$GST_PLUGIN_PATH_1_0}"
  export LMCC_LOCALE_DIR="$1/po"
  export GST_REGISTRY_1_0="$1/gstreamer-registry.bin"
}

# prepare_to_run [NAME...]: installs what the pipelines need and the packages under these names, and builds. If
# LMCC_BUILD_ROOT is set, uses that build as it is and installs nothing.
prepare_to_run() {
  local lock
  if [ -z "${LMCC_BUILD_ROOT:-}" ]; then
    # If a sender and a receiver start at the same time, only one of them installs and builds.
    exec {lock}<"$LMCC_ROOT"
    flock --nonblock "$lock" || { say 'Waiting for another command to finish its build'; flock "$lock"; }
    # On a system without dpkg, print the list of packages only once.
    [ -f "$LMCC_ROOT/build/build.ninja" ] && ! command -v dpkg-query >/dev/null || need build run "$@"
    build --only to-run "$LMCC_ROOT/build"
    exec {lock}<&-
  fi
  use_build "${LMCC_BUILD_ROOT:-$LMCC_ROOT/build}"
}
