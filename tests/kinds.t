#!/bin/sh
# Kinds of fault that users met, each by its cases: what a row leaves behind, proofs that are missing, words, ends of files, causes,
# names of an instance, clean-up, messages, remedies, and options that do nothing.
# Tried: it fails where rows with fallocate run on a compressed btrfs; attributes stay as a command left them; what is not told is taken for
# Tried: a copy, or for another file; unknown CPUs are one; a byte behind the end is not asked for; the input is not read again; our own
# Tried: errno comes after a child's status; what --new made stays without a word; commands with --no-verify are not counted; a message
# Tried: goes into an output.
if [ "$(id -u)" = 0 ] && [ -z "${OWN_MOUNTS-}" ] && unshare -m true 2>/dev/null; then
	OWN_MOUNTS=1 exec unshare -m "$0" "$@"
fi
. "$(dirname "$0")/tap.sh"
[ -n "${OWN_MOUNTS-}" ] || OWN_MOUNTS=

mounted=
# shellcheck disable=SC2016 # at the end
undo='cd /; for at in $mounted; do umount "$work/$at" 2>/dev/null; done'
place() { # FS MIB OPTIONS [MKFS-OPTION...]: mounts it at ./FS, or fails
	fs=$1 mib=$2 options=$3
	shift 3
	[ "$OWN_MOUNTS" ] && have "mkfs.$fs" && mkdir "$fs" && truncate -s "${mib}M" "$fs.img" && "mkfs.$fs" -q "$@" "$fs.img" >mkfs.err 2>&1 &&
		mount -t "$fs" -o "loop$options" "$fs.img" "$fs" 2>mkfs.err && mounted="$fs $mounted"
}
w() { "$wb" -p0 -n1 "$@"; }
bytes 300000 >X
seq 400000 >text

# ---- What a row leaves in the inode.
if place btrfs 400 ,compress=zstd:1; then
	encoded() { filefrag -v btrfs/Y 2>/dev/null | awk '/^ *[0-9]+:/ { n++; if (/encoded/) some++ } END { print (2 * some > n) }'; } # a page that is written alone is not
	run 0 "btrfs that compresses: all rows" w -a -f csv -o csv <text >btrfs/Y
	is "... those that would end that are n/a" "$(column 1,4 csv | grep -E 'falloc(,| )' | grep -v ',n/a$')" ""
	if have filefrag; then
		among=$(encoded)
		w -s sendfile <text >btrfs/Y 2>err
		is "... what stays is compressed as after a session of one row" "$among" "$(encoded)"
		[ "$among" -gt 0 ]
		is "... which it is" $? 0
	else
		skip "... what stays is compressed" "no filefrag"
	fi
	run 0 "... with --new they run" w --new -s 'sendfile,sendfile + advices + falloc' -f csv -o csv <text 1<>btrfs/Y
	is "... by each" "$(column 1,4 csv | sort | tr '\n' ' ')" "sendfile + advices + falloc,ok sendfile,ok "
	holds "... and it is said that those copies are not compressed" csv '^# warning_uncompressed: '
	run 0 "a command that allocates" w -n2 -s sendfile --with='fallocate -l 1M btrfs/Y && cat' --with=cat -f csv -o csv <text >btrfs/Y
	holds "... is named, since the output is compressed no more" csv '^# warning_lost_compression: after \$ fallocate'
	rm btrfs/Y
	run 0 "... others are not" w -n2 -s sendfile --with=cat -f csv -o csv <text >btrfs/Y
	lacks "... named" csv '^# warning_lost_compression'
	if mkdir btrfs/l btrfs/u btrfs/w over && mount -t overlay overlay -o "lowerdir=$work/btrfs/l,upperdir=$work/btrfs/u,workdir=$work/btrfs/w" over 2>mount.err; then
		w -s 'sendfile + advices + falloc,sendfile' -f csv -o csv <text >over/Y 2>err
		is "an overlay on it" "$(column 1,4 csv | sort | tr '\n' ' ')" "sendfile + advices + falloc,n/a sendfile,ok "
		umount over
	else
		skip "an overlay on it" "none can be mounted here"
	fi
	run 0 "a command that changes attributes" w -n2 -s sendfile --with='chattr +A btrfs/Y && cat' -f csv -o csv <text >btrfs/Y
	holds "... is named" csv '^# warning_altered: .*\$ chattr \+A'
	is "... and they are as before" "$(lsattr btrfs/Y | cut -d' ' -f1 | tr -d -)" ""
