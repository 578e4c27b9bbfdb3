#!/bin/sh
# One file under two names that stat(2) shows as two, what loop devices lie on, and reports that would be written into what is
# copied: exit status 2, and nothing of it is lost.
# Tried: it fails where is_same() asks no time of access; where a time of access is not put back; where a user that may not set one is
# Tried: not asked by the present; where what backs a loop device is not asked for at outputs, reports or messages, or only by its
# Tried: name; where standard error may be the input, an output, or a file to be compared.
if [ "$(id -u)" = 0 ] && [ -z "${ALIASES-}" ] && unshare -m true 2>/dev/null; then
	ALIASES=private exec unshare -m "$0" "$@"
fi
. "$(dirname "$0")/tap.sh"

w() { # the row does not matter
	timeout 300 "$wb" -q -n1 -p0 "$@"
}
untouched() { # DESCRIPTION FILE...: as they were, in bytes and times of access and change of bytes
	what=$1
	shift
	stat -c '%n %s %x %y' "$@" >"$work/after" && cksum "$@" >>"$work/after"
	same "$what: nothing is touched" "$work/before" "$work/after"
}
look() {
	touch -a -d '1 hour' "$@" && stat -c '%n %s %x %y' "$@" >"$work/before" && cksum "$@" >>"$work/before" # a read is not to show
}
silent() { # DESCRIPTION FILE...: of a command before it, whose exit status is in got
	is "$1: exit status" "$got" 2
	untouched "$@"
}
refused() { # DESCRIPTION REGEX
	is "$1" "$got" 2
	holds "... is reported" "$work/err" "^write-bench: $2"
}

# ---- A report must not be written into what is copied; this does not take root.

bytes 10000 >X
echo precious >P
look X P
ln X X.hard
w -s sendfile <X >Y 2<>X.hard; got=$?
silent "standard error writes over the input, by a hard link" X P
w -s sendfile <X 1<>P 2>&1; got=$?
silent "standard error is the output" X P
(w -s sendfile <X 2>&1; echo $? >status) | cat >Y
is "... which is a pipe" "$(cat status) $(wc -c <Y | tr -d ' ')" "2 0"
w -s 'splice, sendfile' --tee=Z <X >Y 2>Z; got=$?
is "... which is the second one" "$got $(wc -c <Z | tr -d ' ')" "2 0"
run 0 "a report to be compared" w -s sendfile -f csv -o a.csv <X >Y
look a.csv
"$wb" --compare nosuch a.csv 2>>a.csv; got=$?
silent "standard error is a file to be compared" a.csv
run 0 "standard error may be standard output where that gets no copy" w --into=cat -s sendfile <X >log 2>&1

# ---- Aliases.

