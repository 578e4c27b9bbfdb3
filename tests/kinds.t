#!/bin/sh
# Kinds of fault that users met, each by its cases: what a row leaves behind, proofs that are missing, words, ends of
# files, causes, names of an instance, clean-up, messages, remedies, and options that do nothing.
# Tried: it fails where rows with fallocate run on a compressed btrfs; attributes stay as a command left them; what is
# Tried: not told is taken for a copy, or for another file; unknown CPUs are one; a byte behind the end is not asked
# Tried: for; the input is not read again; our own errno comes after a child's status; what --new made stays without a
# Tried: word; commands with --no-verify are not counted; a message goes into an output.
if [ "$(id -u)" = 0 ] && [ -z "${OWN_MOUNTS-}" ] && unshare -m true 2>/dev/null; then
	OWN_MOUNTS=1 exec unshare -m "$0" "$@"
fi
. "$(dirname "$0")/tap.sh"
. "$top/tests/reports.sh"
[ -n "${OWN_MOUNTS-}" ] || OWN_MOUNTS=

mounted=
undo='cd /; for at in $mounted; do umount "$work/$at" 2>/dev/null; done'
place() { # FS MIB OPTIONS: mounts it at ./FS, or fails
	[ "$OWN_MOUNTS" ] && have "mkfs.$1" && mkdir "$1" && truncate -s "$2M" "$1.img" && "mkfs.$1" \
		-q "$1.img" >mkfs.err 2>&1 &&
		mount -t "$1" -o "loop$3" "$1.img" "$1" 2>mkfs.err && mounted="$1 $mounted"
}
device() { # FILE [OPTION]: a loop device, its name in $loop, or fails
	loop=
	[ "$OWN_MOUNTS" ] && loop=$(losetup -f --show ${2+"$2"} "$1" 2>losetup.err)
}
w() { "$wb" -p0 -n1 "$@"; }
can_trace && traced=1
inject() { # CALL:WHAT [ARGUMENT]...: words before the program
	echo "strace -f --seccomp-bpf -qq -o trace -e inject=$*"
}
bytes 300000 >X
seq 400000 >text

# ---- Attributes that a row leaves.
if place btrfs 400 ,compress=zstd:1 || or_skip "btrfs that compresses" \
	"not root, no mount namespaces, or no btrfs"; then
	encoded() { # a page that is written alone is not
		filefrag -v btrfs/Y 2>/dev/null | awk \
			'/^ *[0-9]+:/ { n++; if (/encoded/) some++ } END { print (2 * some > n) }'
	}
	rows='*falloc*,sendfile' && full "btrfs that compresses: each row" && rows='*'
	run 0 "btrfs that compresses: all rows" w -a -s "$rows" -f csv -o csv <text >btrfs/Y
	is "... those that would end that are n/a" "$(column 1,4 csv | grep -E 'falloc(,| )' | grep -v ',n/a$')" ""
	if have filefrag || or_skip "... what stays is compressed" "no filefrag"; then
		among=$(encoded)
		w -s sendfile <text >btrfs/Y 2>err
		is "... what stays is compressed as after a session of one row, which it is" "$among $(encoded)" "1 1"
	fi
	rows_become "0 sendfile + advices + falloc,ok;sendfile,ok" \
		"... with --new they run" --new -s 'sendfile,sendfile + advices + falloc' <text 1<>btrfs/Y
	holds "... and it is said that those copies are not compressed" csv '^# warning_uncompressed: '
	becomes "0 ok" "one allocates" -n2 -s sendfile --with='fallocate -l 1M btrfs/Y && dd' --with=dd <text >btrfs/Y
	holds "... is named: the output is compressed no more" csv '^# warning_lost_compression: after \$ fallocate'
	rm btrfs/Y
	becomes "0 ok" "... others" -n2 -s sendfile --with=dd <text >btrfs/Y
	lacks "... are not named" csv '^# warning_lost_compression'
	cd btrfs && mkdir l u w over && cd ..
	if mount -t overlay overlay -o "lowerdir=btrfs/l,upperdir=btrfs/u,workdir=btrfs/w" btrfs/over 2>mount.err ||
		or_skip "an overlay on it" "none can be mounted here"; then
		rows_become "0 sendfile + advices + falloc,n/a;sendfile,ok" \
			"an overlay on it" -s 'sendfile + advices + falloc,sendfile' <text >btrfs/over/Y
		umount btrfs/over
	fi
	becomes "0 ok" "one changes attributes" -n2 -s sendfile --with='chattr +A btrfs/Y && dd' <text >btrfs/Y
	holds "... is named" csv '^# warning_altered: .*\$ chattr \+A'
	is "... and they are as before" "$(lsattr btrfs/Y | cut -d' ' -f1 | tr -d -)" ""