else
	skip "btrfs that compresses" "not root, no mount namespaces, or no btrfs"
fi

# ---- What is not told.
if have cc && cc -shared -fPIC -o no-fiemap.so "$top/tests/no-fiemap.c" 2>cc.err && place xfs 600 ''; then
	untold() { LD_PRELOAD="$work/no-fiemap.so" "$wb" -p0 -n3 -f csv -o csv "$@"; }
	bytes 150000000 >xfs/X
	if ! have filefrag || ! LD_PRELOAD="$work/no-fiemap.so" filefrag -v xfs/X 2>&1 | grep -q ' shared\| last,eof'; then
		# shellcheck disable=SC2016 # the command's
		cp='cp --reflink=always "$IN" "$OUT"'
		run 0 "blocks that are shared without a word" untold -s 'copy_file_range,sendfile' --with="$cp" <xfs/X >xfs/Y
		is "... are not ranked" "$(column 1,4 csv | sed 's/.*reflink.*,/cp,/' | sort -u | tr '\n' ' ')" "copy_file_range,shared? cp,shared? sendfile,ok "
		"$wb" --compare csv >again
		holds "... it is said, also when it is read back" again '^Not ranked, since blocks may be shared' '^sendfile: median'
		run 0 "... a row alone is found out, too" untold -s copy_file_range <xfs/X >xfs/Y
		is "... by memcpy" "$(column 4 csv | sort -u)" "shared?"
		run 0 "... two threads are not suspected, nor is a command that copies" untold -s 'read+write 64k' --with='dd bs=1M status=none' <xfs/X >xfs/Y
		is "... each is ok" "$(column 4 csv | sort -u)" ok
	else
		skip "blocks that are shared without a word" "no filefrag, or LD_PRELOAD does not reach it"
	fi
else
	skip "blocks that are shared without a word" "no cc, not root, no mount namespaces, or no XFS"
fi
cpu() { # LINE...: that /proc/cpuinfo has; prints what the report says
	printf 'processor\t: 0\n' >cpuinfo
	printf '%b\n' "$@" >>cpuinfo
	unshare -m sh -c 'mount --bind cpuinfo /proc/cpuinfo && exec "$@"' sh "$wb" -p0 -n1 -s sendfile -f csv -o "$(echo "$1" | tr -cd a-zA-Z0-9).csv" <X >Y 2>err
	sed -n 's/^# cpu: //p' "$(echo "$1" | tr -cd a-zA-Z0-9).csv"
}
if [ "$OWN_MOUNTS" ]; then
	is "an ARM is its implementer, variant and part" "$(cpu 'CPU implementer\t: 0x41' 'CPU variant\t: 0x3' 'CPU part\t: 0xd0c')" \
		"implementer 0x41, variant 0x3, part 0xd0c"
	is "a POWER has its cpu" "$(cpu 'cpu\t\t: POWER9, altivec supported')" "POWER9, altivec supported"
	is "a LoongArch has its Model Name" "$(cpu 'Model Name\t\t: Loongson-3A5000')" "Loongson-3A5000"
	is "a MIPS has its cpu model" "$(cpu 'cpu model\t\t: Cavium Octeon II V0.9')" "Cavium Octeon II V0.9"
	if [ ! -e /proc/device-tree/model ]; then
		is "what does not tell has none" "$(cpu none)" ""
		sed 's/^# host: .*/# host: another/' none.csv >other.csv
		"$wb" --compare none.csv other.csv >said
		holds "... two such machines are not one" said '^Note: cpu is not known: it may differ'
		sed 's/^# size: .*/# size: 1000/; s/,300000,/,1000,/' other.csv >size.csv
		"$wb" --compare none.csv size.csv | head -n 5 >said
		lacks "... nor their sizes those of one session" said '^row .*KiB.*B'
	else
		skip "what does not tell has none" "there is a device tree"
	fi
