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

# packages_for NAME...: what lib/packages lists under these names, alternatives as they stand there.
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

# choose_packages ALTERNATIVES...: of each the first that there is a package of. Where there is none, nothing if that is
# an alternative, else the first: apt-get then says what it lacks.
choose_packages() {
  local alternatives name
  for alternatives in "$@"; do
    for name in ${alternatives//|/ }; do
      has_candidate "$name" && echo "$name" && continue 2
    done
    [[ $alternatives == *'|' ]] || echo "${alternatives%%|*}"
  done
}

# need NAME...: installs what is missing of the packages under these names.
need() {
  local missing=() chosen alternatives name privilege=()
  if ! command -v dpkg-query >/dev/null; then
    say "This is not a Debian system, so nothing is installed. Needed, by their Debian names:"
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
      die "not root, and there is no sudo. As root: apt-get install --no-install-recommends ${chosen[*]}"
    privilege=(sudo)
  fi
  "${privilege[@]}" apt-get update -qq >&2
  # Which alternatives there are is known only now on a system that has just been made.
  mapfile -t chosen < <(choose_packages "${missing[@]}")
  say "Installing what is missing: ${chosen[*]}"
  "${privilege[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "${chosen[@]}" >&2 ||
    die "apt-get could not install: ${chosen[*]}"
}

# build [--only TARGET] DIRECTORY [MESON-OPTION...]: sets DIRECTORY up if it is new, and compiles.
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
    say "Setting up ${directory#"$LMCC_ROOT"/}, and compiling: minutes, the first time"
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

# compile DIRECTORY [TARGET]: by ninja itself where it has its usual name. Meson takes a second to find it.
compile() {
  if command -v ninja >/dev/null; then
    ninja -C "$@"
  else
    meson compile -C "$@"
  fi
}

# use_build DIRECTORY: lets GStreamer find the plugins of a build, its registry kept there, and the shell its tool.
use_build() {
  export PATH="$1/plugins/tools:$PATH"
  export GST_PLUGIN_PATH_1_0="$1/plugins${GST_PLUGIN_PATH_1_0:+:$GST_PLUGIN_PATH_1_0}"
  export LMCC_LOCALE_DIR="$1/po"
  export GST_REGISTRY_1_0="$1/gstreamer-registry.bin"
}

# prepare_to_run [NAME...]: what the pipelines need is there afterwards, and the packages under these names. With
# LMCC_BUILD_ROOT that is a build that is up to date, and nothing is installed.
prepare_to_run() {
  local lock
  if [ -z "${LMCC_BUILD_ROOT:-}" ]; then
    # People start a sender and a receiver at once: one of them installs and builds.
    exec {lock}<"$LMCC_ROOT"
    flock --nonblock "$lock" || { say 'Waiting for another command that builds here'; flock "$lock"; }
    # Where nothing can be installed it is enough to hear once what is needed.
    [ -f "$LMCC_ROOT/build/build.ninja" ] && ! command -v dpkg-query >/dev/null || need build run "$@"
    build --only to-run "$LMCC_ROOT/build"
    exec {lock}<&-
  fi
  use_build "${LMCC_BUILD_ROOT:-$LMCC_ROOT/build}"
}