# of NAME BELOW ABOVE: the same directory under two names, where X is the input
of() {
	name=$1 below=$2 above=$3
	bytes 100000 >"$below/X"
	cp "$below/X" "$below/other" # as long, and another file
	look "$below/X" "$below/other"
	for ends in "$below $above" "$above $below"; do
		in=${ends% *} out=${ends#* }
		which="$name, input ${in##*/}"
		w -s sendfile <"$in/X" 1<>"$out/X" 2>err; got=$?
		refused "$which: the output is the input" "standard output: is the input: copy to another file"
		w -s 'splice, sendfile' --tee="$out/X" <"$in/X" >Y 2>err; got=$?
		refused "$which: the second output" "--tee=.*: is the input: copy to another file"
		w -s sendfile -o "$out/X" <"$in/X" >Y 2>err; got=$?
		refused "$which: the report" ".*/X: is also standard input"
		w -s sendfile <"$in/X" >Y 2<>"$out/X"; got=$?
		is "$which: standard error writes over it: exit status" "$got" 2
		untouched "$which" "$below/X" "$below/other"
		w -s 'splice, sendfile' --tee="$out/Z" <X >"$in/Z" 2>err; got=$?
		refused "$which: two outputs" "--tee=.*: is standard output, too"
		w -s sendfile -o "$out/Z" <X >"$in/Z" 2>err; got=$?
		refused "$which: report and output" ".*/Z: is also standard output"
		cp a.csv "$below/a.csv"
		"$wb" --compare "$in/a.csv" -o "$out/a.csv" 2>err; got=$?
		refused "$which: --compare onto itself" ".*/a.csv: is also the report"
		same "... it is what it was" a.csv "$below/a.csv"
		run 0 "$which: another file of that size is an output" w -s sendfile <"$in/X" 1<>"$out/other"
		same "... with a copy" "$below/X" "$below/other"
		look "$below/X" "$below/other"
	done
}
mkdir below above
if [ "${ALIASES-}" != private ]; then
	skip "aliases" "not root, or no mount namespaces"
else
	mount --bind below above
	of "bind mount" below above
	umount above
fi
if [ "${ALIASES-}" = private ] && mkdir memory && mount -t tmpfs tmpfs memory &&
	mkdir memory/lower memory/upper memory/work memory/merged &&
	mount -t overlay overlay -o lowerdir=memory/lower,upperdir=memory/upper,workdir=memory/work memory/merged 2>/dev/null; then
	undo="cd /; umount '$work/memory/merged'; umount '$work/memory'"
	of overlay memory/upper memory/merged
	# Who may write to a file, but not set its times.
	cp "$wb" memory/program
	chmod 755 memory/program "$work"
	if setpriv --reuid=54321 --regid=54321 --clear-groups memory/program --version >/dev/null 2>&1; then
		chmod 644 memory/merged/X # the shell has opened it for writing, and write-bench may do nothing else
		cksum <memory/upper/X >before
		setpriv --reuid=54321 --regid=54321 --clear-groups memory/program -n1 -p0 -s sendfile <memory/upper/X 1<>memory/merged/X 2>err; got=$?
		refused "an overlay, where only another may set times" "standard output: may be the input: it has the same bytes"
		is "... no byte is lost" "$(cksum <memory/upper/X)" "$(cat before)"
	else
		skip "where only another may set times" "no setpriv"
	fi
else
	skip "an overlay" "none can be mounted here"
fi
if [ "${ALIASES-}" = private ] && have bindfs && bindfs below above >/dev/null 2>&1 3>&-; then # it stays, and may hold nothing of ours
	undo="umount -l '$work/above'; ${undo:-:}"
	of FUSE below above
else
	skip "FUSE" "not root, or no bindfs"
fi

# ---- What loop devices lie on.

if [ "${ALIASES-}" = private ] && have losetup && have mkfs.ext4 && truncate -s 16M image && mkfs.ext4 -q -F image && loop=$(losetup -f --show image 2>/dev/null); then
	undo="losetup -d $loop; ${undo:-:}"
	lies="is what a loop device lies on"
	bytes 10000 >X
	ln image name # the inode, by another name
	mkdir mounted && mount "$loop" mounted && undo="umount '$work/mounted'; $undo"
	look image
	w -s sendfile <X 1<>name 2>err; got=$?
	refused "a mounted loop device, by a hard link: as output" "standard output: $lies"
	w --help 1<>image 2>err; got=$?
	refused "... help" "the report: $lies"
	w -s sendfile <"$loop" 1<>image 2>err; got=$?
	refused "... output, the device being the input" "standard output: $lies"
	untouched "a loop device" image
	truncate -s 1M mounted/inner
	if inner=$(losetup -f --show mounted/inner 2>/dev/null); then
		w -s sendfile <X 1<>mounted/inner 2>err; got=$?
		refused "... that lies on another" "standard output: $lies"
		losetup -d "$inner"
	fi
	run 0 "an output on a loop device" w -s sendfile <X >mounted/Y
	same "... is a copy" X mounted/Y
	rm image && ln name image.2 && rm name # the device's name for it leads nowhere
	w -s sendfile <X 1<>image.2 2>err; got=$?
	refused "... whose file has lost that name" "standard output: $lies"
else
	skip "loop devices" "not root, no mount namespaces, or no loop device to be had"
fi