else
	skip "CPUs of other machines" "not root, or no mount namespaces"
fi
can_trace && traced=1
if [ "${traced-}" ] && [ "$OWN_MOUNTS" ] && mkdir fuse under && have bindfs && bindfs under fuse >bindfs.err 2>&1 3>&-; then
	mounted="fuse $mounted"
	cp X under/X && cp X under/same && bytes 300000 >under/other
	no_times() { strace -f --seccomp-bpf -qq -o trace -e inject=utimensat:error=ENOSYS "$wb" -p0 -n1 -s sendfile "$@"; }
	run 0 "without times: another file" no_times <fuse/X 1<>fuse/other
	cp X under/same
	run 2 "... one of the same bytes, of which nothing tells, is refused" no_times <fuse/X 1<>fuse/same
	holds "... with what to remove" err 'standard output: may be the input: .*remove it first'
	run 2 "... so is the file itself by another path" no_times <fuse/X 1<>under/X
	run 2 "... a time that is set and shows nowhere tells nothing" strace -f --seccomp-bpf -qq -o trace -e inject=utimensat:retval=0 "$wb" -p0 -n1 \
		-s sendfile <fuse/X 1<>under/X
	: >Y
	cp X Y
	run 0 "... one on a file system that tells is another" "$wb" -p0 -n1 -s sendfile <fuse/X 1<>Y
	cp X under/same
	run 0 "... also if only the other one tells" strace -f --seccomp-bpf -qq -o trace -P "$work/fuse/same" -e trace=utimensat \
		-e inject=utimensat:error=ENOSYS "$wb" -p0 -n1 -s sendfile <X 1<>fuse/same
	before=$(stat -c '%y' under/other)
	no_times -s nosuch <fuse/X 1<>fuse/other 2>err
	is "... what is refused keeps its time" "$(stat -c '%y' under/other)" "$before"
	run 0 "--cold through FUSE" w -s sendfile --cold -f csv -o csv <fuse/X >Y
	holds "... says of which page cache" csv 'of this mount; what its other side caches is not known|How much of the input stayed'
	run 0 "--until=sync on FUSE" w -s sendfile --until=sync -f csv -o csv <X >fuse/Y
	holds "... is a warning" csv '^# warning_nosync: .*FUSE'
	exec 7<fuse/X
	pkill -9 -f 'bindfs under fuse'
	until_there sh -c '! stat fuse/X'
	w -s sendfile <&7 >Y 2>err; got=$?
	is "a FUSE daemon that has ended" $got 2
	holds "... is told as that, with a remedy" err 'standard input: .*ENOTCONN.*mount it again'
	exec 7<&-
else
	skip "FUSE" "no strace, not root, no mount namespaces, or no bindfs"
fi
if [ "$OWN_MOUNTS" ] && mkdir volatile && mount -t tmpfs tmpfs volatile && mounted="volatile $mounted" && mkdir volatile/l volatile/u volatile/w volatile/m &&
	mount -t overlay overlay -o lowerdir=volatile/l,upperdir=volatile/u,workdir=volatile/w,volatile volatile/m 2>mount.err; then
	mounted="volatile/m $mounted"
	run 0 "--until=sync on an overlay that is volatile" w -s sendfile --until=sync -f csv -o csv <X >volatile/m/Y
	holds "... is a warning, and says that the call returned" csv '^# warning_nosync: .*volatile' '^# until: fdatasync returned'
else
	skip "an overlay that is volatile" "none can be mounted here"
