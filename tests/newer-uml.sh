#!/bin/bash
# Installs a newer user-mode Linux (Debian unstable's) beside the packaged one, where that does not boot: up to 6.12 it
# can't on CPUs with a register state larger than it stores (Intel with AMX). As root.
#
#     tests/newer-uml.sh      /usr/local/bin/linux.uml, its C library and its modules
#
# Exit status 0: one boots. Else 1, and the reason.
set -u
cd "$(dirname "$0")/.." || exit 1
w=$(mktemp -d /var/tmp/newer-uml.XXXXXX) || exit 1
trap 'rm -rf "$w"' EXIT
. tests/debian.sh
. tests/uml.sh
give_up() { # REASON
	echo "$0: $1"
	exit 1
}
cd "$w" || exit 1
linux=linux.uml
if command -v linux.uml >/dev/null && boots; then exit 0; fi
if ! command -v patchelf >/dev/null; then
	apt-get install -y -qq --no-install-recommends patchelf >/dev/null 2>&1 || give_up "patchelf can't be installed"
fi
for package in libc6 user-mode-linux; do
	unpack_package sid "$package" "$w/root" || give_up "$package: $(tail -n 1 root/apt.err)"
done
libc=/usr/local/lib/uml-libc
from=$(dirname "$(find root -name libc.so.6 -type f)")
loader=$(cd "$from" && find . -maxdepth 1 -type f -name 'ld-linux*.so.*')
install -d $libc /usr/lib/uml/modules
cp -a "$from"/*.so* $libc/
patchelf --set-interpreter "$libc/${loader#./}" --set-rpath $libc root/usr/bin/linux.uml || give_up "patchelf fails"
linux=$w/root/usr/bin/linux.uml
rm -f booted
boots || give_up "the newer one does not boot either: $(tail -n 1 booted)"
cp -a root/usr/lib/uml/modules/* /usr/lib/uml/modules/
install -m 755 "$linux" /usr/local/bin/linux.uml
