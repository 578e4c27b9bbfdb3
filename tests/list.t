#!/bin/sh
# The rows: names are a contract, since old tables are laid beside new ones.
# Tried: it fails where a row of the base document has another name; a row lacks an advice, or is listed twice; a
# Tried: pattern means rows that are too slow for it; rows for files are listed for devices; --exclude takes nothing
# Tried: away; --select brings rows that are not run by default; a full name is split at its commas, or the second of
# Tried: two commands has the first one's name.
. "$(dirname "$0")/tap.sh"

# The seed's rows are run by default.
{
	for strategy in mmap+write pipe+splice 'read+write 16bs' sendfile; do
		for advice in '' ' + advices' ' + advices + falloc' ' + advices + trunc'; do
			echo "$strategy$advice"
		done
	done
	printf 'read+write %s\n' 1k bs 4bs 256bs
} | sort >seed
rows | sort >default
{ rows --all; slow_rows; } | sort >all
is "the rows of the base document are run by default: missing" "$(comm -23 seed default)" ""
# The table is well formed.
"$wb" --list --all </dev/null >table
"$wb" --list </dev/null | sed 's/  .*//;/^$/d' | sort >few
sed 's/  .*//;/^$/d' table | sort >names
is "--list --all has every row that a session of files runs, by default or with --all: missing" \
	"$(comm -23 few names; comm -23 all names)" ""
is "--list has those run by default: missing, and too many" "$(comm -23 default few), $(comm -13 default few)" ", "
is "... no name is there twice" "$(uniq -d names)" ""
is "... and no line is wider than 80 columns" "$(awk 'length > 80' table)" ""
is "... no row lacks a name, what it calls, the first kernel, or which program copies so" \
	"$(grep -Ev '^[^ ]+( [^ ]+)*  +[a-zA-Z][a-zA-Z_0-9, /]* +(-|[2-9]\.[0-9.]*[0-9]) +[^ ].*$' table)" ""
# Each strategy comes with each advice that its ends take: for any output; for a mapped one, which has to be given its
# length; for none.
sed 's/ + .*//' all | sort -u >strategies
while read -r strategy; do
	case $(sed -n "/^$strategy\( + .*\)*\$/{s/^[^+]*\(+[^ ][^+]*\)*//; s/^+ //; p;}" all | paste -sd';') in
	";advices;advices + falloc;advices + kfalloc;advices + pfalloc;advices + trunc;falloc;trunc") ;;
	"advices + falloc;advices + pfalloc;advices + trunc;falloc;trunc") ;;
	";advices") ;;
	*) echo "$strategy" ;;
	esac
done <strategies >odd
is "--all has each strategy with each advice that its ends take: others" "$(cat odd)" ""
for size in 1 256 1k bs 4bs 16bs 256bs 4k 8k 16k 32k 64k 128k 256k 1m 16m 32m 1g; do
	grep -Fqx "read+write $size" all || echo "read+write $size"
done >missing
is "... and all sizes of the document on buffers: missing" "$(cat missing)" ""
# Names that are too wide for a table are cut, and still differ.
bytes 5000 >X
"$wb" -p0 -n1 --all <X >Y 2>report
"$wb" -p0 -n1 --all --tee=Z <X >Y 2>>report
is "... whose names differ in a table" "$(grep -E '^[^ ].{40,} [0-9.]+[mu]?s +[0-9.]+[mu]?s ' report | cut -c1-40 |
	sort | uniq -d)" ""
# Byte by byte is too slow for a pattern: it is listed, and run when it is named.
is "--all lists read+write 1" "$(grep -Fxc 'read+write 1' all)" 1
is "... which a pattern does not mean" "$(rows --all -s 'read+write 1*' | grep -Fxc 'read+write 1')" 0
is "... nor does --all" "$(rows --all -s '*' | sort | comm -13 - all | sed 's/ + .*//' | uniq)" "read+write 1"
is "... but its name does" "$(rows -s 'read+write 1')" "read+write 1"

# --select narrows what would be run; a full name is taken wherever it stands.
is "--select takes globs, of the rows that are run by default" "$(rows -s 'sendfile*,*mmap + *' | sort)" \
	"$(grep -E '^sendfile|mmap \+ ' default)"
is "... which with * are all of these" "$(rows -s '*' | sort)" "$(cat default)"
is "... and with --all of all" "$(rows --all -s 'sendfile,pipe*splice + advices + pfalloc' | paste -sd,)" \
	"pipe+splice + advices + pfalloc,sendfile"
is "a full name is a row, by default or not" "$(rows -s 'mmap+write 256k' -s 'sendfile*' | sort)" \
	"$(grep -E '^sendfile' default | sed '1i mmap+write 256k')"
is "... also one for a pipe, in a list" "$("$wb" --list -s vmsplice,reflink </dev/null | sed 's/  .*//')" "vmsplice
reflink"
is "--exclude takes away" "$(rows -s 'sendfile*' -x '*+ *')" "sendfile"
# Commands: the same one twice is two rows, each chosen by its name; a full name is taken whole, commas and all.
while IFS='|' read -r wanted options; do
	is "commands: $options" "$(eval "rows -w cat -w cat -w 'dd conv=notrunc,fsync' $options" | paste -sd';')" "$wanted"
done <<'END'
$ cat;$ cat (2);$ dd conv=notrunc,fsync|-s '$ *'
$ cat;$ cat (2);$ dd conv=notrunc,fsync|-s '$ cat' -s '$ cat (2)'
$ cat (2);$ dd conv=notrunc,fsync|-s '$ *' -x '$ cat'
sendfile;$ cat;$ dd conv=notrunc,fsync|-s sendfile -x '$ cat (2)'
sendfile;$ cat;$ cat (2);$ dd conv=notrunc,fsync|-s '$ dd conv=notrunc,fsync' -s sendfile
$ cat;$ cat (2)|-s '$ *' -x '$ dd conv=notrunc,fsync'
END
# unmatched DESCRIPTION ARGUMENT OPTION...: exit status 2, and one line that names the argument
unmatched() {
	what=$1 argument=$2
	shift 2
	"$wb" -n1 -p0 -z 1 "$@" <"$wb" >out 2>err
	is "$what: $*" "$? $(cat out err | wc -l) $(grep -Fc -e "write-bench: $argument: " err)" "2 1 1"
}
unmatched "rows of --all" "--select=mmap*k" -s 'mmap*k'
unmatched "... for one output" "--select=sendfile" --tee=Z -s sendfile
unmatched "an exclusion" "--exclude=reflinks" -x reflinks

"$wb" --list </dev/null | sed '/^  /d' >listed # without its footnote
holds "--list has calls and kernels" listed '^sendfile +sendfile +2\.6\.33 ' \
	'^io_uring splice 1m +io_uring_enter +5\.7 ' '^uncached 1m +preadv2/pwritev2 +6\.14 '

# It goes to standard output, whatever that is.
bytes 4096 >X
run 0 "--list into a file" "$wb" --list <X >Y
is "... has the list" "$(sed 's/  .*//;/^$/d' Y | sort)" "$(cat few)"