fi
if [ "$OWN_MOUNTS" ] && bytes 3000000 >disk && loop=$(losetup -f --show --direct-io=off disk 2>losetup.err); then
	run 0 "a block device is not in memory" w -s sendfile --cold -f csv -o csv <"$loop" >Y
	lacks "... though its node is on devtmpfs" csv 'in memory|as tmpfs is memory'
	holds "... what is cached twice is told" csv '^# warning_cached_twice: .*losetup --direct-io=on'
	if [ "${traced-}" ]; then
		strace -y -qq -o trace -e trace=fadvise64 "$wb" -p0 -n1 -s sendfile --cold --no-verify <"$loop" >/dev/null 2>err
		grep -q "/disk>.*DONTNEED" trace
		is "... and evicted twice" $? 0
	fi
	if upper=$(losetup -f --show --direct-io=on "$loop" 2>losetup.err); then
		run 0 "a loop device on a loop device" w -s sendfile --cold -f csv -o csv <"$upper" >Y
		holds "... is told of the lower one" csv '^# warning_cached_twice: '
		losetup -d "$upper"
	fi
	exec 6<"$loop"
	w -s nosuch <&6 >Y 2>err
	is "... whose descriptor is left where it was" "$(sed -n 's/^pos:[^0-9]*//p' "/proc/$$/fdinfo/6")" 0
	exec 6<&-
	"$wb" -n 10000 -p 0.01 -s sendfile -o grown.txt <"$loop" >Y 2>err &
	pid=$!
	until_there sh -c "[ \"\$(stat -c %s Y)\" = 3000320 ] || [ \"\$(stat -c %s Y)\" -gt 2900000 ]"
	truncate -s 4M disk && losetup -c "$loop"
	until_there sh -c "! kill -0 $pid"
	wait $pid
	is "a block device that grows" $? 1
	holds "... has changed" grown.txt 'the input changed'
	losetup -d "$loop"
else
	skip "block devices" "not root, or no loop devices"
fi

# ---- EOF.
if [ "${traced-}" ]; then
	run 2 "a file with more bytes than its size" strace -qq -o trace -P "$work/X" -e trace=pread64 -e inject=pread64:retval=1:when=1 "$wb" -p0 -n1 \
		-s sendfile <X 1<>text
	holds "... is refused" err '^write-bench: standard input: has more bytes than its size, 300000: use --size'
	is "... before anything is touched" "$(wc -l <text | tr -d ' ')" 400000
	bytes 2000000 >X2
	cp X2 X3
	"$wb" -n 40 -p 0.05 -s 'read+write 64k' --send -f csv -o csv <X2 >Y 2>err &
	pid=$!
	sleep 0.5
	printf zzzz | dd of=X2 conv=notrunc bs=1 seek=5000 2>/dev/null
	wait $pid
	is "an input that changes at its size, and no output is a file" $? 1
	holds "... is told" err '^write-bench: standard input: changed meanwhile'
	("$wb" -n 30 -p 0.05 -s 'read+write x2 64k' --tee=T -f csv -o csv <X2 2>err; echo $? >status) | cat >/dev/null &
	pid=$!
	sleep 0.5
	printf yyyy | dd of=X2 conv=notrunc bs=1 seek=5000 2>/dev/null
	wait $pid
	is "... one of the outputs is none" "$(cat status)" 1
	run 0 "... one that stays" w -s 'read+write 64k' --send <X3 >Y
fi

# ---- Causes.
while read -r command; do
	run 0 "a producer that is cut off: $command" w -n2 -s 'read+write 64k' --from="$command" -z 200k -f csv -o csv >Y
	is "... is no failure" "$(column 4 csv | sort -u)" ok
done <<'END'
yes; exit 23
trap "" PIPE; yes 2>/dev/null
yes
perl -e '$SIG{PIPE} = "IGNORE"; while (syswrite STDOUT, "x" x 65536) {} exit 101'
END
run 2 "one that ends by itself" w -s 'read+write 64k' --from='head -c 1000 X; exit 23' -z 200k >Y
holds "... is one" err 'exit status 23'
run 0 "... is none, if it has written all that was wanted before" w -s 'read+write 64k' --from='head -c 200k text; exit 0' -z 200k >Y
# shellcheck disable=SC2016
run 1 "a command that stops reading" w -s '$ *' --with='head -c $((SIZE / 2))' --from='yes; exit 23' -z 200k -f csv -o csv >Y
is "... is its own fault, not its producer's" "$(column 4 csv)" mismatch
if [ "${traced-}" ]; then
	# shellcheck disable=SC2016
	strace -qq -o trace -P "$work/X" -e trace=read -e inject=read:error=EIO:when=3 "$wb" -p0 -n1 -s 'read+write 64k' --no-verify \
		--into='test "$(wc -c)" -ge 300000' -f csv -o csv <X >Y 2>err
	is "an input that fails is the cause, not what its receiver says of it" "$(column 4 csv)" "failed EIO"