fi

# ---- Proofs that are missing.
if full "blocks that are shared without a word"; then
	if { have cc && cc -shared -fPIC -o no-fiemap.so "$top/tests/no-fiemap.c" 2>cc.err && place xfs 600 \
		'' && bytes 150000000 >xfs/X &&
		! LD_PRELOAD="$work/no-fiemap.so" filefrag -v xfs/X 2>&1 | grep -q ' shared\| last,eof'; } ||
		or_skip "blocks that are shared without a word" \
			"no cc, no XFS, or LD_PRELOAD does not reach filefrag"; then
		under="env LD_PRELOAD=./no-fiemap.so"
		rows_become '0 "$ cp --reflink=always ""$IN"" ""$OUT""",shared?;copy_file_range,shared?;sendfile,ok' \
			"such blocks are not ranked" \
			-n3 -s copy_file_range,sendfile --with='cp --reflink=always "$IN" "$OUT"' <xfs/X >xfs/Y
		"$wb" --compare csv >again
		holds "... it is said, also read back" again '^Not ranked, since blocks may be shared' \
			'^sendfile: median'
		becomes "0 shared?" "... a row alone is found out, by memcpy" -n3 -s copy_file_range <xfs/X >xfs/Y
		becomes "0 ok" "... two threads are not suspected, nor is a command that copies" -n3 \
			-s 'read+write 64k' --with='dd bs=1M status=none' <xfs/X >xfs/Y
		under=
	fi
fi
if [ "$OWN_MOUNTS" ] || or_skip "CPUs of other machines" "not root, or no mount namespaces"; then
	while IFS='|' read -r what wanted lines; do
		printf 'processor\t: 0\n' >cpuinfo
		echo "$lines" | tr ';' '\n' | sed 's/: /\t: /' >>cpuinfo
		unshare -m sh -c 'mount --bind cpuinfo /proc/cpuinfo && exec "$@"' sh \
			"$wb" -p0 -n1 -s sendfile -o cpu.csv <X >Y 2>err
		[ "$wanted" ] || [ ! -e /proc/device-tree/model ] || continue
		is "the CPU of $what" "$(fact cpu cpu.csv)" "$wanted"
	done <<-'END'
		an ARM|implementer 0x41, variant 0x3, part 0xd0c|CPU implementer: 0x41;CPU variant: 0x3;CPU part: 0xd0c
		a POWER|POWER9, altivec supported|cpu: POWER9, altivec supported
		a LoongArch|Loongson-3A5000|Model Name: Loongson-3A5000
		a MIPS|Cavium Octeon II V0.9|cpu model: Cavium Octeon II V0.9
		what does not tell||none
	END
