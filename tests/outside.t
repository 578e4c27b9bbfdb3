#!/bin/sh
# Text from outside (names of files, commands, what they say, reports that are read) in messages, tables and pages: it
# is shown as given, if it is UTF-8, but starts no escape sequence of a terminal, and no markup of a page.
# Tried: it fails where messages, names of rows or of files are not escaped; where one of the characters of Markdown is
# Tried: not, or in headings, cells or remarks; columns are counted in bytes; names are cut alike.
# shellcheck disable=SC1003
. "$(dirname "$0")/tap.sh"

escape=$(printf '\033]0;owned\007\033[31m')
bytes 10000 >X
clean() { is "$1" "$(perl -CI -ne 'print if /[^\n[:print:]]/' <"$2" 2>&1)" ""; } # nothing but what is printable

# ---- Messages: of each way in which a name or an argument comes into one
mkdir "d$escape"
printf 'row,round,ns,outcome\na,1,5,ok\n%s,1,5,ok\n' "$escape" >odd.csv
while IFS='|' read -r options; do
	eval "timeout 300 \"\$wb\" $options" <X 1<>Y 2>err
	is "$options: exit status" $? 2
	clean "... no escape sequence" err
	holds "... what it is" err 'x1b'
done <<'END'
-o "nosuch/$escape"
-o "$escape" --tee="$escape"
--tee="nosuch/$escape"
--tee="d$escape"
-s "$escape"
-f "$escape"
--generate="$escape"
"$escape"
"--$escape"
--from="printf '$escape' >&2; exit 3" <&-
--compare "$escape"
--compare odd.csv
END

# ---- Names: what is UTF-8 is as given, and what is not, or a control character, as \xNN; whole but in the text
mkdir Jürgen && printf '#!/bin/sh\nexec cat\n' >Jürgen/copy && chmod +x Jürgen/copy
w -w '"./Jürgen/copy"' -w 'cat # a' --baseline='$ "./Jürgen/copy"' -s '$ *' -o names.csv <X >Y 2>err
is "a baseline of another alphabet is found" "$? $(fact baseline names.csv)" '0 $ "./Jürgen/copy"'
long=$(yes abc | head -n 12 | paste -sd' ') all='!"#$%&()*+,-.:;<=>?@[\]^_`{|}~'
evil="__init__ ~a~ ~~b~~ *c* **d** <i>e<i> &lt; [f](g) ![h](i) <j@k.l> #1 \$m\$ a|b \\ $all $all"
set -- && while IFS='|' read -r bytes as; do
	set -- "$@" -w "cat # $(printf %b "$bytes")" && printf '$ cat # %s\n' "$as"
done >wanted <<'END'
é € 😀 日本|é € 😀 日本
a\0377b\0303|a\xffb\xc3
\0302\02332J|\xc2\x9b2J
\0300\0257\0355\0240\0200\0364\0220\0200\0200|\xc0\xaf\xed\xa0\x80\xf4\x90\x80\x80
\0177\033\tx|\x7f\x1b\x09x
END
for name in "$long é $long" "$long ö $long" "$evil"; do
	set -- "$@" -w "cat # $name" && printf '$ cat # %s\n' "$name"
done >>wanted
w -o names.csv -o names.json -o names.md -s '$ *' "$@" -w "printf '$escape' >&2; exit 3" <X >Y 2>err
names=$(sort wanted)
is "names are whole in CSV" "$(sed -n '/^"/{ s/^"//; s/",[0-9].*//; s/""/"/g; p; }' names.csv | sort)" "$names"
is "... in JSON" "$(perl -ne 'print s/\\(.)/$1/gr, "\n" for /"row": "(.*#.*)", "out/' names.json | sort)" "$names"
is "... in Markdown" "$(perl -ne 's/ \|( [^|]*\|){6}\n// && s/^\| // or next; s/\\(.)/$1/g; s/&lt;/</g; s/&gt;/>/g;
	s/&amp;/&/g; print "$_\n" if /^\$/' names.md | sort)" "$names"
is "... never alike in the text" \
	"$(sed -nE '/^row.*best/,/^$/{ s/ +[0-9.]+(us|ms|s)( .*)?$//; /^[$]/p; }' err | sort -u | wc -l)" 8
is "... columns are counted in characters" "$("$wb" --compare names.csv -x '*abc*,*init*' | perl -CI -ne '$in |= /^row/
	or next; last if !/./; my @at; push @at, $+[0] while / \K(best|median|worst|[0-9.]+(us|ms|s))(?= |$)/g;
	print "@at[0..2]\n"' | sort -u | wc -l)" 1

# ---- Pages: of a file, and of several
for fact in heading cpu warning_busy; do printf '# %s: %s\n' $fact "$evil"; done >"evil $evil.csv"
sed '/^# \(heading\|cpu\):/d' names.csv | tee "d$escape/n.csv" >>"evil $evil.csv"
for format in text markdown csv json svg; do
	"$wb" --compare "evil $evil.csv" -f $format >a.$format 2>&1
	"$wb" --compare names.csv "evil $evil.csv" "d$escape/n.csv" -f $format >b.$format 2>&1
	cat [ab].$format err >both && clean "$format: no escape sequence" both
done
for file in names.md [ab].markdown; do # but for its own, no character is left that GitHub takes for markup
	is "$file: no markup" "$(perl -ne 'next if /^\| :--/; s/^(### |- )//;
		s/\\[[:punct:]]|&(amp|lt|gt);//g; s/ ?\|( |$)//g if /^\|/; print if /[\\`*_~<>|#\$&\[\]]/' "$file" 2>&1)" ""
done
