#!/bin/sh
# Runs that warm up, and what is said of an input or a machine that makes numbers worth less.
# Tried: it fails where runs of the warm-up count; stolen time is looked for in another column; holes are not counted;
# Tried: dirty memory is reported too late.
. "$(dirname "$0")/places.sh"
. "$(dirname "$0")/tap.sh"
undo=unplace

bytes 65536 >X
becomes "0 ok" "--warmup" -n3 --warmup=2 -s '$ *' -w '[ ! -s /dev/stdin ] || echo >>warmed; dd' <X >Y
is "... does not count" "$(column 2 csv | sort | paste -sd' ') $(wc -l <warmed)" "1 2 3 5"

# Look at the input.
look() { # WARNING|none DESCRIPTION [OPTION...]: of X
	wanted=$1 what=$2
	shift 2
	"$wb" -p0 -n1 -s 'sendfile,read+write 256k' "$@" -f csv -o a.csv <X >Y 2>err
	is "$what: $wanted" "$(sed -n 's/^# warning_\(zero\|sparse\):.*/\1/p' a.csv)" \
		"$(echo "$wanted" | sed 's/none//')"
}
while IFS='|' read -r wanted what options make; do
	rm -f X
	eval "$make" 2>make.err
	# shellcheck disable=SC2086
	look "$wanted" "$what" $options
done <<'END'
none|random bytes||bytes 1000000 >X
none|1.6 % zeros||{ bytes 983040 && head -c 16384 /dev/zero; } >X
zero|25 % zeros||{ bytes 786432 && head -c 262144 /dev/zero; } >X
none|... behind what is copied|-z 786432|{ bytes 786432 && head -c 262144 /dev/zero; } >X
zero|zeros||head -c 1000000 /dev/zero >X
END
holds "... are reported with how many, and a remedy" a.csv '^# warning_zero: 100% .* -g noise:256m >X$'
rm X && truncate -s 1000000 X
if [ "$(stat -c %b X)" = 0 ] || or_skip "sparse input" "no sparse files here"; then
	look sparse "one hole"
	holds "... is reported with its share" a.csv '^# warning_sparse: 100% .* -g noise:256m >X$'
	bytes 1000000 >X && truncate -s 2000000 X
	look sparse "half a hole"
fi

# Look at the machine meanwhile: files of /proc and /sys are covered, in mounts of our own, and changed by a command
# amid the runs.
bytes 100000 >X
cover() { # FILE: by one that is in "fake"
	[ "${PLACES-}" = private ] && mount --bind fake "$1" 2>/dev/null && undo="$undo; umount $1 2>/dev/null"
}
# strained WARNING|none DESCRIPTION FILE BEFORE AFTER [REGEX]: lines of the file, as printf has them; what the warning
# is to say
strained() {
	# shellcheck disable=SC2059
	printf "$4" >"$3" && printf "$5" >after
	"$wb" -p0 -n2 -s 'sendfile,read+write 1k' -w "cat; cat after >'$3'" -f csv -o a.csv <X >"${out-Y}" 2>err
	is "$2: $1" "$? $(sed -n 's/^# warning_\([a-z]*\):.*/\1/p' a.csv | grep -E "$kinds")" \
		"0 $(echo "$1" | sed 's/none//')"
	[ -z "${6-}" ] || holds "... with how much, and a remedy" a.csv "$6"
}
kinds=steal # the others are this host's, and none of ours
: >fake
if cover /proc/stat || or_skip "stolen time" "not root, or no mount namespaces"; then
	strained steal "5 % stolen" fake 'cpu  1000 0 1000 8000 0 0 0 7\n' 'cpu  1500 0 1500 8900 0 0 0 107\n' \
		'^# warning_steal: .* 5\.0% '
	strained none "0.5 % stolen" fake 'cpu  1000 0 1000 8000 0 0 0 7\n' 'cpu  1500 0 1500 8990 0 0 0 17\n'
	strained none "stolen before" fake 'cpu  1000 0 1000 8000 0 0 0 900\n' 'cpu  1500 0 1500 8900 0 0 0 900\n'
	umount /proc/stat
fi
if [ "${PLACES-}" = private ] && mount -t tmpfs tmpfs /sys/devices/system/cpu 2>/dev/null ||
	or_skip "heat" "not root, or no mount namespaces"; then
	undo="$undo; umount /sys/devices/system/cpu 2>/dev/null"
	mkdir -p /sys/devices/system/cpu/cpu0/thermal_throttle /sys/devices/system/cpu/cpu1/thermal_throttle
	echo 9 >/sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count
	for file in possible present online; do echo 0-1 >/sys/devices/system/cpu/$file; done
	kinds=throttled
	throttle=/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count
	strained throttled "slowed down for heat" "$throttle" '5\n' '8\n' '^# warning_throttled: .* 3\)'
	strained none "slowed down before" "$throttle" '5\n' '5\n'
	umount /sys/devices/system/cpu
fi
: >fake
if cover /proc/vmstat || or_skip "dirty memory and swapping" "not root, or no mount namespaces"; then
	kinds='dirty|swapped'
	# Writers wait from half way between both thresholds on: 1000 pages.
	pages() { # DIRTY WRITEBACK IN OUT
		printf 'nr_dirty %s\\nnr_writeback %s\\npswpin %s\\npswpout %s\\n' "$@"
		printf 'nr_dirty_threshold 1200\\nnr_dirty_background_threshold 800\\n'
	}
	strained dirty "dirty memory" fake "$(pages 1 1 5 6)" "$(pages 900 200 5 6)" '^# warning_dirty: .* 110% '
	strained none "... or 90 % of that" fake "$(pages 1 1 5 6)" "$(pages 700 200 5 6)"
	mkdir swapping && mount -t tmpfs -o size=4m tmpfs swapping && undo="$undo; umount swapping 2>/dev/null"
	out=swapping/Y
	strained swapped "swapping, while the output is on tmpfs" fake "$(pages 1 1 5 6)" "$(pages 1 1 25 36)" \
		'^# warning_swapped: .* 50 pages'
	strained none "... swapping before" fake "$(pages 1 1 25 36)" "$(pages 1 1 25 36)"
	umount /proc/vmstat
fi