fi
made "heading=H; host=one; kernel=6; output=O; size=300000; a 1000..1003; b 1000..1003" >none.csv
sed 's/^# host: .*/# host: another/' none.csv >other.csv
"$wb" --compare none.csv other.csv >said
holds "two machines whose CPU is not known are not one" said '^Note: cpu is not known: it may differ'
sed 's/^# size: .*/# size: 1000/; s/,300000/,1000/' other.csv >size.csv
"$wb" --compare none.csv size.csv | head -n 5 >said
lacks "... nor are their sizes those of one session" said '^row .*KiB.*B'
if { [ "${traced-}" ] && [ "$OWN_MOUNTS" ] && mkdir fuse behind && bindfs behind fuse; } >bindfs.err 2>&1 3>&- ||
	or_skip "FUSE" "no strace, not root, no mount namespaces, or no bindfs"; then
	mounted="fuse $mounted"
	cp X behind/X && cp X behind/same && bytes 300000 >behind/other
	under=$(inject utimensat:error=ENOSYS)
	becomes "0 ok" "without times: another file" -s sendfile <fuse/X 1<>fuse/other
	cp X behind/same
	becomes "2 " "... one of the same bytes, of which nothing tells, is refused" -s sendfile <fuse/X 1<>fuse/same
	holds "... with what to remove" err 'standard output: may be the input: .*remove it first'
	becomes "2 " "... so is the file itself by another path" -s sendfile <fuse/X 1<>behind/X
	under=$(inject utimensat:retval=0)
	becomes "2 " "... a time that is set and shows nowhere tells nothing" -s sendfile <fuse/X 1<>behind/X
	under=
	cp X Y
	becomes "0 ok" "... one on a file system that tells is another" -s sendfile <fuse/X 1<>Y
	cp X behind/same
	under=$(inject utimensat:error=ENOSYS -P fuse/same -e trace=utimensat)
	becomes "0 ok" "... also if only the other one tells" -s sendfile <X 1<>fuse/same
	under=$(inject utimensat:error=ENOSYS) before=$(stat -c '%y' behind/other)
	becomes "2 " "... what is refused" -s nosuch <fuse/X 1<>fuse/other
	is "... keeps its time" "$(stat -c '%y' behind/other)" "$before"
	under=
	becomes "0 ok" "--cold through FUSE" -s sendfile --cold <fuse/X >Y
	holds "... says of which page cache" csv \
		'of this mount; what its other side caches is not known|How much of the input stayed'
	becomes "0 ok" "--until=sync on FUSE" -s sendfile --until=sync <X >fuse/Y
	holds "... is a warning" csv '^# warning_nosync: .*FUSE'
	case $(stat -f -c %T .) in fuse*) ;; *)
		becomes "0 ok" "... and elsewhere" -s sendfile --until=sync <X >behind/Y
		lacks "... is none" csv '^# warning_nosync'
		;;
	esac
	exec 7<fuse/X
	pkill -9 -f 'bindfs behind fuse'
	until_there sh -c '! stat fuse/X'
	tells 2 "a FUSE daemon that has ended is told as that, with a remedy" \
		'standard input: .*ENOTCONN.*mount it again' w -s sendfile <&7 >Y
	exec 7<&-
fi
if { [ "$OWN_MOUNTS" ] && mkdir volatile && mount -t tmpfs tmpfs volatile && mounted="volatile $mounted" &&
	cd volatile &&
	mkdir l u w m && mount -t overlay overlay -o lowerdir=l,upperdir=u,workdir=w,volatile m 2>mount.err; } ||
	or_skip "an overlay that is volatile" "none can be mounted here"; then
	cd "$work" && mounted="volatile/m $mounted"
	becomes "0 ok" "--until=sync on an overlay that is volatile" -s sendfile --until=sync <X >volatile/m/Y
	holds "... is a warning, and the call returned" csv '^# warning_nosync: .*volatile' \
		'^# until: fdatasync returned'
fi
cd "$work" || exit
bytes 3000000 >disk
if device disk --direct-io=off || or_skip "block devices" "not root, or no loop devices"; then
	becomes "0 ok" "a block device is not in memory" -s sendfile --cold <"$loop" >Y
	lacks "... though its node is on devtmpfs" csv 'in memory|as tmpfs is memory'
	holds "... what is cached twice is told" csv '^# warning_cached_twice: .*losetup --direct-io=on'
	if [ "${traced-}" ]; then
		strace -y -qq -o trace -e trace=fadvise64 "$wb" -p0 -n1 -s sendfile --cold --no-verify <"$loop" \
			>/dev/null 2>err
		holds "... and evicted twice" trace "/disk>.*DONTNEED"
	fi
	lower=$loop
	if device "$lower" --direct-io=on; then
		becomes "0 ok" "a loop device on a loop device" -s sendfile --cold <"$loop" >Y
		holds "... is told of the lower one" csv '^# warning_cached_twice: '
		losetup -d "$loop"
	fi
	exec 6<"$lower"
	w -s nosuch <&6 >Y 2>err
	is "... whose descriptor is left where it was" "$(sed -n 's/^pos:[^0-9]*//p' "/proc/$$/fdinfo/6")" 0
	exec 6<&-
	"$wb" -n 10000 -p 0.01 -s sendfile -o grown.txt <"$lower" >Y 2>err &
	pid=$!
	until_there sh -c "[ \"\$(stat -c %s Y)\" -gt 2900000 ]"
	truncate -s 4M disk && losetup -c "$lower"
	wait $pid
	is "a block device that grows" $? 1
	holds "... has changed" grown.txt 'the input changed'
	losetup -d "$lower"