fi
if [ "$OWN_MOUNTS" ] && mkdir small && mount -t tmpfs -o size=1m tmpfs small; then
	mounted="small $mounted"
	run 1 "a full disk" w -s 'read+write 64k' --from='yes; exit 23' -z 3m -f csv -o csv >small/Y
	is "... is the cause" "$(column 4 csv)" "failed ENOSPC"
	cat text text >large
	run 1 "a disk that is too small" "$wb" -p0 -n2 -f csv -o csv <large >small/Y
	is "... is filled once by a row without advice" "$(column 1,4 csv | grep ',failed ENOSPC' | grep -vc ' + ')" 1
	is "... the other rows are not run" "$(column 4 csv | grep -v '^n/a' | sort -u | tr '\n' ' ')" "failed ENOSPC not run "
	is "... the output is emptied" "$(wc -c <small/Y | tr -d ' ')" 0
	is "... one message says it" "$(grep -c '^write-bench: ' err)" 1
	"$wb" --compare csv -f csv >again
	is "... and it is read back" "$(column 1,4 again)" "$(column 1,4 csv)"
else
	skip "a disk that is too small" "not root, or no mount namespaces"
fi

# ---- Names of an instance.
report() { # FILE MOUNT MEMORY
	printf '# schema: 4\n# heading: H\n# cpu: C\n# kernel: 6\n# output: O\n# output_mount: %s\n# memory_bytes: %s\nrow,round,ns,outcome,bytes\n' "$2" "$3" >"$1"
	for round in 1 2 3; do printf 'a,%s,%s00,ok,1000\nb,%s,%s50,ok,1000\n' $round $round $round $round >>"$1"; done
}
differ() { # PRINTS the notes about conditions of a.csv and b.csv
	"$wb" --compare a.csv b.csv | grep -E '^Note: ' | tr '\n' ' '
}
report a.csv "overlay rw,relatime,lowerdir=/a:/b,upperdir=/u,workdir=/w,xino=off" 25276514304
report b.csv "overlay rw,xino=off,relatime,lowerdir=/c,upperdir=/d,workdir=/e" 25276518400
is "layers, the order of options and a page of memory are no conditions" "$(differ)" ""
while IFS='|' read -r one other; do
	report a.csv "$one" 1000000000
	report b.csv "$other" 1040000000
	is "no condition: $one" "$(differ)" ""
done <<'END'
btrfs rw,subvolid=256,subvol=/root|btrfs rw,subvolid=5,subvol=/
nfs4 rw,vers=4.2,clientaddr=10.0.0.1,addr=10.0.0.2,port=2049|nfs4 rw,vers=4.2,port=20049,clientaddr=10.0.0.7,addr=10.0.0.9
tmpfs rw,size=1024k,huge=always|tmpfs rw,huge=always,size=2g,nr_inodes=5
fuse.bindfs rw,user_id=0,group_id=0|fuse.bindfs rw,user_id=1000,group_id=1000
cifs rw,vers=3.1.1,username=a,uid=1,addr=10.0.0.1|cifs rw,vers=3.1.1,username=b,uid=2,addr=10.0.0.9
overlay rw,lowerdir+=/a,lowerdir+=/b|overlay rw,lowerdir+=/c
END
while IFS='|' read -r one other memory; do
	report a.csv "$one" 1000000000
	report b.csv "$other" "$memory"
	is "a condition: $one, $other, $memory" "$(differ | grep -c differs)" 1
done <<'END'
ext4 rw,relatime|ext4 rw,noatime|1000000000
nfs4 rw,vers=4.2,addr=a|nfs4 rw,vers=3,addr=a|1000000000
btrfs rw,compress=zstd:1|btrfs rw|1000000000
ext4 rw|xfs rw|1000000000
ext4 rw|ext4 rw|1100000000
tmpfs rw,huge=always|tmpfs rw|1000000000
END

