#!/bin/sh
# The rows of --list, and how they are chosen: names are a contract, since old tables are laid beside new ones. A line
# of the last tables is a choice, and what it leaves.
# Tried: it fails where a row of the base document has another name; a row lacks an advice, or is listed twice; a
# Tried: pattern means rows that are too slow for it; rows for files are listed for devices; --exclude takes nothing
# Tried: away; --select brings rows that are not run by default; a full name is split at its commas, or the second of
# Tried: two commands has the first one's name.
. "$(dirname "$0")/tap.sh"

# The base document's rows are run by default, and all its buffer sizes can be.
{
	for strategy in mmap+write pipe+splice 'read+write 16bs' sendfile; do
		for advice in '' ' + advices' ' + advices + falloc' ' + advices + trunc'; do
			echo "$strategy$advice"
		done
	done
	printf 'read+write %s\n' 1k bs 4bs 256bs 256k '256k + falloc'
} | sort >seed
rows >in.order
sort in.order >default
{ rows --all && slow_rows; } | sort >all
is "the rows of the base document, and plain loops, that are not run by default" "$(comm -23 seed default)" ""
for size in 1 256 1k bs 4bs 16bs 256bs 4k 8k 16k 32k 64k 128k 256k 1m 16m 32m 1g; do
	grep -Fqx "read+write $size" all || echo "read+write $size"
done >missing
is "... its sizes that --all lacks" "$(cat missing)" ""

# The list is what sessions run, and each of its lines is whole.
"$wb" --list --all </dev/null >table
"$wb" --list </dev/null | sed 's/  .*//;/^$/d' | sort >few
sed 's/  .*//;/^$/d' table | sort >names
is "--list is what is run by default: missing, and too many" "$(comm -23 default few), $(comm -13 default few)" ", "
is "--list --all has these, and what --all runs: missing" "$(comm -23 few names; comm -23 all names)" ""
is "... no name twice" "$(uniq -d names)" ""
is "... no line of more than 80 columns" "$(awk 'length > 80' table)" ""
is "... each with what it calls, the first kernel, and which program copies so" \
	"$(grep -Ev '^[^ ]+( [^ ]+)*  +[a-zA-Z][a-zA-Z_0-9, /]* +(-|[2-9]\.[0-9.]*[0-9]) +[^ ].*$' table)" ""
holds "... as they are" table '^sendfile +sendfile +2\.6\.33 ' '^uncached 1m +preadv2/pwritev2 +6\.14 ' \
	'^read[+]write 16bs +read, write +- +64KiB if bs=4KiB$'
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
is "strategies with other advice than their ends take" "$(cat odd)" ""
bytes 5000 >X
{ w -a <X >Y; w -a --tee=Z <X >Y; } 2>report
is "names that are too wide for a table still differ" "$(grep -E '^[^ ].{40,} [0-9.]+[mu]?s +[0-9.]+[mu]?s ' report |
	cut -c1-40 | sort | uniq -d)" ""
cp X Y.list
run 0 "a list onto standard output, whatever that is" "$wb" --list <X 1<>Y.list
is "... whole" "$(sed 's/  .*//; /^$/d' Y.list | sort | comm -13 - few)" ""

# Choices of rows: what is left of them, in the table's order; how. Commands run unless they are excluded.
while IFS='|' read -r wanted options; do
	rm -f Z # which may be the input, where inodes do not tell
	is "rows $options" "$(eval "rows $options" | paste -sd';')" "$wanted"
done <<END
$(grep -E '^sendfile|mmap \+ ' in.order | paste -sd';')|-s 'sendfile*,*mmap + *'
$(paste -sd';' in.order)|-s '*'
pipe+splice + advices + pfalloc;sendfile|--all -s 'sendfile,pipe*splice + advices + pfalloc'
mmap+write 256k;sendfile|-s 'mmap+write 256k' -s sendfile
sendfile|-s 'sendfile*' -x '*+ *'
read+write 1|-s 'read+write 1'
read+write 1k;read+write 16bs;read+write 128k|-s 'read+write 1*' -x '* + *'
splice, sendfile|--tee=Z -s 'splice, sendfile'
read+write x2 8k;splice, sendfile|--tee=Z -s 'read+write x2 8k,splice, sendfile'
$ cat;$ cat (2);$ dd conv=notrunc,fsync|-w cat -w cat -w 'dd conv=notrunc,fsync' -s '$ *'
$ cat;$ cat (2);$ dd conv=notrunc,fsync|-w cat -w cat -w 'dd conv=notrunc,fsync' -s '$ cat' -s '$ cat (2)'
$ cat (2)|-w cat -w cat -s '$ *' -x '$ cat'
sendfile;$ cat|-w cat -w cat -s sendfile -x '$ cat (2)'
$ cat;$ cat (2)|-w cat -w cat -w 'dd conv=notrunc,fsync' -s '$ *' -x '$ dd conv=notrunc,fsync'
sendfile;$ dd conv=notrunc,fsync|-w 'dd conv=notrunc,fsync' -s '$ dd conv=notrunc,fsync' -s sendfile
END
while IFS='|' read -r argument options; do # which matches nothing
	tells 2 "none: $options" "^write-bench: $argument: " eval "w -z 1 $options <X >Y"
done <<'END'
--select=mmap\*k|-s 'mmap*k'
--select=sendfile|--tee=Z -s sendfile
--select=nosuch|-s 'sendfile,nosuch'
--exclude=reflinks|-x reflinks
END