fi

# ---- EOF.
if [ "${traced-}" ]; then
	tells 2 "a file with more bytes than its size is refused" \
		'^write-bench: standard input: has more bytes than its size, 300000: ' \
		strace -qq -o trace -P "$work/X" -e inject=pread64:retval=1:when=1 "$wb" -p0 -n1 -s sendfile <X 1<>text
	is "... before anything is touched" "$(wc -l <text | tr -d ' ')" 400000
fi
if full "an input that changes"; then
	bytes 2000000 >X2
	changing() { # STATUS DESCRIPTION SECONDS COMMAND...: a byte of X2 is another after so long
		what=$2 wanted=$1 after=$3
		shift 3
		"$@" <X2 2>err 3>&- &
		sleep "$after"
		date +%N | dd of=X2 conv=notrunc bs=1 seek=5000 count=8 2>/dev/null
		wait $!
		is "$what" $? "$wanted"
	}
	changing 1 "an input that changes, no output is a file" 0.5 "$wb" -n 40 -p 0.05 -s 'read+write 64k' --send
	holds "... is told" err '^write-bench: standard input: changed meanwhile'
	into_pipe() { { "$@"; echo $? >status; } | cat >/dev/null; return "$(cat status)"; }
	changing 1 "... one of the outputs is none" 0.5 into_pipe "$wb" -n 30 -p 0.05 -s 'read+write x2 64k' --tee=T
fi
becomes "0 ok" "an input that stays, and no output is a file" -s 'read+write 64k' --send <X >Y

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
	under=
fi
if { [ "$OWN_MOUNTS" ] && mkdir small && mount -t tmpfs -o size=1m tmpfs small; } ||
	or_skip "a disk that is too small" "not root, or no mount namespaces"; then
	mounted="small $mounted"
	becomes "1 failed ENOSPC" "a full disk is the cause" -s 'read+write 64k' --from='yes; exit 23' -z 3m >small/Y
	cat text text >large
	run 1 "a disk that is too small" "$wb" -p0 -n2 -f csv -o csv <large >small/Y
	is "... is filled once by a row without advice" "$(column 1,4 csv | grep ',failed ENOSPC' | grep -vc ' + ')" 1
	is "... others are not run" "$(column 4 csv | grep -v '^n/a' | sort -u | paste -sd' ')" "failed ENOSPC not run"
	is "... the output is emptied, one message says it" "$(wc -c <small/Y) $(grep -c '^write-bench: ' err)" "0 1"
	is "... and it is read back" "$("$wb" --compare csv -f csv | column 1,4 -)" "$(column 1,4 csv)"
fi

# ---- Names of an instance: no condition, or one.
while IFS='|' read -r differ one other memory; do
	made heading=H cpu=C kernel=6 output=O "output_mount=$one" \
		memory_bytes=1000000000 size=1000 "a 10..13; b 15..18" >a.csv
	sed "s|^# output_mount: .*|# output_mount: $other|; s/1000000000/${memory:-1040000000}/" a.csv >b.csv
	is "conditions: $one, $other${memory:+, $memory}: differ: $differ" \
		"$("$wb" --compare a.csv b.csv | grep -c '^Note: .*differs')" "$differ"
