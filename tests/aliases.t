#!/bin/sh
# One file under two names that stat(2) shows as two, files below loop devices, and reports that would be written into
# what is copied: exit status 2, and nothing of it is lost.
# Tried: it fails where is_same() asks no time of access; where a time of access is not put back; where a user that may
# Tried: not set one is not asked by the present; where what backs a loop device is not asked for at outputs, reports or
# Tried: messages, or only by its name; where standard error may be the input, an output, or a file to be compared.
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
look() { # files with their bytes and times: a read is not to show
	for file; do stat -c '%n %s %x %y' "$file" && cksum "$file"; done
}
before() { # FILE...: these are to be left as they are
	touch -a -d '1 hour' "$@"
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
w <X >Y 2<>X.hard
is "standard error writes over the input, by a hard link" $? 2
w <X 1<>P 2>&1
is "standard error is the output" $? 2
untouched "either" X P
(w <X 2>&1; echo $? >status) | cat >Y
is "... which is a pipe" "$(cat status) $(wc -c <Y | tr -d ' ')" "2 0"
tee Z <X >Y 2>Z
is "... which is the second one" "$? $(wc -c <Z | tr -d ' ')" "2 0"
run 0 "a report to be compared" w -f csv -o a.csv <X >Y
before a.csv
"$wb" --compare nosuch a.csv 2>>a.csv
is "standard error is a file to be compared" $? 2
untouched "it" a.csv
run 0 "standard error may be standard output where that gets no copy" w --into=cat <X >log 2>&1

# ---- Aliases.

# of NAME BELOW ABOVE: the same directory under two names, where X is the input
of() {
	name=$1 below=$2 above=$3
	bytes 100000 >"$below/X"
	cp "$below/X" "$below/other" # as long, and another file
	before "$below/X" "$below/other"
	for ends in "$below $above" "$above $below"; do
		in=${ends% *} out=${ends#* }
		at="$name, input ${in##*/}"
		refused "$at: the output is the input" "standard output: is the input: copy to another file" \
			w <"$in/X" 1<>"$out/X"
		refused "$at: the second output" "--tee=.*: is the input: copy to another file" tee "$out/X" <"$in/X" >Y
		refused "$at: the report" ".*/X: is also standard input" w -o "$out/X" <"$in/X" >Y
		w <"$in/X" >Y 2<>"$out/X"
		is "$at: standard error writes over it: exit status" $? 2
		untouched "$at" "$below/X" "$below/other"
		refused "$at: two outputs" "--tee=.*: is standard output, too" tee "$out/Z" <X >"$in/Z"
		refused "$at: report and output" ".*/Z: is also standard output" w -o "$out/Z" <X >"$in/Z"
		cp a.csv "$below/a.csv"
		refused "$at: --compare onto itself" ".*/a.csv: is also the report" "$wb" --compare "$in/a.csv" \
			-o "$out/a.csv"
		same "... it is what it was" a.csv "$below/a.csv"
		run 0 "$at: another file of that size is an output" w <"$in/X" 1<>"$out/other"
		same "... with a copy" "$below/X" "$below/other"
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
	# A user who may write to a file, but not set its times.
	other="setpriv --reuid=54321 --regid=54321 --clear-groups memory/program"
	cp "$wb" memory/program
	chmod 755 memory/program "$work"
	if $other --version >/dev/null 2>&1 || or_skip "where only another may set times" "no setpriv"; then
		chmod 644 memory/merged/X # the shell has opened it for writing, and write-bench may do nothing else
		cksum <memory/upper/X >before.sum
		# shellcheck disable=SC2086
		refused "an overlay, where only another may set times" "standard output: may be the input" \
			$other -n1 -p0 -s sendfile <memory/upper/X 1<>memory/merged/X
		is "... no byte is lost" "$(cksum <memory/upper/X)" "$(cat before.sum)"
	fi
fi
if have bindfs && bindfs below above >/dev/null 2>&1 3>&-; then # it stays, and may hold nothing of ours
	undo="umount -l '$work/above'; ${undo:-:}"
	of FUSE below above
else
	skip "FUSE" "no bindfs"
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
	refused "... help" "the report: $lies" w --help 1<>image
	refused "... output, the device being the input" "standard output: $lies" w <"$loop" 1<>image
	untouched "a loop device" image
	truncate -s 1M mounted/inner
	if inner=$(losetup -f --show mounted/inner 2>/dev/null); then
		refused "... that lies on another" "standard output: $lies" w <X 1<>mounted/inner
		losetup -d "$inner"
	fi
	run 0 "an output on a loop device" w <X >mounted/Y
	same "... is a copy" X mounted/Y
	rm image && ln name image.2 && rm name # the device's name for it leads nowhere
	refused "... whose file has lost that name" "standard output: $lies" w <X 1<>image.2
fi
