#!/bin/sh
# Promises 1, 3 and 4 in a machine that is not as usual: small limits, signals that are blocked or ignored, no /proc, no
# /sys, one CPU, no room in TMPDIR, standard descriptors that are closed. A line of the table is such a state, and what
# comes of a whole session in it: its exit status, what the output holds, and what its rows say, which is what they say
# elsewhere, or that state's reason. No process and no other file is left, and the input is what it was.
# Tried: SIGCHLD that stays ignored; a mask or ignored signals that commands inherit; large arrays on the stack; "needs
# Tried: /proc" called a failure; no SIGXFSZ ignored; TMPDIR that is not asked; closed descriptors that are not filled.
. "$(dirname "$0")/tap.sh"
. "$top/tests/processes.sh"

bytes 65536 >small
bytes 100000 >old # what an output holds before
# shellcheck disable=SC2034 # ways into a state have these
deaf="exec env --block-signal --ignore-signal"
# shellcheck disable=SC2034
first_cpu=$(taskset -pc $$ 2>/dev/null | sed "s/.*: //; s/[-,].*//")
mkdir tried
# Ways into a state that are more than a word of the shell's: each becomes the command that follows.
cat >without <<'END'
# without DIRECTORIES COMMAND...: one may be mounted over another, as in a PID namespace
for at in $1; do while umount -l "$at" 2>/dev/null; do :; done; done
shift
exec "$@"
END
echo 'mount -t tmpfs -o size=16k tmpfs "$TMPDIR" && exec "$@"' >little
# A command that looks at its signals: none is blocked, and none of those that the program sets is ignored.
cat >signals <<'END'
while read -r key value; do
	case $key in SigBlk: | SigIgn:) [ $((0x${value#????????} & 0x1815047)) = 0 ] || exit 3 ;; esac
done </proc/self/status
exec dd bs=64k
END
can() { # WAY: is that state to be had here?
	case $1 in *without*) [ -e /sys/dev/block ] || return ;; esac
	(cd tried && eval "$1 \"\$wb\" --version") >tried.out 2>tried.err </dev/null 3>&- || [ "$1" = "exec >&-; exec" ]
}
what_is() { # FILE
	for known in X ../old /dev/null; do ! cmp -s "$1" "$known" || break; done
	case $known in X) echo copy ;; /dev/null) [ -s "$1" ] && echo other || echo empty ;; *) echo old ;; esac
}
# said ROWS: that, if it is so; else what is not
#     =         each row says what it said in the first session between these ends
#     = WORDS   or these, some of them: outcome, errno and call; WORDS or WORDS
#     ok        each is ok or shared
#     -         there is no report
said() {
	[ -s csv ] || { echo - && return; }
	"$wb" --compare csv >../again 2>&1 || { head -n 1 ../again && return; }
	# Whether direct I/O is ignored is the file system's business each time (btrfs).
	column row,outcome,detail csv | grep -v direct >../rows
	[ "$1" = ok ] || [ -e "../rows.$ends" ] || cp ../rows "../rows.$ends"
	if [ "$1" = ok ]; then grep -vE ',(ok|shared)(,|$)' ../rows; else
		words=${1#=}
		awk -v words="${words# }" 'BEGIN { gsub(" or ", "|", words) }
			NR == FNR { said[$0]; rows++; next }
			{ number++ }
			$0 in said { next }
			sub(/^[^,]*,/, "") && words != "" && $0 ~ "^(" words ")(,|$)" { as_words++; next }
			{ print }
			END { if (rows != number || !as_words != (words == "")) print rows, number, as_words + 0 }' \
			"../rows.$ends" ../rows
	fi >../wrong
	if [ -s ../wrong ]; then paste -sd';' ../wrong; else echo "$1"; fi
}
# session: in a directory of its own; what comes of it is in $got
session() {
	mkdir -p "$number/tmp" && cp small "$number/X" && cp old "$number/Y" && cd "$number" || exit
	eval "set -- \"\$wb\" -n1 -p0 -f csv -o csv $options"
	case $ends in
	t) set -- "$@" --tee=Z ;;
	c) set -- "$@" --from='cat X' ;;
	i) set -- "$@" --into='dd of=Y bs=64k conv=notrunc' ;;
	esac
	(
		TMPDIR=$PWD/tmp WB_MARK=$mark.$number
		case $ends in [oc]) exec 1<>Y ;; *) exec >Y ;; esac
		exec <X 2>err
		eval "$way \"\$@\""
	) 3>&- 4<&- &
	pid=$!
	late='' && within 60 $pid || late=' late'
	wait $pid
	got="$?$late $(what_is Y)"
	[ "$ends" != t ] || [ "$got" != "0 copy" ] || got="0 $(what_is Z)"
	[ "$says" = - ] || grep -Eq "^write-bench: $says" err || got="$got, not said"
	got="$got, $(said "$rows"), $(find . -type f ! -name '[XYZ]' ! -name csv ! -name err)$(cmp X ../small 2>&1)"
}