done <<'END'
0|overlay rw,relatime,lowerdir=/a:/b,upperdir=/u,workdir=/w,xino=off|overlay rw,xino=off,relatime,lowerdir=/c
0|btrfs rw,subvolid=256,subvol=/root|btrfs rw,subvolid=5,subvol=/
0|nfs4 rw,vers=4.2,clientaddr=::1,addr=::2,port=2049|nfs4 rw,vers=4.2,port=20049,clientaddr=::7,addr=::9
0|tmpfs rw,size=1024k,huge=always|tmpfs rw,huge=always,size=2g,nr_inodes=5
0|fuse.bindfs rw,user_id=0,group_id=0|fuse.bindfs rw,user_id=1000,group_id=1000
0|cifs rw,vers=3.1.1,username=a,uid=1,addr=10.0.0.1|cifs rw,vers=3.1.1,username=b,uid=2,addr=10.0.0.9
0|overlay rw,lowerdir+=/a,lowerdir+=/b|overlay rw,lowerdir+=/c
1|ext4 rw,relatime|ext4 rw,noatime
1|nfs4 rw,vers=4.2,addr=a|nfs4 rw,vers=3,addr=a
1|btrfs rw,compress=zstd:1|btrfs rw
1|ext4 rw|xfs rw
1|ext4 rw|ext4 rw|1100000000
1|tmpfs rw,huge=always|tmpfs rw
END

# ---- Clean-up, and commands that are not verified.
if { [ "$OWN_MOUNTS" ] && mkdir drop box hide hidden &&
	bindfs --delete-deny --rename-deny drop box; } >bindfs.err 2>&1 3>&- ||
	or_skip "--new where no file can be removed" "no bindfs, not root, or no mount namespaces"; then
	mounted="box $mounted"
	: >box/Y
	becomes "2 " "--new where no file can be removed is refused" -n3 -s sendfile --new <X 1<>box/Y
	left=$(find drop -name '.write-bench.*' | sed 's|.*/||')
	is "... after one, which is named" "$(echo "$left" | wc -l) $(grep -c "box/$left: is left there" err)" "1 1"
	rm -rf drop/.write-bench.*
	TMPDIR=$work/box becomes "0 ok" \
		"names that can't be taken away from TMPDIR" -n4 -s sendfile --with='dd if="$IN" of="$OUT"' <X >Y
	is "... are of one start, and told" \
		"$(find drop -name 'write-bench.*' | wc -l) $(grep -c '^write-bench: .*can.t be removed' err)" "1 1"
	if bindfs --delete-deny hide hidden >bindfs.err 2>&1 3>&-; then # where libfuse renames
		mounted="hidden $mounted"
		: >hidden/Y
		becomes "2 " "... nor a renamed one" -n3 -s sendfile --new <X 1<>hidden/Y
		is "... one is left" "$(find hide -name '.*' -type f | wc -l)" 1
	fi
fi
for ends in '| cat >Y' '>/dev/null' '--into="cat >/dev/null" >Y' '--from="cat X" >/dev/null' \
	'--from="cat X" --into="cat >/dev/null" >Y'; do
	eval "w --no-verify -s 'read+write 64k' --with=true --with='head -c 5' --with=cat -f csv -o csv <X 2>err $ends"
	is "what copies too little with --no-verify: $ends" \
		"$(column 1,4 csv | sed 's/failed short/mismatch/' | sort -u | paste -sd' ')" \
		'$ cat,ok $ head -c 5,mismatch $ true,mismatch read+write 64k,ok'
done

# ---- Messages.
alone() { # STATUS DESCRIPTION "SHELL COMMAND" STATE WANTED: without a terminal; what the second command prints then
	setsid sh -c "$3" sh "$wb"
	is "$2" "$? $(eval "$4")" "$1 $5"
}
echo precious >P
cp P P2
for options in --bogus '-n x' --select=nosuch --compare; do
	alone 2 "standard error is the input ($options)" "\"\$1\" $options <>P >Y 2>&0" "cat P" precious
