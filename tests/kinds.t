#!/bin/sh
# Kinds of fault that users met, each by its cases: what a row leaves behind, files that look like another, ends of
# files, causes, clean-up, what is refused before a pipe is read, and messages that would go into what is copied.
# Tried: it fails where rows with fallocate run on a compressed btrfs; the first bytes are not compared; a byte behind
# Tried: the end is not asked for; the input is not asked again; our own errno comes after a child's status; what --new
# Tried: made stays without a word; a message goes into an output.
if [ "$(id -u)" = 0 ] && [ -z "${OWN_MOUNTS-}" ] && unshare -m true 2>/dev/null; then
	OWN_MOUNTS=1 exec unshare -m "$0" "$@"
fi
. "$(dirname "$0")/tap.sh"
. "$top/tests/processes.sh"
[ -n "${OWN_MOUNTS-}" ] || OWN_MOUNTS=

mounted='' loop=''
clean_up() { # in the end
	cd "$work" && for at in $mounted; do umount "$at"; done
	[ ! "$loop" ] || losetup -d "$loop"
} 2>/dev/null
undo=clean_up
device() { # FILE: a loop device, its name in $loop, or fails
	loop=
	[ "$OWN_MOUNTS" ] && loop=$(losetup -f --show "$1" 2>losetup.err)
}
! can_trace || traced=1
inject() { # CALL:WHAT [ARGUMENT]...: words before the program
	echo "strace -f --seccomp-bpf -qq -o trace -e inject=$*"
}
bytes 300000 >X
seq 400000 >text

# ---- The compression that a row leaves.
if { [ "$OWN_MOUNTS" ] && have mkfs.btrfs && mkdir btrfs && truncate -s 400M img && mkfs.btrfs -q img >mkfs.err 2>&1 &&
	mount -t btrfs -o loop,compress=zstd:1 img btrfs 2>mkfs.err; } ||
	or_skip "btrfs that compresses" "not root, no mount namespaces, or no btrfs"; then
	mounted=btrfs
	encoded() { # a page that is written alone is not
		filefrag -s -v btrfs/Y 2>/dev/null | awk \
			'/^ *[0-9]+:/ { n++; if (/encoded/) some++ } END { print (2 * some > n) }'
	}
	rows='*falloc*,sendfile' && full "btrfs that compresses: each row" && rows='*'
	run 0 "btrfs that compresses: all rows" measure -a -s "$rows" <text >btrfs/Y
	is "... those that would end that are n/a" "$(column 1,4 csv | grep -E 'falloc(,| )' | grep -v ',n/a$')" ""
	if have filefrag || or_skip "... what stays is compressed" "no filefrag"; then
		among=$(encoded)
		w -s sendfile <text >btrfs/Y 2>err
		is "... what stays is compressed as after a session of one row, which it is" "$among $(encoded)" "1 1"
	fi
fi

# ---- Files that look like another.
if { [ "$OWN_MOUNTS" ] && mkdir fuse behind && bindfs "$work/behind" fuse; } >bindfs.err 2>&1 3>&- ||
	or_skip "FUSE" "not root, no mount namespaces, or no bindfs"; then
	mounted="fuse $mounted"
	cp X behind/X && cp X behind/same && bytes 300000 >behind/other
	becomes "0 ok" "through FUSE another file is an output" -s sendfile <fuse/X 1<>fuse/other
	same "... and a copy" X behind/other
	becomes "2 " "... one of the same bytes, of which nothing tells, is refused" -s sendfile <fuse/X 1<>fuse/same
	holds "... with what to remove" err 'standard output: may be the input .*remove it first'
	becomes "2 " "... so is the file itself by another path" -s sendfile <fuse/X 1<>behind/X
	same "... which is what it was" X behind/X
	exec 7<fuse/X
	named bindfs "^$work/behind\$" >daemons
	kill_listed daemons
	until_there sh -c '! stat fuse/X'
	tells 2 "a FUSE daemon that has ended is told as that" 'standard input: .*ENOTCONN' w -s sendfile <&7 >Y
	exec 7<&-
fi

# ---- Ends of files.
bytes 3000000 >disk
if device disk || or_skip "block devices" "not root, or no loop devices"; then
	becomes "0 ok" "a block device is not in memory" -s sendfile --cold <"$loop" >Y
	lacks "... though its node is on devtmpfs" csv 'is in memory'
	exec 6<"$loop"
	w -s nosuch <&6 >Y 2>err
	is "... whose descriptor is left where it was" "$(sed -n 's/^pos:[^0-9]*//p' "/proc/$$/fdinfo/6")" 0
	exec 6<&-
	losetup -d "$loop"
fi
if [ "${traced-}" ]; then
	tells 2 "a file with more bytes than its size is refused" \
		'^write-bench: standard input: has more bytes than its size' \
		strace -qq -o trace -P "$work/X" -e inject=pread64:retval=1:when=2 "$wb" -p0 -n1 -s sendfile <X 1<>text
	is "... before anything is touched" "$(wc -l <text | tr -d ' ')" 400000