# ---- Clean-up, and commands that are not verified.
if [ "$OWN_MOUNTS" ] && have bindfs && mkdir drop box && bindfs --delete-deny --rename-deny drop box >bindfs.err 2>&1 3>&-; then
	mounted="box $mounted"
	: >box/Y
	run 2 "--new where no file can be removed is refused" w -n3 -s sendfile --new <X 1<>box/Y
	is "... after one, which is named" "$(cd drop && echo .write-bench.* Y) $(grep -c 'box/\.write-bench\.[0-9]*\.0: is left there' err)" \
		"$(find drop -name '.write-bench.*' | head -n 1 | sed 's|.*/||') Y 1"
	if mkdir hide hidden && bindfs --delete-deny hide hidden >bindfs.err 2>&1 3>&-; then # where libfuse renames
		mounted="hidden $mounted"
		: >hidden/Y
		run 2 "... nor a renamed one" w -n3 -s sendfile --new <X 1<>hidden/Y
		is "... one is left" "$(find hide -name '.*' -type f | wc -l | tr -d ' ')" 1
	fi
else
	skip "--new where no file can be removed" "no bindfs, not root, or no mount namespaces"
fi
if [ "$OWN_MOUNTS" ] && mountpoint -q box; then
	rm -rf drop/.write-bench.*
	# shellcheck disable=SC2016
	TMPDIR=$work/box run 0 "names that can't be taken away from TMPDIR" "$wb" -p0 -n4 -s sendfile --with='cp "$IN" "$OUT"' <X >Y
	is "... are of one start, and told" "$(find drop -name 'write-bench.*' | wc -l | tr -d ' ')$(grep -c '^write-bench: .*can.t be removed' err)" 11
fi
for ends in '| cat >Y' '>/dev/null' '--into="cat >/dev/null" >Y' '--from="cat X" >/dev/null' '--from="cat X" --into="cat >/dev/null" >Y'; do
	eval "w --no-verify -s 'read+write 64k' --with=true --with='head -c 5' --with=cat -f csv -o csv <X 2>err $ends"
	is "what copies too little with --no-verify: $ends" "$(column 1,4 csv | sed 's/failed short/mismatch/' | sort -u | tr '\n' ' ')" \
		"\$ cat,ok \$ head -c 5,mismatch \$ true,mismatch read+write 64k,ok "
done

# ---- Messages.
echo precious >P
for options in '--bogus' '-n x' '--select=nosuch' '--compare'; do
	# shellcheck disable=SC2086
	setsid "$wb" $options <>P >Y 2>&0; got=$?
	is "standard error is the input ($options)" "$got $(cat P)" "2 precious"
done
setsid "$wb" -n1 -s sendfile <X >Y 2>&1; got=$?
is "standard error is the output" "$got $(wc -c <Y | tr -d ' ')" "2 0"
if have script; then
	script -qec "'$wb' -n1 -s sendfile <X >Y 2>&1" typescript >said 2>&1 </dev/null
	holds "... a terminal is told" said 'standard error: is also'
else
	skip "... a terminal is told" "no script"
fi
if [ "$OWN_MOUNTS" ] && bytes 100000 >disk2 && loop=$(losetup -f --show disk2 2>losetup.err); then
	cp disk2 disk3
	setsid "$wb" --bogus <>"$loop" >Y 2>&0; got=$?
	sync
	is "... a block device" "$got $(cmp disk2 disk3 2>&1)" "2 "
	losetup -d "$loop"
fi
for options in '--send' '--into=cat'; do
	# shellcheck disable=SC2086
	setsid "$wb" -p0 -n1 -s 'read+write 64k' $options <X >log 2>&1; got=$?
	is "... where $options takes the output it is a log" "$got $(grep -c '^read+write 64k' log)" "0 1"
done
setsid "$wb" --list --bogus >log 2>&1; got=$?
is "... so it is of a list" "$got $(grep -c 'unknown option --bogus' log)" "2 1"
cp X keep && : >Z
setsid "$wb" -n1 -s 'read+write x2 8k' --tee=Z <X >Y 2>Z; got=$?
is "standard error is the second output" "$got $(wc -c <Z | tr -d ' ')" "2 0"
if [ "$OWN_MOUNTS" ]; then
	echo before >log
	unshare -m sh -c 'umount -l /sys; exec "$@"' sh "$wb" -q -n1 -p0 -s sendfile <X >Y 2>>log; got=$?
	is "a log that is appended to, without /sys" "$got $(head -n 1 log)" "0 before"
