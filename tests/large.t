#!/bin/sh
# Past the limits of one call (0x7ffff000 bytes) and, in the full part, of 32 bits: 2 or 4 GiB, sparse with islands,
# so that a misplaced block shows. Rows that are different in how they count, compared by the program itself and, the
# last one, by cmp(1). On tmpfs; with LARGE=1 every default row on every file system that there is, which takes a
# quarter of an hour and 6 GiB of disk. Memory must stay the same, whatever the size.
# Tried: it fails where a buffer is as large as the input; sendfile is called once; a file is compared by offsets of 32
# Tried: bits.
. "$(dirname "$0")/places.sh"
. "$(dirname "$0")/tap.sh"
undo=unplace

if [ "${LARGE-}" ] || full "4 GiB, by more rows"; then
	large=$((4 << 30 | 1048576 + 4097)) name="4 GiB" islands="0 2146959360 2147479552 4294443008" wanted=11000000
	select="sendfile,copy_file_range sparse,mmap+write 16m,pipe+splice 1m,io_uring read+write 8x128k"
	select="$select,threads read+write 256k"
else # into a device that takes references
	large=$((2 << 30 | 1048576 + 4097)) name="2 GiB" islands="0 2146959360 2147479552" wanted=3000000 select=
fi
[ -z "${LARGE-}" ] || select=
select=${SELECT:-$select}
free=$(sed -n 's/^MemAvailable: *\([0-9]*\) kB/\1/p' /proc/meminfo)
# Mapping the holes of a file on tmpfs fills them: input and output are both as large in the end.
[ "${free:-0}" -gt $wanted ] || skip_all "$name on tmpfs want $((wanted / 1000000)) GB of free memory"
if [ -z "${LARGE-}" ]; then
	make_fs() { false; } # none but tmpfs
fi
places 6200 12000 >places
[ "${LARGE-}" ] || sed -i "/^tmpfs/!d" places
small() { # DIR: the number of rows that are n/a with a small file
	head -c 4096 "$1/X" >"$1/S"
	"$wb" -p0 -n1 -f csv ${select:+-s "$select"} <"$1/S" 2>"$1/csv" >"$1/T"
	grep -c ',n/a' "$1/csv"
	rm "$1/S" "$1/T" "$1/csv"
}
while read -r place dir <&4; do
	if [ "$(df -Pk "$dir" | awk 'NR == 2 { print $4 }')" -le $((large / 1024 + 200000)) ] ||
		! truncate -s $large "$dir/X"; then
		skip "$place: $name" "no room there, or no file as large"
		continue
	fi
	for at in $islands; do # a mebibyte of noise
		bytes 1048576 | dd of="$dir/X" bs=4096 seek=$((at / 4096)) conv=notrunc status=none
	done
	if [ "$name" = "2 GiB" ]; then
		run 0 "$place: 2 GiB by several calls, into /dev/null" "$wb" -p0 -n1 -s sendfile -f csv -o csv \
			<"$dir/X" >/dev/null
		is "$place: ... all of it" "$(column outcome,bytes csv)" "untouched,$large"
	else
		# shellcheck disable=SC2086
		run 0 "$place: rows on $name" timeout 3600 "$wb" -p0 -n1 -f csv -o csv ${select:+-s "$select"} \
			<"$dir/X" >"$dir/Y"
		is "$place: ... each measured, or n/a" "$(column 4 csv | grep -vEc '^(ok|shared|n/a E.*)$')" 0
		is "$place: ... no more n/a than with a small file" "$(column 4 csv | grep -c '^n/a')" "$(small "$dir")"
		same "$place: ... and the copy that is left" "$dir/X" "$dir/Y"
	fi
	rm -f "$dir/X" "$dir/Y"
done 4<places

# Peak resident memory of a child, KiB, of which the fork of this perl is a part: getrusage(2), by its number.
cat >peak.pl <<'END'
use POSIX;
my %getrusage = (x86_64 => 98, i686 => 77, aarch64 => 165, riscv64 => 165, s390x => 77, ppc64le => 77);
my $getrusage = $getrusage{ (POSIX::uname)[4] } // exit 3;
my $pid = fork // die;
if (!$pid) { exec @ARGV or die }
waitpid $pid, 0;
my $usage = "\0" x 256;
syscall($getrusage, -1, $usage) == 0 or exit 3; # RUSAGE_CHILDREN
open my $f, ">", "peak" or die;
print $f +(unpack "l!*", $usage)[4], "\n"; # ru_maxrss, behind two struct timeval
END
if have perl && perl peak.pl true && [ "$(cat peak)" -gt 0 ] ||
	or_skip "peak memory" "no perl, or an unknown machine"; then
	dir=$(sed -n 's/^tmpfs //p' places)
	[ "$(df -Pk "${dir:-.}" | awk 'NR == 2 { print $4 }')" -gt 262144 ] || dir= # room for input and output
	dir=${dir:-.}
	# Row by row: several would bring the reference, two buffers as large as the input.
	for size in 1024 134217728; do
		truncate -s "$size" "$dir/X"
		for row in "read+write 64k" sendfile "pipe+splice 1m" "threads read+write 256k" \
			"io_uring read+write 8x128k"; do
			perl peak.pl timeout 1800 "$wb" -p0 -n1 -s "$row" --no-verify <"$dir/X" 2>err >"$dir/Y"
			[ "$(cat peak)" -lt 9216 ] # the row's own buffer is 1 MiB at most
			is "$size bytes by $row: peak memory of $(cat peak) KiB is below 8 MiB and its buffer" $? 0
			is "... and a copy is there" "$(wc -c <"$dir/Y" | tr -d ' ')" "$size"
		done
		rm "$dir/X" "$dir/Y"
	done
fi