fi
changing() { # DESCRIPTION COMMAND...: bytes of X are others when its command has copied, and waits for that
	what=$1
	shift
	rm -f ran changed
	"$@" -n1 -p0 --with='tee ${TEE+"$TEE"}; : >ran; until [ -e changed ]; do sleep 0.01; done' <X 2>err 3>&- &
	until_there test -e ran
	date +%N | dd of=X conv=notrunc bs=1 seek=5000 count=8 2>dd.err
	: >changed
	wait $!
	is "an input that changes, $what" "$? $(joined err | grep -c "changed meanwhile")" "1 1"
}
changing "where no output is a file" timeout 300 "$wb" -s 'read+write 64k,$ *' --send
changing "where one of the outputs is none" into piped timeout 300 "$wb" -s 'read+write x2 64k,$ *' --tee=T

# ---- Causes.
while read -r command; do
	becomes "0 ok" "a producer that is cut off is no failure: $command" -n2 \
		-s 'read+write 64k' --from="$command" -z 200k >Y
done <<'END'
yes; exit 23
trap "" PIPE; yes 2>/dev/null
yes
perl -e '$SIG{PIPE} = "IGNORE"; while (syswrite STDOUT, "x" x 65536) {} exit 101'
head -c 200k text; exit 0
END
tells 2 "... by itself it is one" 'exit status 23' w -s 'read+write 64k' --from='head -c 1000 X; exit 23' -z 200k >Y
becomes "1 mismatch" "a command that stops reading: its own fault, not its producer's" -s '$ *' \
	--with='head -c $((SIZE / 2))' --from='yes; exit 23' -z 200k >Y
if [ "${traced-}" ]; then
	under="strace -qq -o trace -P X -e inject=read:error=EIO:when=3"
	becomes "1 failed EIO" "an input that fails is the cause, not what its receiver says of it" \
		-s 'read+write 64k' --no-verify --into='test "$(wc -c)" -ge 300000' <X >Y
	under=$(inject memfd_create:error=EPERM)
	columns=row,outcome,detail rows_become '0 $ cat,n/a EPERM,memfd_create;sendfile,ok,' \
		"what can't start a command is named" -s sendfile --with=cat <X >Y
	under=
fi
if { [ "$OWN_MOUNTS" ] && mkdir small && mount -t tmpfs -o size=1m tmpfs small; } ||
	or_skip "a disk that is too small" "not root, or no mount namespaces"; then
	mounted="small $mounted"
	becomes "1 failed ENOSPC" "a full disk is the cause" -s 'read+write 64k' --from='yes; exit 23' -z 3m >small/Y
fi

# ---- Clean-up.
if { [ "$OWN_MOUNTS" ] && mkdir drop box && bindfs --delete-deny --rename-deny drop box; } >bindfs.err 2>&1 3>&- ||
	or_skip "--new where no file can be removed" "no bindfs, not root, or no mount namespaces"; then
	mounted="box $mounted"
	: >box/Y
	becomes "1 failed EEXIST" "--new where no file can be removed fails" -n3 -s sendfile --new <X 1<>box/Y
	find box -type f ! -name Y | while read -r left; do
		grep -q "${left#box/}: is left" err || echo "$left"
	done >unnamed
	is "... what is left there, is named" "$(cat unnamed)" ""
	same "... and the output is a copy" X box/Y
fi

# ---- Refused before a pipe is read.
for option in --bogus --select=nosuch --cold --overwrite --with=; do
	head -c 5000 X | (w $option >/dev/null 2>err; echo $? >status; wc -c >left)
	is "a pipe is not read by a session that is refused: $option" "$(cat status) $(cat left)" "2 5000"
done
perl -e 'use Fcntl; pipe(my $r, my $w); syswrite $w, "x" x 5000; fcntl $r, F_SETFL, O_NONBLOCK; fcntl $r, F_SETFD, 0;
	open STDIN, "<&", $r; system @ARGV; print sysread($r, my $rest, 9000) // 0, "\n"' "$wb" -o new.csv >left 2>err
is "a pipe that does not block is refused, and keeps its bytes" \
	"$(tail -n 1 left) $(grep -c 'standard input: .*O_NONBLOCK' err)" "5000 1"

# ---- Messages go nowhere where standard error is an end: a status, what is found then, by which command, of what.
echo precious >P
cp X disk && cp X same
device disk
while IFS='|' read -r wanted found what command; do
	[ "$loop" ] || case $command in *'$2'*) continue ;; esac
	setsid sh -c "$command" sh "$wb" "$loop" # without a terminal
	is "standard error $what" "$? $(eval "$found")" "$wanted"
done <<'END'
2 precious|cat P|is the input (bad option)|"$1" --bogus <>P >Y 2>&0
2 precious|cat P|is the input (bad number)|"$1" -n x <>P >Y 2>&0
2 precious|cat P|is the input (no row)|"$1" --select=nosuch <>P >Y 2>&0
2 precious|cat P|is the input (nothing to compare)|"$1" --compare <>P >Y 2>&0
2 |cmp disk same|is the input, a block device|"$1" --bogus <>"$2" >Y 2>&0; got=$?; sync; exit $got
0 1|grep -c "^read+write 64k" log|is a log, with --send|"$1" -n1 -s "read+write 64k" --send <X >log 2>&1
0 1|grep -c "^read+write 64k" log|is a log, with --into|"$1" -n1 -s "read+write 64k" --into=cat <X >log 2>&1
2 1|grep -c -e --bogus log|is a log of a list|"$1" --list --bogus >log 2>&1
END
[ ! "$loop" ] || losetup -d "$loop"
loop=
