#!/bin/sh
# The rows: names are a contract, since old tables are laid beside new ones.
# Tried: it fails where a row of the base document has another name; a pattern means rows that are too slow for it; rows for
# Tried: files are listed for devices; --exclude takes nothing away; --select brings rows that are not run by default.
. "$(dirname "$0")/tap.sh"

{
	for strategy in copy_file_range mmap+write pipe+splice 'read+write 16bs' sendfile; do
		for advice in '' ' + advices' ' + advices + falloc' ' + advices + trunc'; do
			echo "$strategy$advice"
		done
	done
	for row in 'read+write 1k' 'read+write bs' 'read+write 4bs' 'read+write 256bs' 'read+write 128k' 'read+write 256k' \
		'ring read+write 256k' 'direct 1m' 'direct 1m + falloc' 'uncached 1m' 'write-behind 8m' 'io_uring direct 8x1m' \
		'io_uring read+write 8x128k' 'io_uring splice 1m' 'mmap+mmap + falloc' 'mmap+mmap + trunc' 'mmap+mmap 2m + falloc' \
		'mmap+mmap 2m + trunc' 'mmap+write 16m' 'pipe+splice 1m' reflink 'threads direct 1m' 'threads read+write 1m' \
		'threads read+write 1m + falloc' vmsplice+splice; do
		echo "$row"
	done
} | sort >wanted
rows | sort >default
{ rows --all; slow_rows; } | sort >all
same "these rows are run by default" wanted default
# The table is well formed.
"$wb" --list --all </dev/null >table
"$wb" --list </dev/null | sed 's/  .*//;/^$/d' | sort >few
sed 's/  .*//;/^$/d' table | sort >names
is "--list --all has every row that a session of files runs, by default or with --all" "$(comm -23 few names; comm -23 all names)" ""
same "--list has those that are run by default" default few
is "... no name is there twice" "$(uniq -d names)" ""
is "... and no line is wider than 80 columns" "$(awk 'length > 80' table)" ""
is "... no row lacks a name, what it calls, the first kernel, or which program copies so" \
	"$(grep -Ev '^[^ ]+( [^ ]+)*  +[a-zA-Z][a-zA-Z_0-9, /]* +(-|[2-9]\.[0-9.]*[0-9]) +[^ ].*$' table)" ""
# Each strategy with each advice that its ends take: a mapped output with those that give it its length.
sed 's/ + .*//' all | sort -u >strategies
while read -r strategy; do
	for advice in "" " + trunc" " + falloc" " + advices" " + advices + trunc" " + advices + falloc" " + advices + pfalloc" \
		" + advices + kfalloc"; do
		case $strategy$advice in
		vmsplice | "vmsplice +"* | "vmsplice huge"* | "mmap+send"*) case $advice in *trunc | *falloc) continue ;; esac ;;
		*+mmap*) case $advice in "" | " + advices" | *kfalloc) continue ;; esac ;;
		esac
		echo "$strategy$advice"
	done
done <strategies | sort >product
is "--all is the product of strategies and advices" "$(diff product all)" ""
for size in 1 256 1k bs 4bs 16bs 256bs 4k 8k 16k 32k 64k 128k 256k 1m 16m 32m 1g; do
	grep -Fqx "read+write $size" all || echo "read+write $size"
done >missing
for row in "stdio 1" "stdio 4k" "stdio 256k" "stdio 1m" "mmap+write 256k" "mmap+write 16m" "mmap+write populate" "read+mmap 256k + trunc" \
	"pipe+splice 256k" "pipe+splice 512k" "direct write 1m" "threads mmap+mmap + trunc" "threads copy_file_range" "threads mmap+write 8m" \
	"ring read+write 256k" "copy_file_range sparse" "read+write sparse 4k" "read+write sparse 64k" "io_uring splice 1m" \
	"mmap+mmap 2m + trunc" "mmap+mmap huge + trunc" "io_uring direct 8x1m" "threads direct 1m" "sendfile + falloc"; do
	grep -Fqx "$row" all || echo "$row"
done >>missing
is "... of all buffer sizes, and the rest" "$(cat missing)" ""
# Names that are too wide for a table are cut, and still differ.
bytes 5000 >X
"$wb" -p0 -n1 --all <X >Y 2>report
"$wb" -p0 -n1 --all --tee=Z <X >Y 2>>report
is "... whose names differ in a table" "$(grep -E '^[^ ].{40,} [0-9.]+[mu]?s +[0-9.]+[mu]?s ' report | cut -c1-40 | sort | uniq -d)" ""
# Byte by byte is too slow for a pattern: it is listed, and run when it is named.
is "--all lists read+write 1" "$(grep -Fxc 'read+write 1' all)" 1
is "... which a pattern does not mean" "$(rows --all -s 'read+write 1*' | grep -Fxc 'read+write 1')" 0
is "... nor does --all" "$(rows --all -s '*' | sort | comm -13 - all | sed 's/ + .*//' | uniq)" "read+write 1"
is "... but its name does" "$(rows -s 'read+write 1')" "read+write 1"

# --select narrows what would be run; a full name is taken wherever it stands.
is "--select takes globs, of the rows that are run by default" "$(rows -s 'sendfile*,*mmap + *' | sort)" \
	"$(grep -E '^sendfile|mmap \+ ' default)"
is "... which with * are all of these" "$(rows -s '*' | sort)" "$(cat default)"
is "... and with --all of all" "$(rows --all -s 'sendfile,pipe*splice + advices + pfalloc')" "pipe+splice + advices + pfalloc
sendfile"
is "a full name is a row, by default or not" "$(rows -s 'mmap+write 256k' -s 'sendfile*' | sort)" \
	"$(grep -E '^sendfile' default | sed '1i mmap+write 256k')"
is "... also one for a pipe, in a list" "$("$wb" --list -s vmsplice,reflink </dev/null | sed 's/  .*//')" "vmsplice
reflink"
is "--exclude takes away" "$(rows -s 'sendfile*' -x '*+ *')" "sendfile"
# unmatched DESCRIPTION ARGUMENT OPTION...: exit status 2, and one line that names the argument
unmatched() {
	what=$1 argument=$2
	shift 2
	"$wb" -n1 -p0 -z 1 "$@" <"$wb" >out 2>err
	is "$what: $*" "$? $(cat out err | wc -l) $(grep -Fc -e "write-bench: $argument: " err)" "2 1 1"
}
unmatched "rows of --all" "--select=mmap*k" -s 'mmap*k'
unmatched "a full name for a pipe" "--select=vmsplice" -s vmsplice,reflink
unmatched "... for one output" "--select=sendfile" --tee=Z -s sendfile
unmatched "an exclusion" "--exclude=reflinks" -x reflinks

"$wb" --list </dev/null | sed '/^  /d' >listed # without its footnote
holds "--list has calls and kernels" listed '^sendfile +sendfile +2\.6\.33 ' '^io_uring splice 1m +io_uring_enter +5\.7 ' \
	'^uncached 1m +preadv2/pwritev2 +6\.14 '

# It goes to standard output, whatever that is.
bytes 4096 >X
run 0 "--list into a file" "$wb" --list <X >Y
is "... has the list" "$(sed 's/  .*//;/^$/d' Y | sort)" "$(cat few)"
