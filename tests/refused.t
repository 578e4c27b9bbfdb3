#!/bin/sh
# Promise 2: nothing of the user's is lost. A line of the first table is a thing that must not be written to, with the
# ways in which it may be named; a line of the second any other end that can't be measured. Each is refused with
# status 2 and one line that names it, or none where that would be written into it; then every file is what it was: its
# bytes, size, owner, mode and times. A line of the last tables is what is taken beside them.
# Tried: it fails where an input is told by its path; any character device is taken, or opened; 32 KiB are compared, or
# Tried: one byte more; a lock is not taken, or on FUSE, too; a partition is not asked for its disk; a message goes into
# Tried: an end; a report is not held against standard error; cgroup2 is missing in the list; the output's offset is
# Tried: not asked; a pipe is read before the options are.
if [ "$(id -u)" = 0 ] && [ -z "${OWN_MOUNTS-}" ] && unshare -m true 2>/dev/null; then
	OWN_MOUNTS=1 exec unshare -m "$0" "$@"
fi
. "$(dirname "$0")/tap.sh"
. "$top/tests/processes.sh"

clean_up() { # in the end
	cd "$work" && rmdir "$group"
	umount mounted || umount -l mounted # its partition can be removed then
	umount -l under memory/m memory fuse
	[ ! -e device ] || partx -d "$(readlink device)"
	[ ! -e device ] || losetup -d "$(readlink device)"
	kill -KILL "$holder"
} 2>/dev/null
group='' holder='' undo=clean_up

mkdir at at/D under memory mounted fuse held && cd at || exit
seq 20000 | head -c 100000 >X && ln X X.hard && ln -s X X.soft && cp X same
echo precious >P && echo precious >Y && ln Y Y.hard && echo precious >Z && : >empty && mkfifo fifo
cp X within && printf z | dd of=within conv=notrunc bs=1 seek=65535 2>../err # the last byte that is compared
cp X beyond && printf z | dd of=beyond conv=notrunc bs=1 seek=65536 2>../err
head -c 100 X >begin && { head -c 99 X && echo z; } >differs
w -q -s sendfile -f csv -o a.csv <X 2>../err >/dev/null

# All that is here, and a file elsewhere.
look() {
	find . -printf '%p %y %s %n %U %m %T@ %C@\n'
	if [ -f "$1" ] || [ -b "$1" ]; then cksum <"$1"; fi
}
# refused WHAT GLOB COMMAND [FILE]: it is, with one line that begins so, or without a GLOB with none; all is what it was
refused() {
	look "${4-}" >../before
	eval "$3" 2>../err
	got=$?
	look "${4-}" >../after
	said='' more='' told=no
	{ IFS= read -r said && IFS= read -r more; } <../err
	case $2 in
	"") [ "$said" ] || told=yes ;;
	*) case $said in "write-bench: "$2*) [ "$more" ] || told=yes ;; esac ;;
	esac
	is "$1" "$got $told $(diff ../before ../after)" "2 yes "
	[ $told = yes ] || sed 's/^/#   /' ../err >&3
}
# things <LINES: what it is; its name, where there is such a file; what the message says of it; the ways in which it is
# named; the input
things() {
	while IFS='|' read -r what file says ways in <&4; do
		{ [ -e "$file" ] && [ -e "${in:=X}" ]; } || { skip "$what" "it can't be made here" && continue; }
		for way in $ways; do
			case $way in
			output) label='standard output' command='w <"$in" 1<>"$file"' ;;
			second) label="--tee=$file" command='w --tee="$file" <"$in" 1<>Y' ;;
			report) label=$file command='w -f csv -o "$file" <"$in" 1<>Y' ;;
			compared) label=$file command='"$wb" --compare a.csv -f csv -o "$file" >../printed' ;;
			generated) label='standard output' command='"$wb" -g noise:300 1<>"$file"' ;;
			messages) label='' command='w <"$in" 1<>Y 2<>"$file"' ;;
			appended) label='' command='w <"$in" 1<>Y 2>>"$file"' ;;
			esac
			refused "$what, $way" "${label:+$label: $says}" "$command" "$file"
		done
	done 4<&0
}

# ---- Things. Those that take root are made here: one file by two names that stat(2) shows as two, and devices.
if [ "${OWN_MOUNTS-}" ]; then
	cd ..
	mount --bind at under
	mount -t tmpfs none memory && mkdir memory/l memory/u memory/w memory/m && cp at/X at/same memory/u
	mount -t overlay -o lowerdir=memory/l,upperdir=memory/u,workdir=memory/w none memory/m
	bindfs at fuse 3>&- >/dev/null
	group=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)/$mark
	mkdir "$group" && ln -s "$group/cgroup.max.depth" cgroup2
	ln -s "$(find /sys/block/*/queue/read_ahead_kb | head -n 1)" sysfs
	mknod null c 1 3 && mknod full c 1 7 && mknod none c 240 255
	# One partition, of 2 MiB from 1 MiB on, by a master boot record.
	truncate -s 2M part && mkfs.ext2 -q -F part
	perl -e 'print "\0" x 446, pack("C8 V2", (0) x 4, 131, (0) x 3, 2048, 4096), "\0" x 48, "\x55\xaa"' \
		>disk && truncate -s 4M disk
	dd if=part of=disk bs=1M seek=1 conv=notrunc && loop=$(losetup -f --show disk) && ln -s "$loop" device &&
		ln disk image && partx -a "$loop" && ln -s "${loop}p1" device1 && until_there test -b device1 &&
		mount -o noatime "${loop}p1" mounted && cp at/P mounted && sync -f mounted
	cd at || exit
