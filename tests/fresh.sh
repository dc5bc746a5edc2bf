#!/usr/bin/env bash
# fresh.sh [FOLDER]: runs the two commands of the README in a bare Debian 12, made with debootstrap in FOLDER (default:
# a temporary folder, removed afterwards). Needs root and a network; takes some 20 minutes. Not a part of CI.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source cli/setup.sh

[ "$(id -u)" -eq 0 ] || { say "fresh.sh must be run as root"; exit 1; }
install_packages debootstrap git

if [ $# -gt 0 ]; then
    root=$(realpath -m "$1")
else
    root=$(mktemp -d)
fi
leave() {
    umount "$root/dev/pts" "$root/proc" 2> /dev/null || true
    [ $# -gt 0 ] || rm -rf --one-file-system "$root"
}
trap 'leave "$@"' EXIT

[ -e "$root/etc/debian_version" ] || debootstrap --variant=minbase bookworm "$root"
mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"
# Terminals, for the tests of what is typed into llm-cli.
mountpoint -q "$root/dev/pts" || mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
cp /etc/resolv.conf "$root/etc/resolv.conf"
# Certificates that this machine trusts besides Debian's, for networks with a gateway of their own.
mkdir -p "$root/usr/local/share/ca-certificates"
find /usr/local/share/ca-certificates -name '*.crt' -exec cp -t "$root/usr/local/share/ca-certificates" {} +

# The checkout as it is here, without build folders; beside it the reference data, if there is any.
rm -rf "$root/root/libllm" "$root/root/shared"
mkdir -p "$root/root/libllm"
git ls-files -z | tar --null --files-from - -c | tar -x -C "$root/root/libllm"
data=${LLM_TEST_DATA:-../shared}
[ ! -d "$data" ] || cp -rL "$data" "$root/root/shared"

for command in "bash cli/quickstart.sh" "bash cli/quickstart.sh --seed 7" "bash tests/run.sh" "bash tests/run.sh"; do
    say "== $command"
    chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
        https_proxy="${https_proxy:-}" http_proxy="${http_proxy:-}" bash -c "cd /root/libllm && $command"
done
say "== both commands work on a fresh machine, the first time and again"
