#!/bin/sh
# One file under two names that stat(2) shows as two, files below loop devices, and reports that would be written into
# what is copied: exit status 2, and nothing of it is lost.
# Tried: it fails where the first bytes are not compared; where all file systems are taken for local ones; where what
# Tried: backs a loop device is not asked for at outputs; where standard error may be the input, an output, or a file to
# Tried: be compared; where an output is not asked once more when the reports were written.
if [ "$(id -u)" = 0 ] && [ -z "${ALIASES-}" ] && unshare -m true 2>/dev/null; then
	ALIASES=private exec unshare -m "$0" "$@"
fi
. "$(dirname "$0")/tap.sh"

w() { # the row does not matter
	timeout 300 "$wb" -q -n1 -p0 -s sendfile "$@"
}
tee() { # with a second output
	timeout 300 "$wb" -q -n1 -p0 -s 'splice, sendfile' --tee="$1"
}
look() { # files with their bytes and times
	for file; do stat -c '%n %s %y' "$file" && cksum "$file"; done
}
before() { # FILE...: these are to be left as they are
	look "$@" >"$work/before"
}
untouched() { # DESCRIPTION FILE...
	what=$1
	shift
	look "$@" >"$work/after"
	same "$what: nothing is touched" "$work/before" "$work/after"
}
refused() { # DESCRIPTION MESSAGE COMMAND...; what it says can't be seen where it would be written into a file
	what=$1 message=$2
	shift 2
	run 2 "$what" "$@"
	holds "... is reported" "$work/err" "^write-bench: $message"
}

# ---- A report must not be written into what is copied; this does not take root.

bytes 10000 >X
echo precious >P
ln X X.hard
before X P
w <X >Y 2<>X
is "standard error writes over the input" $? 2
w <X >Y 2<>X.hard
is "... by a hard link" $? 2
w <X >Y 2>>X.hard
is "... or is appended to it" $? 2
w <X 1<>P 2>&1
is "standard error is the output" $? 2
untouched "any of these" X P
(w <X 2>&1; echo $? >status) | cat >Y
is "... which is a pipe" "$(cat status) $(grep -c '^write-bench: standard error' Y)" "2 1"
tee Z <X >Y 2>Z
is "... which is the second one" "$? $(grep -c '^write-bench: standard error' Z)" "2 1"
run 0 "a report to be compared" w -f csv -o a.csv <X >Y
before a.csv
"$wb" --compare nosuch a.csv 2<>a.csv
is "standard error is a file to be compared" $? 2
untouched "it" a.csv
run 0 "standard error may be standard output where that gets no copy" w --into=cat <X >log 2>&1

# ---- Aliases.

# of NAME BELOW ABOVE: the same directory under two names, where X is the input
of() {
	name=$1 below=$2 above=$3
	bytes 100000 >"$below/X"
	bytes 100000 >"$below/other" # as long
	before "$below/X" "$below/other"
	for ends in "$below $above" "$above $below"; do
		in=${ends% *} out=${ends#* }
		at="$name, input ${in##*/}"
		refused "$at: the output is the input" "standard output: (is also|may be) the input" \
			w <"$in/X" 1<>"$out/X"
		refused "$at: the second output" "--tee=.*: (is also|may be) the input" tee "$out/X" <"$in/X" >Y
		refused "$at: the report" ".*/X: (is also|may be) standard input" w -o "$out/X" <"$in/X" >Y
		w <"$in/X" >Y 2<>"$out/X"
		is "$at: standard error writes over it: exit status" $? 2
		refused "$at: two outputs" "--tee=.*: (is also|may be) standard output" tee "$out/other" <X \
			1<>"$in/other"
		refused "$at: report and output" ".*: (is also|may be) standard output" w -o "$out/other" <X \
			1<>"$in/other"
		untouched "$at" "$below/X" "$below/other"
		w -o "$out/Z" <X >"$in/Z" 2>"$work/err"
		got=$?
		is "$at: report and output, which is empty: not a copy" "$((got == 1 || got == 2))" 1
		cp a.csv "$below/compared"
		"$wb" --compare "$in/compared" -f text -o "$out/compared" >printed 2>"$work/err"
		same "$at: --compare onto itself: it is what it was" a.csv "$below/compared"
		run 0 "$at: another file of that size is an output" w <"$in/X" 1<>"$out/other"
		same "... with a copy" "$below/X" "$below/other"
		bytes 100000 >"$below/other"
		before "$below/X" "$below/other"
	done
}
mkdir below above
if [ "${ALIASES-}" != private ]; then
	skip "aliases" "not root, or no mount namespaces"
	exit
fi
mount --bind below above
of "bind mount" below above
umount above
if mkdir memory && mount -t tmpfs tmpfs memory && mkdir memory/lower memory/upper memory/work memory/merged &&
	mount -t overlay overlay -o lowerdir=memory/lower,upperdir=memory/upper,workdir=memory/work \
		memory/merged 2>/dev/null || or_skip "an overlay" "none can be mounted here"; then
	undo="cd /; umount '$work/memory/merged'; umount '$work/memory'"
	of overlay memory/upper memory/merged
fi
if have bindfs && bindfs -o attr_timeout=60 below above >/dev/null 2>&1 3>&-; then # it may hold nothing of ours
	undo="umount -l '$work/above'; ${undo:-:}"
	of bindfs below above
	[ -s above/X ] && bytes 1000 >>below/X # of which the mount knows nothing yet
	before below/X
	refused "bindfs, a stale size: the output is the input" "standard output: may be the input" w <above/X \
		1<>below/X
	refused "... the second output" "--tee=.*: may be the input" tee below/X <above/X >Y
	refused "... the report" "below/X: may be standard input" w -o below/X <above/X >Y
	untouched "bindfs, a stale size" below/X
else
	skip "bindfs" "no bindfs, or it can't be mounted"
fi
mkdir stored remote bin
sftp=$(find /usr/lib/openssh /usr/libexec /usr/lib/ssh -name sftp-server 2>/dev/null | head -n 1)
printf '#!/bin/sh\nexec "%s"\n' "$sftp" >bin/ssh && chmod +x bin/ssh
if [ "$sftp" ] && have sshfs && PATH=$work/bin:$PATH sshfs "here:$work/stored" remote >/dev/null 2>&1 3>&-; then
	undo="umount -l '$work/remote'; ${undo:-:}"
	of sshfs stored remote
else
	skip "sshfs" "no sshfs, or no sftp-server, or it can't be mounted"
fi

# ---- Loop devices.

if have losetup && have mkfs.ext4 && truncate -s 16M image && mkfs.ext4 -q -F image &&
	loop=$(losetup -f --show image 2>/dev/null) || or_skip "loop devices" "no loop device to be had"; then
	undo="losetup -d $loop; ${undo:-:}"
	lies="is what a loop device lies on"
	bytes 10000 >X
	ln image name # the inode, by another name
	mkdir mounted && mount "$loop" mounted && undo="umount '$work/mounted'; $undo"
	before image
	refused "a mounted loop device, by a hard link: as output" "standard output: $lies" w <X 1<>name
	refused "... output, the device being the input" "standard output: $lies" w <"$loop" 1<>image
	untouched "a loop device" image
	truncate -s 1M mounted/inner
	if inner=$(losetup -f --show mounted/inner 2>/dev/null); then
		refused "... that lies on another" "standard output: $lies" w <X 1<>mounted/inner
		losetup -d "$inner"
	fi
	run 0 "an output on a loop device" w <X >mounted/Y
	same "... is a copy" X mounted/Y
fi
