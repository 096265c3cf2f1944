# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Sourced by scenes/run, tests/run and .ci/run: installs what is missing, configures and builds.
# The caller has set `root` to the source folder. All talk goes to stderr: stdout is for results.
: "${root:?}"
# the folder of the release build: POISE_BUILD_DIR, or build/ in the sources
build_dir=$(realpath -m -- "${POISE_BUILD_DIR:-$root/build}")

say() {
    printf 'poise: %s\n' "$*" >&2
}

# missing_packages GROUP...: the packages of the groups that are not installed, one a line
missing_packages() {
    local wanted installed
    wanted=$(awk -v groups=" $* " '!/^#/ && index(groups, " " $1 " ") { print $2 }' \
        "$root/.cmake/packages.txt")
    # shellcheck disable=SC2086 # one argument a package
    installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' $wanted 2>/dev/null |
        sed -n 's/^installed //p') || true
    comm -23 <(sort <<<"$wanted") <(sort -u <<<"$installed")
}

# apt_install PACKAGE...: whether it could
apt_install() {
    local as_root=()
    command -v apt-get >/dev/null || return 1
    if [ "$(id -u)" -ne 0 ]; then
        sudo -n true 2>/dev/null || return 1
        as_root=(sudo -n)
    fi
    say "installing $*"
    local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq)
    local install=("${apt[@]}" -y --no-install-recommends install "$@")
    if ! "${install[@]}" >/dev/null 2>&1 </dev/null; then
        # the lists of packages may be missing or old
        "${apt[@]}" update >&2 </dev/null || true
        "${install[@]}" >&2 </dev/null
    fi
}

# need_packages GROUP...: installs what the groups lack; ends the script with exit 2 where that
# cannot be done. What is only nice to have is tried once, before the first build.
need_packages() {
    local missing
    if ! command -v dpkg-query >/dev/null; then
        need_commands
        return
    fi
    mapfile -t missing < <(missing_packages "$@")
    if [ "${#missing[@]}" -gt 0 ] && ! apt_install "${missing[@]}"; then
        say "these packages are missing and cannot be installed from here; as root, run"
        printf '    apt-get install %s\n' "${missing[*]}" >&2
        exit 2
    fi
    if [ ! -e "$build_dir" ]; then
        mapfile -t missing < <(missing_packages extra)
        if [ "${#missing[@]}" -gt 0 ] && ! apt_install "${missing[@]}" 2>/dev/null; then
            say "going on without ${missing[*]}"
        fi
    fi
}

# need_commands: what can be asked of a system without Debian's packages; CMake asks for the rest
need_commands() {
    local command missing=()
    for command in cmake ninja cc c++ pkg-config; do
        command -v "$command" >/dev/null || missing+=("$command")
    done
    if [ "${#missing[@]}" -gt 0 ]; then
        say "not found: ${missing[*]}"
        say "install them and the libraries that .cmake/packages.txt lists by their Debian names"
        exit 2
    fi
}

# folder_of BUILD: where a build lies; "build" is where POISE_BUILD_DIR says, if it says so
folder_of() {
    if [ "$1" = build ]; then
        printf '%s\n' "$build_dir"
    else
        printf '%s\n' "$root/$1"
    fi
}

# is_configured BUILD [NAME=VALUE...]
is_configured() {
    local cache option
    cache=$(folder_of "$1")/CMakeCache.txt
    shift
    [ -f "${cache%/*}/build.ninja" ] || return 1
    for option in "$@"; do
        grep -q "^${option%%=*}:[A-Z]*=${option#*=}\$" "$cache" || return 1
    done
}

# configure PRESET BUILD [NAME=VALUE...]
configure() {
    local preset=$1 build=$2 folder
    folder=$(folder_of "$build")
    shift 2
    if is_configured "$build" "$@"; then
        return
    fi
    if ! mkdir -p -- "$folder" 2>/dev/null || [ ! -w "$folder" ]; then
        say "cannot write to $folder; name a folder to build in: POISE_BUILD_DIR=~/poise-build $0"
        exit 2
    fi
    say "configuring $folder"
    (cd "$root" && cmake --preset "$preset" -B "$folder" --log-level=WARNING "${@/#/-D}" >/dev/null)
}

# build BUILD [TARGET...]
build() {
    local folder
    folder=$(folder_of "$1")
    shift
    if [[ $(ninja -C "$folder" -n "$@" 2>/dev/null) == *"no work to do."* ]]; then
        return
    fi
    say "building in ${folder##*/}"
    if [ -t 2 ]; then
        ninja -C "$folder" "$@" >&2
    else
        ninja -C "$folder" --quiet "$@" >&2
    fi
}