fi
for options in "--with=nosuchprogram" "-n 2 --with=cat --baseline=read+write\ 64k --fail-if-slower"; do
	head -c 5000 X | (eval "w $options" >Y 2>err; echo $? >status; wc -c | tr -d ' ' >left)
	is "a pipe is not read by a session that is refused: $options" "$(cat status) $(cat left)" "2 5000"
done
if have perl; then
	perl -e 'use Fcntl; pipe(my $r, my $w); syswrite $w, "x" x 5000; fcntl $r, F_SETFL, O_NONBLOCK; fcntl $r, F_SETFD, 0; open STDIN, "<&", $r;
		system @ARGV; print sysread($r, my $rest, 9000) // 0, "\n"' "$wb" -n1 -p0 -o some2.csv >left 2>err
	is "a pipe that does not block is refused, and keeps its bytes" "$(tail -n 1 left) $(grep -c 'standard input: .*O_NONBLOCK' err)" "5000 1"
fi
w -q -o sizes.csv -z 100,2000 --with='head -c 100' -s sendfile <X >Y 2>err
lacks "a line about several sizes names them" err null
mkdir tmp
few='' && have prlimit && few='prlimit --nofile=9'
# shellcheck disable=SC2016,SC2086
TMPDIR=$work/tmp $few "$wb" -p0 -n1 -q -s sendfile --with='cp "$IN" "$OUT"' <X >Y 2>err
is "nothing is left in TMPDIR by few descriptors" "$(ls tmp)" ""
echo old report >old.csv
(ulimit -f 1 && w -n3 -p0 <X >/dev/null -o old.csv 2>err; echo $? >status)
is "a report that would be above a limit leaves an older one" "$(cat status) $(cat old.csv)" "1 old report"
rm -f made.csv Z
w -s nosuch -t Z <X >Y 2>err; got=$?
is "a file that a refused session made is named" "$got $(grep -c '^write-bench: Z: was made, and is left there, empty' err)" "2 1"
w -s sendfile -o made.csv -o "$PWD/made.csv" <X >Y 2>err
holds "... a report, too" err '^write-bench: made.csv: was made'
: >Z
w -s nosuch -t Z <X >Y 2>err
lacks "... one that was there is not" err 'was made'

# ---- Remedies.
says() { # DESCRIPTION REGEX COMMAND...
	what=$1 regex=$2
	shift 2
	"$@" 2>err >out
	holds "$what" err "^write-bench: $regex"
}
ln -s two one && ln -s one two
says "ELOOP" '.*ELOOP.*: use a name without a loop' w -s sendfile -o one -f csv <X
says "ENAMETOOLONG" '.*ENAMETOOLONG.*: use a shorter name' w -s sendfile -o "$(printf 'x%.0s' $(seq 300)).csv" <X
"$wb" --list >/dev/full 2>err
holds "ENOSPC of a list says nothing of copies" err 'standard output: write: ENOSPC \(.*\): free space$'
if [ "${traced-}" ]; then
	strace -f --seccomp-bpf -qq -o trace -e inject=memfd_create:error=EPERM "$wb" -p0 -n1 -s sendfile --with=cat -f csv -o csv <X >Y 2>err
	is "what can't start a command is named" "$(column 1,4,detail csv | grep '^\$')" '$ cat,n/a EPERM,memfd_create'
	strace -f --seccomp-bpf -qq -o trace -e inject=syncfs:error=EIO "$wb" -p0 -n1 -s sendfile -f csv -o csv <X >Y 2>err
	once=$(strace -f --seccomp-bpf -qq -o trace -e inject=syncfs:error=EIO:when=1 "$wb" -p0 -n1 -s sendfile -f csv <X 2>&1 >Y | grep -c warning_unsynced)
	is "one that says no once is none" "$once" 0
	case $(stat -f -c %T .) in
	tmpfs | ramfs) skip "a file system that can't be synced" "it is memory" ;;
	*) holds "a file system that can't be synced is a warning" csv '^# warning_unsynced: .*syncfs: EIO' ;;
	esac
	# shellcheck disable=SC2002 # a pipe is meant
	cat X | strace -f -qq -o trace -e trace=close_range,read "$wb" -p0 -n1 -s splice >Y 2>err
	is "a process closes what it does not need before it is started" "$(awk '/close_range/ { closed[$1] = 1 } /read\([0-9]+, "\\0", 1\)/ && !closed[$1] { early++ }
		/read\([0-9]+, "\\0", 1\)/ { n++ } END { print (n > 0), early + 0 }' trace)" "1 0"
	unlimited='' && have prlimit && prlimit --nofile=20000 true 2>/dev/null && unlimited='prlimit --nofile=20000'
	# shellcheck disable=SC2086,SC2002 # a pipe is meant
	cat X | strace -f --seccomp-bpf -qq -o trace2 -e trace=close,close_range -e inject=close_range:error=ENOSYS $unlimited "$wb" -p0 -n1 -s splice >Y 2>err
	[ "$(grep -c 'close(' trace2)" -lt 2000 ]
	is "without close_range(2) few descriptors are closed one by one" $? 0
