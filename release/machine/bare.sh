#!/usr/bin/env bash
# Run a command in a clone of this checkout's HEAD, on a bare Debian 12: Python 3.11.2, venv, git, and nothing else.
#
#   release/machine/bare.sh './run demo'      as root; exits with the status of the command
#
# mmdebstrap makes the system (it is installed if it is missing); the settings of this machine for apt, pip, names and
# certificates are copied. The command has mounts and process ids of its own: what it starts ends with it.
set -euo pipefail
cd "$(dirname "$0")/../.."
command=${1:-./run demo}
work=$(mktemp -d /var/tmp/bare-XXXX)
trap 'rm -rf --one-file-system "$work"' EXIT
command -v mmdebstrap >/dev/null || {
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq mmdebstrap
} >/dev/null
mmdebstrap --quiet --variant=minbase --include=python3,python3-venv,git,ca-certificates bookworm "$work/root.tar"
root=$work/root
mkdir "$root"
tar xf "$work/root.tar" -C "$root"
for file in /etc/resolv.conf /etc/hosts /etc/pip.conf "$HOME/.config/pip/pip.conf" ${SSL_CERT_FILE:-} ${PIP_CERT:-}; do
    [ ! -f "$file" ] || install -D -m 644 "$file" "$root$file"
done
cp -r /etc/apt/apt.conf.d "$root/etc/apt/"
git clone -q . "$root/srv/project"
# pivot_root, and not chroot: in a chroot no program may make namespaces
env -i root="$root" command="$command" SSL_CERT_FILE="${SSL_CERT_FILE:-}" PIP_CERT="${PIP_CERT:-}" HOME=/root LANG=C.UTF-8 \
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    unshare --mount --pid --fork --kill-child sh -euc '
        mount --bind "$root" "$root"
        mount -t proc proc "$root/proc"
        for at in dev sys; do mount --rbind "/$at" "$root/$at"; done
        cd "$root"
        pivot_root . mnt
        umount --lazy /mnt
        cd /srv/project
        sh -c "$command"'
