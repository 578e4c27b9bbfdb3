#!/bin/sh
# Text from outside (names of files, commands, what they say, reports that are read) in messages, tables and pages: it
# starts no escape sequence of a terminal, and no HTML, link or picture of a page.
# Tried: it fails where messages are not escaped; where environment, names of rows or of files are not; where headings,
# Tried: cells or remarks of Markdown are not.
# shellcheck disable=SC1003
. "$(dirname "$0")/tap.sh"

escape=$(printf '\033]0;owned\007\033[31m')
clean() { # DESCRIPTION FILE: nothing but printable ASCII and newlines
	is "$1" "$(tr -d ' -~\n' <"$2" | wc -c | tr -d ' ')" 0
}
bytes 10000 >X
w() {
	timeout 300 "$wb" -n1 -p0 -s "${selected-sendfile,read+write 4k}" "$@" 2>err
	got=$?
}

# ---- Messages: of each way in which a name or an argument comes into one.
reported() { # DESCRIPTION
	is "$1: exit status" "$got" 2
	clean "... no escape sequence" err
	holds "... what it is" err '\\x1b\[31m'
}
w -o "nosuch/$escape" <X >Y; reported "-o in no directory"
selected='*x2*'
w -o "$escape" --tee="$escape" <X >Y; reported "-o on the second output"
w --tee="nosuch/$escape" <X >Y; reported "--tee in no directory"
mkdir "d$escape"
w --tee="d$escape" <X >Y; reported "--tee is a directory"
unset selected
w -s "$escape" <X >Y; reported "-s"
w -x "$escape" <X >Y; reported "-x"
w -z "$escape" <X >Y; reported "-z"
w -f "$escape" <X >Y; reported "-f"
w "$escape" <X >Y; reported "an argument too many"
w "--$escape" <X >Y; reported "an option that there is not"
w --from="printf '$escape' >&2; exit 3" >Y; reported "--from fails, with its words"
w --with="$escape" --with="$escape" <X >Y; reported "--with twice"
for arg in --compare --generate --until --pause --seed --runs; do
	timeout 300 "$wb" "$arg=$escape" 2>err; got=$?; reported "$arg"
done
printf 'row,round,ns,outcome\na,1,5,ok\n%s,1,5,ok\n' "$escape" >odd.csv
"$wb" --compare odd.csv 2>err; got=$?
clean "a report with escape sequences: no escape sequence" err
holds "... is refused, with its line" err 'odd.csv: line 3: .*x1b'
printf '\302\2332J' >c1 # CSI as UTF-8 has it, which some terminals obey
w -o "nosuch/$(cat c1)" <X >Y
clean "CSI in UTF-8" err

# ---- Tables: names of commands and of files.
w --with="cat; : '$escape'" <X >Y
is "a command's name: exit status" "$got" 0
clean "... no escape sequence in the table" err
holds "... its row" err '^\$ cat; : .\\x1b\]0;owned\\x07\\x1b\[31m'
w --with="printf '$escape' >&2; exit 3" <X >Y
clean "a command's words: no escape sequence" err
holds "... are reported" err 'x1b.31m\.$'
for format in text markdown csv json svg; do
	w --with="cat; : '$escape'" -f $format <X >Y
	clean "$format: no escape sequence" err
	cp a.csv "a$escape.csv" 2>/dev/null || { timeout 300 \
		"$wb" -n1 -p0 -s 'sendfile,read+write 4k' -o a.csv <X >Y 2>err && cp a.csv "a$escape.csv"; }
	"$wb" --compare "a$escape.csv" a.csv -f $format >out 2>&1
	tr -d '\342\226\210\223\222\221' <out >plain # shades
	clean "... nor of files' names" plain
	sed '/^# heading/d' a.csv >"b$escape.csv"
	"$wb" --compare "b$escape.csv" -f $format >out 2>&1
	clean "... nor of one that is a heading" out
done

# ---- Pages.
evil='<script>alert(1)</script><img src=x onerror=y> [x](javascript:y) ![x](http://z) &lt; `a` *b* | \'
w --with="cat; : '$evil'" -f markdown <X >Y
page() { # DESCRIPTION FILE: whatever stands before what is special in it
	lacks "$1: no HTML" "$2" '<|&([^alg]|$)'
	lacks "... no link, no picture" "$2" '(^|[^\\])[][]'
	is "... the same number of cells in each line of a table" \
		"$(sed -n '/^|/{s/\\\\//g;s/\\|//g;s/[^|]//g;p;}' "$2" | sort -u | wc -l | tr -d ' ')" 1
}
page "a command's name in Markdown" err
holds "... is there" err '&lt;script&gt;alert\(1\)&lt;/script&gt;' '\\\[x\\\]\(javascript:y\)' \
	'&amp;lt; \\`a\\` \\\*b\\\* \\\|'
sed "s|^# heading: .*|# heading: <script>h</script> [h](h) \`|; s|^# cpu: .*|# cpu: <b>cpu</b> ![c](c)|" a.csv |
	sed "s|^sendfile,|<i>r</i> [r](r),|" >evil.csv
"$wb" --compare evil.csv -f markdown >out
page "a report's heading, CPU and rows in Markdown" out
holds "... the heading" out '^### &lt;script&gt;h&lt;/script&gt; \\\[h\\\]\(h\) \\`$'
holds "... a row" out '^\| &lt;i&gt;r&lt;/i&gt; \\\[r\\\]\(r\) \|'
holds "... a remark" out '^- &lt;b&gt;cpu&lt;/b&gt; !\\\[c\\\]\(c\), '
cp a.csv '<script>[x](y).csv'
for other in a.csv 'a.csv evil.csv'; do
	# shellcheck disable=SC2086
	"$wb" --compare '<script>[x](y).csv' $other -f markdown >out
	page "a file's name in Markdown, beside $other" out
	holds "... as such" out '&lt;script&gt;\\\[x\\\]\(y\)'
done
"$wb" --compare evil.csv '<script>[x](y).csv' -f svg >out
if have xmllint; then
	run 0 "... in a picture" xmllint --noout out
else
	skip "... in a picture" "no xmllint"
fi
is "... is no element" "$(grep -c '<script\|<i>r\|<b>cpu' out)" 0