done
alone 2 "standard error is the output" '"$1" -n1 -s sendfile <X >Y 2>&1' 'wc -c <Y' 0
if have script || or_skip "... a terminal is told" "no script"; then
	script -qec "'$wb' -n1 -s sendfile <X >Y 2>&1" typescript >said 2>&1 </dev/null
	holds "... a terminal is told" said 'standard error: is also'
fi
bytes 100000 >disk2 && cp disk2 disk3
if device disk2; then
	alone 2 "... a block device" "\"\$1\" --bogus <>$loop >Y 2>&0; got=\$?; sync; exit \$got" "cmp disk2 disk3" ""
	losetup -d "$loop"
fi
for options in --send --into=cat; do
	alone 0 "... where $options takes the output it is a log" \
		"\"\$1\" -p0 -n1 -s 'read+write 64k' $options <X >log 2>&1" "grep -c '^read+write 64k' log" 1
done
alone 2 "... so it is of a list" '"$1" --list --bogus >log 2>&1' "grep -c -e --bogus log" 1
alone 2 "standard error is the second output" ': >Z; "$1" -n1 -s "read+write x2 8k" --tee=Z <X >Y 2>Z' "wc -c <Z" 0
if [ "$OWN_MOUNTS" ]; then
	echo before >log
	alone 0 "a log that is appended to, without /sys" \
		"exec unshare -m sh -c 'umount -l /sys; exec \"\$1\" -q -n1 -p0 -s sendfile <X >Y 2>>log' sh \"\$1\"" \
		"head -n 1 log" before
fi
for options in --with=nosuchprogram "-n 2 --with=cat --baseline=read+write\ 64k --fail-if-slower"; do
	head -c 5000 X | (eval "w $options" >Y 2>err; echo $? >status; wc -c >left)
	is "a pipe is not read by a session that is refused: $options" "$(cat status) $(cat left)" "2 5000"
done
perl -e 'use Fcntl; pipe(my $r, my $w); syswrite $w, "x" x 5000; fcntl $r, F_SETFL, O_NONBLOCK; fcntl $r, F_SETFD, 0;
	open STDIN, "<&", $r; system @ARGV; print sysread($r, my $rest, 9000) // 0, "\n"' "$wb" -o new.csv >left 2>err
is "a pipe that does not block is refused, and keeps its bytes" \
	"$(tail -n 1 left) $(grep -c 'standard input: .*O_NONBLOCK' err)" "5000 1"
w -q -o sizes.csv -z 100,2000 --with='head -c 100' -s sendfile <X >Y 2>err
lacks "a line about several sizes names them" err null
mkdir tmp
few='' && have prlimit && few='prlimit --nofile=9'
# shellcheck disable=SC2086
TMPDIR=$work/tmp $few "$wb" -p0 -n1 -q -s sendfile --with='cp "$IN" "$OUT"' <X >Y 2>err
is "nothing is left in TMPDIR by few descriptors" "$(ls tmp)" ""
echo old report >old.csv
(ulimit -f 1 && w -n3 -p0 <X >/dev/null -o old.csv 2>err; echo $? >status)
is "a report that would be above a limit leaves an older one" "$(cat status) $(cat old.csv)" "1 old report"
rm -f Z
tells 2 "a file that was made is named" '^write-bench: Z: was made, and is left there, empty' w -s nosuch -t Z <X >Y
tells 2 "... a report, too" '^write-bench: made.csv: was made' w -s sendfile -o made.csv -o "$PWD/made.csv" <X >Y
w -s nosuch -t Z <X >Y 2>err
lacks "... one that was there is not" err 'was made'

