#!/bin/sh
# Past the limits of one call (0x7ffff000 bytes) and of 32 bits: 5 GiB, sparse but for islands, so
# that a misplaced block shows. Every default row, compared by the program itself and, for the
# last one, by cmp(1). On tmpfs; with LARGE=1 on every file system that there is, which takes a
# quarter of an hour and 6 GiB of disk. Memory must stay the same, whatever the size.
. "$(dirname "$0")/places.sh"
. "$(dirname "$0")/tap.sh"
undo=unplace

large=$((5 * 1024 * 1024 * 1024 + 4097))
island() { # offset: a mebibyte of noise there
	bytes 1048576 | dd of="$1" bs=4096 seek=$(($2 / 4096)) conv=notrunc status=none
}
memory=$(sed -n 's/^MemAvailable: *\([0-9]*\) kB/\1/p' /proc/meminfo)
# Mapping the holes of a file on tmpfs fills them: input and output are both 5 GiB in the end.
[ "${memory:-0}" -gt 13000000 ] || skip_all "5 GiB on tmpfs want 13 GB of free memory"

places 6200 12000 >places
[ "${LARGE-}" ] || sed -i '/^tmpfs/!d' places
while read -r place dir <&4; do
	[ "$(df -Pk "$dir" | awk 'NR == 2 { print $4 }')" -gt 5600000 ] || { skip "$place: 5 GiB" "no room there"; continue; }
	truncate -s $large "$dir/X" || { skip "$place: 5 GiB" "no file as large"; continue; }
	for at in 0 2146959360 2147479552 4294443008 5368709120; do
		island "$dir/X" $at
	done
	# shellcheck disable=SC2086
	run 0 "$place: all default rows on 5 GiB" "$wb" -p0 -n1 -f csv -o report.csv ${SELECT:+-s "$SELECT"} <"$dir/X" >"$dir/Y"
	is "$place: ... each measured, or n/a" "$(column 4 report.csv | grep -vEc '^(ok|shared|n/a E.*)$')" 0
	is "$place: ... no more n/a than with a small file" "$(column 4 report.csv | grep -c '^n/a')" \
		"$(head -c 4096 "$dir/X" >small && cp small "$dir/S" && : >"$dir/T" && "$wb" -p0 -n1 -f csv <"$dir/S" 2>&1 >"$dir/T" | grep -c ',n/a')"
	same "$place: ... and the copy that is left" "$dir/X" "$dir/Y"
	rm -f "$dir/X" "$dir/Y" "$dir/S" "$dir/T"
done 4<places

if have perl; then # peak resident memory of a child, KiB: getrusage(2), by its number
	cat >peak.pl <<'END'
use POSIX ":sys_wait_h";
my $pid = fork // die;
if (!$pid) { exec @ARGV or die }
my $peak = 0;
while (waitpid($pid, WNOHANG) == 0) {
	if (open my $f, "<", "/proc/$pid/status") { while (<$f>) { /^VmHWM:\s+(\d+)/ && $1 > $peak and $peak = $1 } }
	select undef, undef, undef, 0.002;
}
print STDERR $peak, "\n";
END
	dir=$(sed -n 's/^tmpfs //p' places)
	# Row by row: several would bring the reference, two buffers as large as the input. The small one pauses, so
	# that its memory can be read before it is gone.
	for size in 1024 8589934592; do
		truncate -s $size "$dir/X"
		for row in "read+write 64k" sendfile "pipe+splice 1m" "threads read+write 256k" "io_uring read+write 8x128k"; do
			perl peak.pl "$wb" -p.3 -n1 -s "$row" --no-verify -o report <"$dir/X" 2>peak >"$dir/Y"
			[ "$(cat peak)" -gt 0 ] && [ "$(cat peak)" -lt 9216 ] # the row's own buffer is 1 MiB at most
			is "$size bytes by $row: peak memory of $(cat peak) KiB is below 8 MiB and its buffer" $? 0
			is "... and a copy is there" "$(wc -c <"$dir/Y" | tr -d ' ')" "$size"
		done
		rm "$dir/X" "$dir/Y"
	done
else
	skip "peak memory" "no perl"
fi