fi 2>../err
ln -s /proc/$$/coredump_filter ../proc
(cd ../held && exec "$wb" -n1 -p0 --tee=second -o report -s '$ *' \
	--with=': >begun; until [ -e goes_on ]; do sleep 0.01; done; tee "$TEE"' <../at/X >output 2>../held.err) &
holder=$!
until_there test -e ../held/begun
things <<'END'
the input|X|is also*input|output second report messages appended
the input by a hard link|X.hard|is also*input|output second report messages appended
the input by a symbolic link|X.soft|is also*input|output second report messages
the input by a descriptor|/dev/stdin|is also*input|second report
the input below a bind mount|../under/X|is also*input|output second report messages
the input in the upper layer of an overlay|../memory/u/X|*input|output second report messages|../memory/m/X
the input by FUSE|../fuse/X|may be*input under another name*remove it|output second report messages
the input, which is read by FUSE|X|may be*input|output second report messages|../fuse/X
the same 64 KiB by FUSE|../fuse/beyond|may be*input|output
its beginning by FUSE|../fuse/begin|may be*input|output
the output by a hard link|Y.hard|is also standard output|second report messages
the output by a descriptor|/dev/stdout|is also standard output|second report
the output by FUSE|../fuse/Y|may be standard output|second report messages
a report that is read|a.csv|is also a file to compare|compared
a report that is read by FUSE|../fuse/a.csv|may be a file to compare|compared
an output of another session|../held/output|is an output of another|output second report compared generated
its second one|../held/second|is an output of another|output second report
its report|../held/report|is an output of another|output second report
a character device|/dev/random|is a character device|output second report compared generated
a device that is not even opened|../none|is a character device|second
a block device|../device|is a block device|output second report compared generated
a file that a loop device lies on|../image|is what a loop device lies on|output second report compared generated
a file on the input|../mounted/P|is also*input, or lies on it|output second report|../device1
a file on a partition of the input|../mounted/P|is also*input, or lies on it|output second report|../device
an interface, proc|../proc|is on a kernel interface|output second report
an interface, sysfs|../sysfs|is on a kernel interface|output second report
an interface, cgroup2|../cgroup2|is on a kernel interface|output second report
END
: >../held/goes_on
wait $holder
is "the other session ends well" "$? $(cmp X ../held/output)$(cmp X ../held/second)" "0 "
holder=

# ---- All else: what it is, how the message begins, the command.
left_so() {
	return "$(cat ../status)"
}
kept() { # COMMAND...: with a pipe of 5000 bytes, of which it reads none
	head -c 5000 X | {
		"$@" 1<>Y
		echo $? >../status
		wc -c >../left
	}
	[ "$(cat ../left)" = 5000 ] && left_so
}
bare() { # COMMAND...: without the privilege to open all files
	setpriv --inh-caps=-dac_override,-dac_read_search --bounding-set=-dac_override,-dac_read_search "$@"
}
[ "$(id -u)" = 0 ] || bare() { "$@"; }
unblock() {
	perl -e 'fcntl STDIN, 4, 2048' # F_SETFL, O_NONBLOCK
}
: >written && chmod 222 written
export wb
while IFS='|' read -r what says command <&4; do
	case $command in
	*bare*) bare true 2>../err || { skip "$what" "no setpriv" && continue; } ;;
	*script*) script -qec true /dev/null >../out 2>&1 </dev/null || { skip "$what" "no script(1)" && continue; } ;;
	esac
	refused "$what" "$says" "$command"