# ---- Remedies.
ln -s two one && ln -s one two
tells 2 "ELOOP" 'ELOOP.*: use a name without a loop' w -s sendfile -o one -f csv <X >Y
tells 2 "ENAMETOOLONG" 'ENAMETOOLONG.*: use a shorter name' w -s sendfile -o "$(printf '%0300d' 0).csv" <X >Y
tells 1 "ENOSPC of a list: not of copies" 'standard output: write: ENOSPC \(.*\): free space$' "$wb" --list >/dev/full
if [ "${traced-}" ]; then
	under=$(inject memfd_create:error=EPERM)
	columns=row,outcome,detail rows_become '0 $ cat,n/a EPERM,memfd_create;sendfile,ok,' \
		"what can't start a command is named" -s sendfile --with=cat <X >Y
	under=$(inject syncfs:error=EIO)
	becomes "0 ok" "a file system that can't be synced" -s sendfile <X >Y
	case $(stat -f -c %T .) in
	tmpfs | ramfs) skip "... is a warning" "it is memory" ;;
	*) holds "... is a warning" csv '^# warning_unsynced: .*syncfs: EIO' ;;
	esac
	under=$(inject syncfs:error=EIO:when=1)
	becomes "0 ok" "one that says no once" -s sendfile <X >Y
	lacks "... is none" csv warning_unsynced
	under=
	cat X | strace -f -qq -o trace -e trace=close_range,read "$wb" -p0 -n1 -s splice >Y 2>err
	is "a process closes what it does not need before it is started" "$(awk '/close_range/ { closed[$1] = 1 }
		/read\([0-9]+, "\\0", 1\)/ { n++; early += !closed[$1] } END { print (n > 0), early + 0 }' trace)" "1 0"
	unlimited='' && have prlimit && prlimit --nofile=20000 true 2>/dev/null && unlimited='prlimit --nofile=20000'
	# shellcheck disable=SC2046,SC2086
	cat X | $(inject close_range:error=ENOSYS -e trace=close,close_range) $unlimited \
		"$wb" -p0 -n1 -s splice >Y 2>err
	is "without close_range(2) few descriptors are closed one by one" "$(($(grep -c 'close(' trace) < 2000))" 1
fi
if [ "$OWN_MOUNTS" ] && have setpriv; then
	cp "$wb" program && chmod 755 program "$work" && cp X Y && chmod 622 Y
	setpriv --reuid=54321 --regid=54321 --clear-groups ./program -n1 -p0 -s sendfile <X >Y 2>err
	! grep -q EACCES err || lacks "an output that its user can't read has a remedy for that" err 'mount /proc'
fi

# ---- Options that do nothing.
while IFS='|' read -r status regex options; do
	set -- "$status" "$options: is refused, or said" "$regex"
	eval "tells \"\$@\" w -q -s 'read+write 64k' $options <X >/dev/null"
done <<'END'
2|--overwrite needs a file as output|--overwrite
2|--overwrite needs a file as output|--overwrite=cached
0|Not used: --until \(no output is a file\)|--until=sync
0|Not used: --until |--until=close
0|Not used: --seed |--seed=3 --in-order
0|Not used: --verbose |--verbose
0|Not used: standard input |--from='cat X'
2|is given twice: give it once|--tee=a --tee=b
2|is given twice: give it once|-z 4k -z 5k
2|is given twice: give it once|--from=a --from=b
2|is given twice: give it once|--into=a --into=b
2|is given twice: give it once|--with=cat --baseline=a --baseline=b
0|Not used: --runs \(given again|-n 2
2|--top: is for reports in text and Markdown|--top=3 -f csv
END
for option in --send "--into=cat >/dev/null"; do
	tells 0 "${option%%=*}, and >Y is said" 'Not used: standard output' w -q -s 'read+write 64k' "$option" <X >Y
done
tells 0 "--reuse of commands alone is said" 'Not used: --reuse' w -q --reuse -s '$ *' --with=cat <X >Y
tells 0 "... with -o, too" 'Not used: --reuse' w -q --reuse -s '$ *' --with=cat -o some.csv <X >Y
while IFS='|' read -r row regex; do
	run 2 "$row does not fit" w -s "$row" <X >Y
	joined err >line
	holds "... is told with the ends that it takes" line "$regex"
done <<'END'
read+write x2 8k|does not run here: it writes to two outputs: add --tee
vmsplice|does not run here: it copies from a .* to a pipe
*pfalloc|does not run here: it needs its full name, or --all
noreuse|matches no row: write-bench --list --all names them
splice (pipe 1m)|does not run here: it needs a pipe at an end
sendfile + readahead|does not run here: it is for --cold
END