# A state; ends, and those of the slow part: a file into a new file (f), into an old one (o), into two (t), a command
# into an old file (c), a file into a command (i); exit status, and what the output holds; the rows; a message; options;
# the way into the state.
sed 's/ *| */|/g' >table <<'END'
an ordinary one       |fotci |0 copy |=                |-|           |exec
no /proc              |f t   |2 empty|-                |standard output: .*/proc||exec unshare -m sh ../without /proc
... over old bytes    |o c   |0 copy |= n/a,needs /proc|-|           |exec unshare -m sh ../without /proc
... into a command    |i     |0 copy |=                |-|           |exec unshare -m sh ../without /proc
... unverified        |f t   |0 copy |= n/a,needs /proc|-|--no-verify|exec unshare -m sh ../without /proc
no /sys               |f oc  |0 copy |=                |-|           |exec unshare -m sh ../without /sys
neither               |o c   |0 copy |= n/a,needs /proc|-|           |exec unshare -m sh ../without "/sys /proc"
blocked, ignored      |f ci  |0 copy |=                |-|           |$deaf
... and commands      |i     |0 copy |ok               |-|-s '$ *' --with='. ../signals'|$deaf
a stack of 256 KiB    |f tci |0 copy |=                |-|           |ulimit -s 256; exec
a stack of 32 GiB     |f tci |0 copy |=                |-|           |ulimit -s 33554432; exec
100 MB of memory      |f tci |0 copy |=                |-|           |ulimit -v 100000; exec
20 descriptors        |f tci |0 copy |=                |-|           |ulimit -n 20; exec
files of 32 KiB       |f     |1 other|= failed EFBIG or n/a EINVAL|-||ulimit -f 64; exec
... from a command    |c     |2 old  |-                |--from: .*EFBIG.*TMPDIR||ulimit -f 64; exec
one CPU               |f tci |0 copy |=                |-|           |exec taskset -c "$first_cpu"
no environment        |c tfi |0 copy |=                |-|           |exec env -i
no TMPDIR             |f ti  |0 copy |=                |-|           |TMPDIR=$PWD/nosuch; exec
... from a command    |c     |2 old  |-                |--from: .*/nosuch.*ENOENT.*TMPDIR||TMPDIR=$PWD/nosuch; exec
a full TMPDIR         |c     |2 old  |-                |--from: .*ENOSPC.*TMPDIR.*--size||exec unshare -m sh ../little
... large enough      |c     |0 other|ok               |-|-s splice -z 4096|exec unshare -m sh ../little
closed standard input |f     |2 empty|-                |standard input: ||exec <&-; exec
... which none needs  |c     |0 copy |=                |-|           |exec <&-; exec
closed standard output|f     |2 empty|-                |standard output: ||exec >&-; exec
... which none needs  |i     |0 copy |=                |-|           |exec >&-; exec
closed standard error |f i   |1 copy |=                |-|           |exec 2>&-; exec
END
number=0 all=
! full "all ends in each state" || all=1
while IFS='|' read -r state each wanted rows says options way <&4; do
	if ! can "$way"; then
		skip "$state" "$(head -n 1 tried.err)"
		continue
	fi
	[ "$all" ] || each=${each%% *}
	for ends in $(echo "$each" | sed 's/ //g; s/./& /g'); do
		number=$((number + 1))
		session
		cd ..
		is "$state ($ends)" "$got" "$wanted, $rows, "
		[ "$got" = "$wanted, $rows, " ] || sed 's/^/#   /; 3q' "$number/err" >&3
	done
done 4<table