fi
if [ "$OWN_MOUNTS" ] && have setpriv; then
	cp "$wb" program && chmod 755 program "$work" && cp X Y && chmod 622 Y
	setpriv --reuid=54321 --regid=54321 --clear-groups ./program -n1 -p0 -s sendfile <X >Y 2>err; got=$?
	if grep -q EACCES err; then
		is "an output that its user can't read" $got 2
		lacks "... has a remedy for that" err 'mount /proc'
	fi
fi

# ---- Options that do nothing.
nothing() { # STATUS REGEX OPTION...: into /dev/null
	status=$1 regex=$2
	shift 2
	run "$status" "$*" w -q -s sendfile "$@" <X >/dev/null
	tr '\n' ' ' <err >line
	holds "... is refused, or said" line "$regex"
}
nothing 2 '--overwrite needs a file as output' --overwrite
nothing 2 '--overwrite needs a file as output' --overwrite=cached
nothing 0 'Not used: --until \(no output is a file\)' --until=sync
nothing 0 'Not used: --until ' --until=close
nothing 0 'Not used: --seed ' --seed=3 --in-order
nothing 0 'Not used: --verbose ' --verbose
nothing 0 'Not used: standard input ' --from='cat X' -s 'read+write 64k'
for option in '--tee=a --tee=b' '-z 4k -z 5k' '--from=a --from=b' '--into=a --into=b' '--with=cat --baseline=a --baseline=b'; do
	# shellcheck disable=SC2086
	nothing 2 'is given twice: give it once' $option
done
nothing 0 'Not used: --runs \(given again' -n 2
nothing 2 '--top: is for reports in text and Markdown' --top=3 -f csv
for option in --send "--into=cat >/dev/null"; do
	run 0 "${option%%=*}, and >Y" w -q -s 'read+write 64k' "$option" <X >Y
	tr '\n' ' ' <err >line
	holds "... is said" line 'Not used: standard output '
done
run 0 "--reuse of commands alone" w -q --reuse -s '$ *' --with=cat <X >Y
holds "... is said" err 'Not used: --reuse'
run 0 "... with -o, too" w -q --reuse -s '$ *' --with=cat -o some.csv <X >Y
holds "... is said there, too" err 'Not used: --reuse'
while IFS='|' read -r row regex; do
	run 2 "$row does not fit" w -s "$row" <X >Y
	tr '\n' ' ' <err >line
	holds "... is told with the ends that it takes" line "$regex"
done <<'END'
read+write x2 8k|does not run here: it writes to two outputs: add --tee
vmsplice|does not run here: it copies from a .* to a pipe
*pfalloc|does not run here: it needs its full name, or --all
noreuse|matches no row: write-bench --list --all names them
splice (pipe 1m)|does not run here: it needs a pipe at an end
sendfile + readahead|does not run here: it is for --cold
END
