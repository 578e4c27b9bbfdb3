#!/bin/sh
# Runs that warm up; and each warning: what is said of an input, a machine or options that make numbers worth less, by
# its figures, and when nothing is said.
# Tried: it fails where runs of the warm-up count; stolen time is looked for in another column; holes are not counted;
# Tried: dirty memory is reported too late; what was throttled before counts; a start counts as none; each warning is
# Tried: left out.
. "$(dirname "$0")/places.sh"
. "$(dirname "$0")/tap.sh"
. "$top/tests/reports.sh"
undo=unplace

bytes 65536 >X
becomes "0 ok" "--warmup" -n3 --warmup=2 -s '$ *' -w '[ ! -s /dev/stdin ] || echo >>warmed; dd' <X >Y
is "... does not count" "$(column 2 csv | sort | paste -sd' ') $(wc -l <warmed)" "1 2 3 5"

# session OPTION...: X into Y, or $in into $out; its report is in a.csv
session() {
	# shellcheck disable=SC2086
	$under "$wb" -p0 -n2 -s 'sendfile,read+write 1k' "$@" -f csv -o a.csv <"$in" >"$out" 2>err
	status=$?
}
sparse() { # SIZE: of X
	blocks=$(stat -c %b X 2>/dev/null || echo 0)
	truncate -s "$1" X && [ "$(stat -c %b X)" -le "$((blocks + 8))" ] && session || why="no sparse files here"
}
read_back() { # FILE: a report
	"$wb" --compare "$1" -f csv >a.csv
	status=$?
}
on_fuse() { # COMMAND: with the input on FUSE, through a daemon of its own
	why="no bindfs, or it can't be mounted here" in=fuse/X
	mkdir -p behind fuse && cp X behind/X && bindfs "$PWD/behind" fuse 2>bindfs.err 3>&- && why='' && "$@"
	umount fuse 2>bindfs.err
}
on_tmpfs() { # COMMAND: within a tmpfs of its own
	mkdir -p tmpfs && mount -t tmpfs -o size=4m tmpfs tmpfs && "$@" || why="no tmpfs can be mounted here"
}
# change FILE BEFORE AFTER: a file of /proc or /sys, which others cover in a mount namespace of our own, changes amid
# the runs; lines are as printf(1) has them
change() {
	case $1 in
	/sys/*)
		mountpoint -q /sys/devices/system/cpu || mount -t tmpfs tmpfs /sys/devices/system/cpu
		mkdir -p "${1%/*}"
		for file in possible present online; do echo 0-1 >/sys/devices/system/cpu/$file; done
		fake=$1
		;;
	*) fake=$work/fake && : >fake && mount --bind fake "$1" ;;
	esac
	# shellcheck disable=SC2059
	printf "$2" >"$fake" && printf "$3" >after
	session -x '[!$]*' -w "cat; cat after >'$fake'" # commands alone: nobody else's delay is seen
	umount "$(case $1 in /sys/*) echo /sys/devices/system/cpu ;; *) echo "$1" ;; esac)"
}
stolen() { change /proc/stat "cpu  1000 0 1000 8000 0 0 0 $1\n" "cpu  1500 0 1500 8900 0 0 0 $2\n"; }
throttled() { change /sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count "$1\n" "$2\n"; }
quota() { # STOPS STOPS: of runs by the quota of a cgroup, before, and amid them
	mount -t tmpfs tmpfs /sys/fs/cgroup || { why="cgroups can't be covered" && return; }
	echo 10000 100000 >/sys/fs/cgroup/cpu.max
	change /sys/fs/cgroup/cpu.stat "nr_throttled $1\n" "nr_throttled $2\n"
	umount /sys/fs/cgroup
}
# pages DIRTY SWAPPED [SWAPPED]: of each, before, and amid the runs; writers wait from half way between both thresholds
# on: 1000 pages
pages() {
	format='nr_dirty %s\nnr_writeback 200\npswpin 5\npswpout %s\nnr_dirty_threshold 1200\n'
	format=$format'nr_dirty_background_threshold 800\n'
	# shellcheck disable=SC2059
	change /proc/vmstat "$(printf "$format" 1 "$2")" "$(printf "$format" "$1" "${3-$2}")"
}
export evictor='cat; sync X; for _ in 1 2 3 4 5 6 7 8; do dd of=X oflag=nocache conv=notrunc,fdatasync count=0; done'
while IFS='|' read -r key figures what make; do
	in=X out=Y under='' why='' status=''
	umount tmpfs 2>/dev/null
	rm -f a.csv X Y && bytes 100000 >X
	[ "${PLACES-}" = private ] || case $make in stolen* | throttled* | quota* | *pages* | *on_tmpfs* | *on_fuse*)
		skip "$key: $what" "not root, or no mount namespaces" && continue ;; esac
	eval "$make" 2>make.err
	if [ "$why" ]; then skip "$key: $what" "$why" && continue; fi
	echo "$status $(fact "warning_$key" a.csv)" >said
	case $figures in
	none) is "$key: $what: none" "$(cat said)" "0 " ;;
	*) holds "$key: $what" said "^0 .*$figures" ;;
	esac
done <<'END'
zero|none|random bytes|session
zero|none|1.6 % zeros|{ bytes 983040 && head -c 16384 /dev/zero; } >X; session
zero|25% .*zeros.* -g noise:256m >X|25 % zeros|{ bytes 786432 && head -c 262144 /dev/zero; } >X; session
zero|none|... behind what is copied|{ bytes 786432 && head -c 262144 /dev/zero; } >X; session -z 786432
zero|100% .*holes|one hole|rm X; sparse 1000000
zero|50% .*holes|half a hole|bytes 1000000 >X; sparse 2000000
zero|100% .*holes|... at the smaller of two sizes|rm X; sparse 1000000; bytes 1000000 >>X; session -z 1000000,2000000
evicted|[12] times?\)|evicted by a command|[ "$(disk)" = . ] && session -w "$evictor" --in-order || why="no disk here"
evicted|none|an input that stays|session
cached_input|--cold|an input on FUSE|on_fuse session
cached_input|none|... with --cold|on_fuse session --cold
cached_input|none|... on another file system|session
not_cold|memory|--cold in memory|on_tmpfs cp X tmpfs/X && in=tmpfs/X && session --cold
not_cold|none|... without --cold|on_tmpfs cp X tmpfs/X && in=tmpfs/X && session
busy|5\.0% |5 % stolen|stolen 7 107
busy|none|stolen before|stolen 900 900
busy|0\.1 CPUs.* 3 times|a quota|quota 5 8
busy|none|... that stopped nothing|quota 5 5
busy|heat|slowed down for heat|throttled 5 8
busy|none|slowed down before|throttled 5 5
dirty|110% |dirty memory|pages 900 5
dirty|none|... or 90 % of that|pages 700 5
swapped|50 pages|swapping, while the output is on tmpfs|on_tmpfs : && out=tmpfs/Y && pages 1 5 55
swapped|none|... swapping before|on_tmpfs : && out=tmpfs/Y && pages 1 55 55
swapped|none|... while it is on a disk|[ "$(disk)" = . ] && pages 1 5 55 || why="no disk here"
started|.|a command of --into that is slow to start|session --into='sleep 0.05; cat >/dev/null'
started|none|... that is slow when it copies|session --into='[ $(wc -c) = 0 ] || sleep 0.1'
useless|--until=close|--until of no file|out=/dev/null; session --until=close
useless|--reuse|--reuse of commands alone|session -x '[!$]*' -w cat --reuse
useless|none|--until of a file, --reuse of rows|session --until=close --reuse
vary|slow .*1.00ms to 2.10ms|the row to use|made 'size=1000000; us; slow 1000 1050 2100; $_cat 9000x3' >r; read_back r
vary|cat .*1.00ms to 2.10ms|the command|made 'size=1000000; us; a 900x9; $_cat 1000 1000x7 2100' >r; read_back r
vary|none|another row|made 'size=1000000; us; a 900x9; b 1000 1000x7 2100' >r; read_back r
END
