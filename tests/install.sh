#!/bin/sh
# Install with apt what the tests use beside Python and is missing here, and say what and why; as root also make the account
# that sandboxes are tried with. `./run test` calls this, `./run test --no-install` does not.
#
#   tests/install.sh PYTHON LOG     for this interpreter; what apt prints goes to LOG
#   tests/install.sh PYTHON --list  installs nothing: prints what is missing, and what it is for
set -eu
python=$1
log=$2
account=arena-tests
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin

# want PACKAGE WHY TEST...: print a line for this package unless the test succeeds
want() {
    package=$1
    why=$2
    shift 2
    "$@" >/dev/null 2>&1 || printf '  %-22s %s\n' "$package" "$why"
}

has() { command -v "$1"; }
imports_venv() { "$python" -c 'import ensurepip, venv'; }
compiles_c() { has cc && [ -e /usr/include/stdio.h ]; }
has_postgresql() { has initdb || ls /usr/lib/postgresql/*/bin/initdb; }

list_missing() {
    want python3-venv "makes .venv" imports_venv
    want g++ "builds the GOPS solver" has c++
    want gcc "builds the example bots in C, and attacks on sandboxes" has cc
    want libc6-dev "C's headers" compiles_c
    want git "bots are submitted by git" has git
    want bubblewrap "one of the two sandboxes" has bwrap
    want uidmap "gives each program in a sandbox a user of its own" has newuidmap
    want postgresql "tournaments are tried on a server of their own" has_postgresql
    want chromium-headless-shell "pages are tried in a browser" has chromium-headless-shell
    want caddy "a hill is tried behind a reverse proxy" has caddy
    want bash "example bots in Bash" has bash
    want perl "example bots in Perl" has perl
    want ruby "example bots in Ruby" has ruby
    want nodejs "example bots in JavaScript" has node
    want node-typescript "the types of the pages' scripts are checked" has tsc
    want default-jdk-headless "the recipe for a bot in Java" has javac
}

install_missing() {
    has apt-get >/dev/null || fail "apt-get is not on this machine"
    root=
    if [ "$(id -u)" != 0 ]; then
        has sudo >/dev/null || fail "this needs root or sudo"
        root=sudo
    fi
    { $root apt-get update -qq &&
        $root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $missing; } >"$log" 2>&1 ||
        fail "apt-get failed (see $log)"
}

fail() {
    echo "run: $1; install the packages yourself, or go on without them: ./run test --no-install" >&2
    exit 1
}

# add_range FILE OPTION: give the account 65536 ids of its own behind those in this file, unless it has some
add_range() {
    ! grep -q "^$account:" "$1" 2>/dev/null || return 0
    first=$(awk -F: 'BEGIN { next_id = 100000 } $2 + $3 > next_id { next_id = $2 + $3 } END { print next_id }' "$1" /dev/null)
    usermod "$2" "$first-$((first + 65535))" $account
}

add_account() {
    id $account >/dev/null 2>&1 || {
        echo "run: adding the account $account: sandboxes are also tried as an ordinary user" >&2
        useradd --create-home $account
    }
    touch /etc/subuid /etc/subgid
    add_range /etc/subuid --add-subuids
    add_range /etc/subgid --add-subgids
}

lines=$(list_missing)
if [ "$log" = --list ]; then
    printf '%s' "$lines"
    exit
fi
if [ -n "$lines" ]; then
    printf 'run: installing with apt what the tests use:\n%s\n' "$lines" >&2
    missing=$(echo "$lines" | awk '{ print $1 }')
    install_missing
fi
[ "$(id -u)" != 0 ] || add_account