done 4<<'END'
append|standard output: is open for append|w <X >>P
an output that was read from|standard output: has been written to|{ dd bs=1 count=1 <&1 >../out 2>&1; w <X; } 1<>P
an output for reading|standard output: is not open for writing|w <X 1<P
a closed output|standard output: is not open for writing|w <X >&-
a pipe for reading as output|standard output: is not open for writing|w 3<>fifo 1<fifo <X
a directory as output|standard output: is a directory|w <X 1<D
a directory as second output|--tee=D: *EISDIR|w --tee=D <X 1<>Y
no such directory|--tee=nosuch/Z: open: ENOENT|w --tee=nosuch/Z <X 1<>Y
a file that can't be read back|--tee=written: can't be read back|bare "$wb" --tee=written <X 1<>Y
two outputs that are one|--tee=Y: is also standard output|w --tee=Y <X 1<>Y
a FIFO for both|--tee=fifo: is also standard output|w --tee=fifo <X 1<>fifo
a report onto the second output|Z: is also --tee=Z|w --tee=Z -o Z <X 1<>Y
two reports in one file|./P: is also another report|w -o P -o ./P <X 1<>Y
a report where messages go|../err: is also standard error|w -o ../err <X 1<>Y
messages over the second output||w --tee=Z <X 1<>Y 2<>Z
messages over a report to be compared||"$wb" --compare nosuch a.csv 2<>a.csv
a comparison over what it reads|standard output: is also a file to compare|"$wb" --compare a.csv 1<>a.csv
messages over bytes that are made||"$wb" -g noise:300 1<>P 2>&1
messages of a bad option over the input||"$wb" --bogus <>P 1<>Y 2>&0
messages of a bad option over a full file||"$wb" --list --bogus <X 1<>Y 2<>P
a directory as input|standard input: is a directory|w <D 1<>Y
an input for writing|standard input: is not open for reading|w 0>>P 1<>Y
a closed input|standard input: is not open for reading|w <&- 1<>Y
a pipe for writing as input|standard input: is not open for reading|w 3<>fifo 0>fifo 1<>Y
an empty input|standard input: is empty|w <empty 1<>Y
null as input|standard input: is empty|w </dev/null 1<>Y
an input that the shell has emptied|standard input: *already truncated|w <empty 1<>empty
an empty pipe|standard input: is empty|: | w 1<>Y
an endless input|standard input: has no end: *--size|w </dev/zero 1<>Y
a pipe that does not block|standard input: is a pipe that does not|{ unblock; w 1<>Y; } <>fifo
... as output|standard output: is a pipe that does not|{ unblock; w <X; } <>fifo 1>&0
a terminal as input|standard input: is a terminal|script -qec '"$wb" 1<>Y 2>../err' /dev/null >../out </dev/null
a terminal as output|standard output: is a terminal|script -qec '"$wb" <X 2>../err' /dev/null >../out </dev/null
messages into the output, a pipe|standard error: is also|(w <X 2>&1; echo $? >../status) | cat >../err; left_so
a pipe that is to be cold|standard input: *leave out --cold|kept w --cold
a device that is to be cold|standard input: *--cold|w --cold -z 4k </dev/zero 1<>Y
an old device|standard output: *--overwrite|w --overwrite <X >/dev/null
a new pipe|standard output: *: --new|w --new <X 3<>fifo >fifo
a pipe, and a bad option|--bogus: |kept w --bogus
a pipe, and a report nowhere|nosuch/r: open: ENOENT|kept w -o nosuch/r
END

# Sockets that are not connected.
cat >../socket.pl <<'EOS'
use strict; use warnings; use Socket;
my ($is_output, $kind, @command) = @ARGV;
my ($end, $other);
if ($kind eq 'TCP') { socket $end, AF_INET, SOCK_STREAM, 0 or die }
else { socketpair $end, $other, AF_UNIX, SOCK_DGRAM, 0 or die }
open $is_output ? *STDOUT : *STDIN, $is_output ? '>&' : '<&', $end or die;
exec 'timeout', 60, @command;
EOS
if perl -MSocket -e1 2>../err || or_skip "sockets" "no perl with its standard library"; then
	for kind in datagrams TCP; do
		refused "a socket, $kind, as input" "standard input: is a " 'perl ../socket.pl 0 $kind "$wb" 1<>Y'
		refused "a socket, $kind, as output" "standard output: is a " 'perl ../socket.pl 1 $kind "$wb" <X'
	done
fi

# ---- What is taken: its exit status; a file that is there, and is a copy then; the command.
: >new && : >lock
while IFS='|' read -r what wanted file command <&4; do
	[ -e "$file" ] || { skip "$what" "it can't be made here" && continue; }
	eval "$command" 2>../err
	got=$?
	[ ! -f "$file" ] || got="$got $(cmp X "$file" 2>&1)"
	is "$what" "$got" "$wanted"
done 4<<'END'
the same bytes, where inodes tell|0 |same|w -s sendfile <X 1<>same
... on one mount of an overlay|0 |../memory/m/same|w -s sendfile <../memory/m/X 1<>../memory/m/same
another byte in the first 64 KiB, by FUSE|0 |../fuse/within|w -s sendfile <X 1<>../fuse/within
... in what there is of them|0 |../fuse/differs|w -s sendfile <X 1<>../fuse/differs
an empty file by FUSE|0 |../fuse/new|w -s sendfile <X 1<>../fuse/new
a report over an output that was empty, by FUSE|1|../fuse/D|w -s sendfile -o empty <X 1<>../fuse/empty
a lock where others may see it|0 |../fuse/lock|flock ../fuse/lock "$wb" -n1 -s sendfile <X 1<>../fuse/lock
null, whatever its name|0|../null|w -s 'read+write 4k' -o ../null <X >../null
full, which fails|1|../full|w -s 'read+write 4k' <X >../full
a block device as input|0|../device|w -s sendfile <../device >../Y && cmp ../image ../Y
a file on a loop device|0 |../mounted/P|w -s sendfile <X 1<>../mounted/P
messages where no copy goes|0|/dev/null|w -s 'read+write 4k' --into=cat <X >../log 2>&1
no messages at all|1 |Y|w -s sendfile <X 2>&- >Y
END
