#!/bin/sh
# Pictures: -f svg of one report and of several, and that all of it is what
# the text report says. Reports are made by hand where figures count.
# Tried: it fails where text is not escaped; the axis is too long; the median stands at the best run; the legend has kinds
# Tried: that are not there; memcpy's words begin at its line; all runs are one dot; many runs are dots; text has no size of
# Tried: its own; a shade begins too late.
# shellcheck disable=SC2016,SC1003
. "$(dirname "$0")/tap.sh"
. "$top/tests/replay.sh"

run 0 "--help" "$wb" --help >help
holds "... names the format" help '=text\|markdown\|csv\|json\|svg'
echo precious >Y
"$wb" -f svgz <help 1<>Y 2>err
is "another format is refused" "$? $(cat Y) $(wc -l <err | tr -d ' ')" "2 precious 1"
holds "... naming svg" err '^write-bench: --format=svgz: is not known: use .*\|json\|svg$'

# csv <<END >FILE: lines "ROW NS..." become a report, round after round; lines with # go before them. A row "NAME=OUTCOME"
# has that one, and where it is none with a time its number does not count.
csv() {
	awk '/^#/ { print; next }
		{ name[++k] = $1; ok[k] = sub(/=.*/, "", name[k]) ? substr($1, index($1, "=") + 1) : "ok"; gsub("_", " ", ok[k])
			for (n[k] = NF - 1; n[k] > most; most++); for (i = 2; i <= NF; i++) ns[k, i - 1] = $i }
		END { print "row,round,ns,outcome"
			for (i = 1; i <= most; i++) for (r = 1; r <= k; r++)
				if (i <= n[r]) print name[r] "," i "," (ok[r] ~ /^(ok|shared|untouched)$/ ? ns[r, i] : "") "," ok[r] }'
}

# Several files in Markdown. Runs are apart, so that only the first row is marked.
steps() { # WINNER'S NS: rows at the borders of all shades, and just behind
	awk -v w="$1" 'BEGIN {
		print "# heading: Steps\nwinner", w, w + 1, w + 2
		split("1.1 1.5 2 4", at, " ")
		for (i = 1; i <= 4; i++) { t = w * at[i]
			printf "upto%s %.0f %.0f %.0f\nabove%s %.0f %.0f %.0f\n", at[i], t, t + 1, t + 2, at[i], t + 1, t + 2, t + 3 } }' | csv
}
steps 1000000 >one.csv
sed '/^above/d' one.csv >two.csv
"$wb" --compare one.csv two.csv one.csv -f markdown >md
is "markdown: the text report's cells" "$(sed -n 's/^| above1.5 | //p' md)" "+50.0% | - | +50.0% |"

if ! have python3; then # what follows reads SVG
	skip "pictures" "no python3"
	exit 0
fi

# What is in a picture. Letters are 7.23 units wide at 12 px, as they are in most monospaced fonts.
cat >svg.py <<'END'
import json, re, sys
import xml.etree.ElementTree as ET
GIB = {'GiB/s': 2 ** 30 / 1e9, 'MiB/s': 2 ** 20 / 1e9} # bytes per nanosecond
class Thing:
	def __init__(self, e, tag, box):
		self.e, self.tag, self.row = e, tag, None
		self.anchor, self.size = e.get('text-anchor'), float(e.get('font-size', 0))
		self.cls = e.get('class', '').split()
		self.text = e.text or ''
		self.x0, self.y0, self.x1, self.y1 = box
		self.at, self.mid = (self.x0 + self.x1) / 2, (self.y0 + self.y1) / 2
class Picture:
	def __init__(self, file):
		self.raw = open(file, 'rb').read().decode('utf-8')
		self.root = ET.fromstring(self.raw.encode())
		self.view = [float(n) for n in self.root.get('viewBox').split()]
		self.things = []
		for e in self.root:
			tag = e.tag.split('}')[1]
			if tag in ('rect', 'text', 'path', 'circle') and e.get('class') != 'page':
				self.things.append(Thing(e, tag, getattr(self, tag)(e)))
		self.texts = [t for t in self.things if t.tag == 'text']
		self.rects = [t for t in self.things if t.tag == 'rect']
		self.css = self.root.find('{*}style').text
		for name in self.names(): # a row of one report: what is on its name's line, if a dot or a bar is
			mine = [t for t in self.things if abs(t.mid - name.mid) < 9 and (t.tag != 'path' or 'median' in t.cls)]
			if any(t.tag != 'text' and set(t.cls) & {'best', 'alike', 'slower', 'apart'} for t in mine):
				for t in mine: t.row = name
	def names(self): # of rows: texts of the table at the left margin
		return [t for t in self.texts if abs(t.x0 - 14) < 0.1 and not t.cls and t.size == 12]
	def rect(self, e):
		x, y, w, h = (float(e.get(k)) for k in ('x', 'y', 'width', 'height'))
		if w <= 0 or h <= 0: raise ValueError('an empty box')
		return [x, y, x + w, y + h]
	def circle(self, e):
		x, y, r = (float(e.get(k)) for k in ('cx', 'cy', 'r'))
		return [x - r, y - r, x + r, y + r]
	def text(self, e):
		x, y, size = (float(e.get(k)) for k in ('x', 'y', 'font-size'))
		w = len(e.text) * 7.23 * size / 12
		x -= {'start': 0, 'middle': w / 2, 'end': w}[e.get('text-anchor')]
		return [x, y - 0.75 * size, x + w, y + 0.2 * size]
	def path(self, e):
		x, y, way, n = re.fullmatch(r'M(\S+) ([^hv]+)([hv])(\S+)', e.get('d')).groups()
		x, y, n = float(x), float(y), float(n)
		if n < 0: raise ValueError('a stroke backwards')
		return [x, y, x + (n if way == 'h' else 0), y + (n if way == 'v' else 0)]
	def bars(self): # a row's: its texts, its dots or its bar, median
		for name in self.names():
			mine = [t for t in self.things if t.row == name]
			if mine: yield ([t for t in mine if t.tag == 'text'], [t for t in mine if t.tag in ('rect', 'circle')],
				[t for t in mine if 'median' in t.cls])
	def legend(self): # boxes, each with its words
		for r in self.rects:
			if not r.row and round(r.x1 - r.x0) == 22:
				yield r.cls[0], next(t.text for t in self.texts if t.e.get('y') and abs(t.mid - r.mid) < 4 and 0 < t.x0 - r.x1 < 10)
def overlap(a, b, gap=0): # texts of a line want a gap
	return min(a.x1, b.x1) - max(a.x0, b.x0) > 0.5 - gap and min(a.y1, b.y1) - max(a.y0, b.y0) > 0.5
def problems(p):
	known = set(re.findall(r'\.([a-z]\w*)', p.css))
	if re.search(r'<!|<\?|\]\]>|://(?!www\.w3\.org/2000/svg")|@import|url\(|javascript:', re.sub('>[^<]*</(text|title)>', '', p.raw)):
		yield 'something from elsewhere'
	if re.search('[\0-\x08\x0b-\x1f\x7f\ufffe\uffff]', p.raw): yield 'a control character'
	if not p.raw.endswith('</svg>\n'): yield 'no end of line'
	dark = p.css.split('@media (prefers-color-scheme:dark){')
	if len(dark) != 2 or dark[1].strip()[-2:] != '}}': yield 'nothing for dark pages'
	elif {c for c in known if 'fill:#' in dark[0].split('.' + c)[-1].split('}')[0]} - set(re.findall(r'\.(\w+)', dark[1])): yield 'a colour that dark pages have not'
	for e in p.root.iter():
		tag = e.tag.split('}')[1]
		if tag not in ('svg', 'title', 'style', 'path', 'rect', 'circle', 'text'): yield 'a <%s>' % tag
		for k, v in e.items():
			if k.lower().startswith('on') or 'href' in k.lower() or k in ('src', 'style') or 'url(' in v: yield 'an attribute ' + k
			if k == 'class' and not set(v.split()) <= known: yield 'no style for ' + v
	if 'font' in p.css or not p.root.get('font-family'): yield 'a font that only some renderers find'
	if any(not t.e.get(k) for t in p.texts for k in ('font-size', 'text-anchor')): yield 'text without size or anchor'
	left, top, width, height = p.view
	if (left, top) != (0, 0): yield 'the origin'
	for t in p.things:
		if t.x0 < 0 or t.y0 < 0 or t.x1 > width + 0.05 or t.y1 > height: yield '%s %s beyond the edge: %.1f of %g, %.1f of %g' % (t.tag, t.text[:60], t.x1, width, t.y1, height)
	for i, t in enumerate(p.texts):
		for u in p.texts[i + 1:]:
			if overlap(t, u, 3.5 if abs(t.mid - u.mid) < 3 else 0): yield '%s over %s' % (t.text[:60], u.text[:60])
		for r in p.rects:
			if r.row:
				if overlap(t, r): yield '%s over a bar' % t.text[:60]
			elif overlap(t, r) and (t.x0 < r.x0 or t.x1 > r.x1): yield '%s wider than its cell' % t.text[:60]
		for c in p.things:
			if c.tag == 'circle' and overlap(t, c): yield '%s over a dot' % t.text[:60]
	for texts, marks, medians in p.bars():
		name, apart = texts[0].text, 'apart' in marks[0].cls
		if {m.tag for m in marks} != {'circle'} and [m.tag for m in marks] != ['rect']: yield 'neither dots nor a bar: ' + name
		if len({m.cls[0] for m in marks}) != 1 or len(medians) != (not apart): yield 'not one kind, or not one median: ' + name
		if any(abs(m.mid - texts[0].mid) > 3 for m in marks + medians): yield 'a bar off its row: ' + name
		if not 2 <= len(texts) <= 4 or texts[0].x0 >= marks[0].x0: yield 'not a row: ' + name
def look(file): # what is wrong with it; what the functions below find in it goes to files of their names
	try:
		p = Picture(file)
		for said in sorted(set(problems(p)))[:6]: print(said)
	except Exception as e:
		print(e)
		p = None
	for look_for in rows, words, heading, legend, axis, cells:
		with open('is_' + look_for.__name__, 'w', encoding='utf-8') as out:
			if p and (look_for != axis or 'higher is better' in p.raw): look_for(p, out)
def rows(p, out): # class, name, best, behind and marks, from top to bottom
	for texts, marks, _ in sorted(p.bars(), key=lambda b: b[0][0].y0):
		print('|'.join([marks[0].cls[0], texts[0].text, texts[1].text, ' '.join(t.text.strip() for t in texts[2:])]), file=out)
def dots(file, report): # a row that has not a dot for each of its runs in the JSON report, or one bar for many
	runs = [(r['name'], r['outcome'], len(r['runs_ns'])) for r in json.load(open(report, encoding='utf-8', errors='replace'))['rows'] if r['runs_ns']]
	bars = sorted(Picture(file).bars(), key=lambda b: b[0][0].y0)
	if len(bars) != len(runs): print('rows')
	for (_, marks, _), (name, outcome, n) in zip(bars, runs):
		if [m.tag for m in marks] != (['circle'] * n if outcome == 'ok' and n <= 12 else ['rect']): print('not a dot a run, or a bar of many:', name)
def words(p, out): # all text that is in no row, in one line
	print(' '.join(t.text for t in p.texts if not t.row), file=out)
def heading(p, out):
	print(' '.join(t.text for t in p.texts if t.size == 14), p.root.find('{*}title').text, sep='\n', file=out)
def legend(p, out):
	print(', '.join('%s: %s' % kind for kind in p.legend()), file=out)
def scale(p): # of the axis: left end, width, units
	unit = next(t for t in p.texts if t.text.endswith(', higher is better'))
	zero = next(t for t in p.texts if t.text == '0')
	return zero.at, 2 * (unit.at - zero.at), unit.text.rsplit(', ', 1)[0], zero
def axis(p, out): # unit and labels; where memcpy's line is, in percent, and its words, which end there, or begin with the axis
	x, width, unit, zero = scale(p)
	print(unit, *(t.text for t in p.texts if abs(t.mid - zero.mid) < 1), file=out)
	for t in p.things:
		if t.tag == 'path' and 'memcpy' in t.cls: print('%.1f%%' % (100 * (t.at - x) / width), *(words.text for words in p.texts
			if words.text.startswith('memcpy ') and (abs(words.x1 - t.at) < 0.3 or t.at < words.x1 and abs(words.x0 - x) < 0.3)), file=out)
def cells(p, out): # of a comparison: each row's name and its cells, with the shade where there is one
	boxes = [r for r in p.rects if round(r.x1 - r.x0) != 22]
	for name in p.names():
		cells = [name.text]
		for t in sorted((t for t in p.texts if abs(t.mid - name.mid) < 3 and t is not name), key=lambda t: t.x0):
			mine = [b for b in boxes if b.y0 < t.mid < b.y1 and b.x0 < t.at < b.x1]
			if t.anchor != 'middle' or any(abs(b.at - t.at) > 0.2 for b in mine): cells.append('not in the middle:')
			if [c.replace('t', 's') for c in t.cls] != [b.cls[0] for b in mine]: cells.append('another shade than its text:')
			cells.append(t.text + ''.join('/' + b.cls[0] for b in mine))
		print(' '.join(cells), file=out)
def geometry(file, size, full, *known): # what is off; "NAME=WORST,MEDIAN,BEST" in ns; full: the fastest in ns; a size of 0: not known
	p = Picture(file)
	x, width, unit, zero = scale(p)
	size, full = float(size), float(full)
	rel = size == 0
	at = lambda ns: x + width * full / (1.01 * ns)
	bars = {b[0][0].text: b for b in p.bars() if 'apart' not in b[1][0].cls}
	for (name, *_), (box, *_), _ in p.bars():
		if 'apart' in box.cls and (abs(box.x0 - x) > 0.2 or abs(box.x1 - x - width) > 0.2): print('not all along:', name.text)
	if len(bars) != len(known): print('rows')
	for row in known:
		name, ns = row.split('=')
		worst, median, best = map(float, ns.split(','))
		_, marks, (line,) = bars[name]
		dots = marks[0].tag == 'circle'
		first, last = (min(m.at for m in marks), max(m.at for m in marks)) if dots else (marks[0].x0, marks[0].x1)
		for what, got, wanted in (('worst', first, at(worst)), ('median', line.at, at(median)), ('best', last, max(at(best), at(worst) + (not dots)))):
			if abs(got - wanted) > 0.2: print(name, what, got, wanted)
	for t in p.texts:
		if abs(t.mid - zero.mid) < 1:
			wanted = at(full / float(t.text)) if rel and float(t.text) else at(size / (float(t.text) * GIB[unit])) if float(t.text) else x
			if abs(t.at - wanted) > 0.2: print('label', t.text, t.at, wanted)
			if not any(abs(s.at - t.at) < 0.2 for s in p.things if 'grid' in s.cls and s.x0 == s.x1): print('no grid at', t.text)
globals()[sys.argv[1]](*sys.argv[2:])
END
python=$(python3 -c 'import sys; print(sys.executable)')
svg() { "$python" -S -E svg.py "$@" 2>&1; }
# The rows of a text report, as svg.py has them: a name has 40 characters, and a share of a CPU may be the last.
table() { # TEXT RECOMMENDED
	sed '1,/^row /d;/^$/,$d' "$1" | awk -v recommended="$2" '{
		name = substr($0, 1, 40); sub(/ +$/, "", name)
		rest = substr($0, 41); sub(/^ +/, "", rest); split(rest, f, / +/)
		sub(/^[^ ]+ +[^ ]+ +[^ ]+ */, "", rest); sub(/ *[0-9]+%$/, "", rest); gsub(/  +/, " ", rest)
		print (rest ~ /^\([a-z]/ ? "apart" : name == recommended ? "best" : rest ~ /~/ ? "alike" : "slower") "|" name "|" f[1] "|" rest }'
}
mkdir pictures
n=10
map() { # DESCRIPTION FILE...: of several, in "p"; it is a sound picture
	what=$1
	shift
	run 0 "$what: a picture" "$wb" --compare "$@" -f svg >p
	n=$((n + 1))
	cp p pictures/$n.svg
	is "... is sound" "$(svg look p)" ""
}
picture() { # DESCRIPTION FILE [OPTION...]: of a report; its rows are the text report's, too
	map "$@"
	shift
	"$wb" --compare "$@" >text
	"$wb" --compare "$@" -f json >runs
	is "... has the text report's rows, each with all of its runs" "$(cat is_rows && svg dots p runs)" "$(table text "$("$wb" --compare "$@" -f csv | sed -n 's/^# recommended: //p')")"
}

# Rows, their bars and kinds.
csv >a.csv <<'END'
# heading: Ext9, a disk, filesize=1MB, kernel=1.0
# size: 1048576
# cpu: A & B
# cpus: 3
# memory_bytes: 7516192768
# version: write-bench 9
slow 4000000 4100000 5000000
alike 1010000 1020000 1500000
first 1000000 1100000 1030000
cloned=shared 5000 6000 7000
looked=untouched 5100 6000 7000
late 350480000000 350480000001 350480000002
refused=n/a_EXDEV 1
broken=failed_EIO 1
short=failed_short 1
wrong=mismatch 1
END
picture "rows of all kinds" a.csv
is "... which are these" "$(cut -d'|' -f1,2,4 <is_rows | tr '\n' ' ')" \
	"apart|cloned|(shared) apart|looked|(untouched) alike|first|~ best|alike|(+ 1.0%) ~ slower|slow|(+ 300%) slower|late|(> 9999%) "
is "... bars and axis" "$(svg geometry p 1048576 1000000 first=1100000,1030000,1000000 alike=1500000,1020000,1010000 \
	slow=5000000,4100000,4000000 late=350480000002,350480000001,350480000000)" ""
is "... of these labels, and no memcpy" "$(cat is_axis)" "MiB/s 0 500 1000"
is "... the legend has each kind" "$(cat is_legend)" \
	"best: recommended, alike: ~ may be the fastest, slower: slower, apart: no data moved"
is "... the heading, and again as the title" "$(cat is_heading)" "$(for _ in 1 2; do echo "Ext9, a disk, filesize=1MB, kernel=1.0"; done)"
holds "... the recommendation and what became of the others is below" is_words ' Use alike: 980 MiB/s\. Not first: best run 1\.00ms, but ' \
	' Failed: broken: .*: EIO ' ' Failed, moving too few bytes .*: short\.' ' Copied wrongly: wrong\.' ' [0-9]+ more notes: --verbose\.'
holds "... and where they ran" is_words ' A & B, 3 CPUs, 7GiB; write-bench 9\.$'
picture "... --verbose" a.csv -v
holds "... has all of it" is_words ' Not ranked, since blocks are shared and no data moved: cloned\. ' ' Not ranked, since neither .*: looked\. ' \
	' n/a: refused: .*: EXDEV\. ' ' Failed: broken: .*: EIO ' ' Copied wrongly: wrong\.' ' Not first: '
tr -d '\n' <p | sed 's/.*<style>//; s/@media.*//' | tr '}' '\n' >css
holds "... what moved nothing is empty, and the others are filled" css '^\.apart\{fill:none;stroke:#' '^\.best\{fill:#' '^\.alike\{fill:#' '^\.slower\{fill:#'
{ echo "# interrupted: by A & B <then>" && echo "# warning_steal: the <host> stole" && cat a.csv; } >warned.csv
picture "an interrupted run with warnings" warned.csv -v
holds "... has both" is_words ' Interrupted by A & B <then>\. ' ' Warning: the <host> stole\. '
picture "... --quiet" warned.csv -q
lacks "... leaves out the warnings, the machine and the recommendation" is_words 'Warning|A & B,|Use |n/a: |more notes'
holds "... not what failed" is_words ' Failed: broken: ' ' Interrupted '
for kinds in "first,alike best: recommended, alike: ~ may be the fastest" "slow,first best: recommended, slower: slower" \
	"cloned,first best: recommended, apart: no data moved" "first best: recommended" "looked,cloned "; do
	picture "only ${kinds%% *}" a.csv -s "${kinds%% *}"
	is "... the legend has these alone" "$(cat is_legend)" "${kinds#* }"
done
lacks "no row is ranked: no axis, no median, and no recommendation" is_words 'higher is better|Use |moved median'
picture "no row is timed" a.csv -s refused,broken,short,wrong
is "... there is no bar" "$(cat is_rows)$(cat is_legend)" ""
holds "... it says why" is_words ' n/a: refused: .*: EXDEV\. ' ' Failed: broken: .* EIO ' ' Copied wrongly: wrong\.'
lacks "... no legend and no axis" is_words 'recommended|higher is better'
sed '/^# size/d' a.csv >unsized.csv
picture "an unknown size" unsized.csv -s 'first,alike,slow'
is "... speeds are relative to the fastest row's" "$(cat is_axis)" "speed, the fastest row's being 1 0 0.5 1"
is "... bars and axis" "$(svg geometry p 0 1000000 first=1100000,1030000,1000000 alike=1500000,1020000,1010000 slow=5000000,4100000,4000000)" ""

# Units and labels, and memcpy.
while read -r size best labels; do
	printf '%s\n' "# size: $size" "a $best $best $best" "b $((2 * best)) $((2 * best + 1)) $((3 * best))" | csv >b.csv
	picture "$size bytes in $best ns" b.csv
	is "... units and labels" "$(cat is_axis)" "$labels"
	is "... bars and axis" "$(svg geometry p "$size" "$best" "a=$best,$best,$best" "b=$((3 * best)),$((2 * best + 1)),$((2 * best))")" ""
done <<'END'
1000000 1000000 MiB/s 0 200 400 600 800
1000000 1020000 MiB/s 0 200 400 600 800
30000000 1000000 GiB/s 0 10 20
1000000 1000 GiB/s 0 200 400 600 800
400000 1000000 MiB/s 0 100 200 300
1000000 1000000000 MiB/s 0 0.2 0.4 0.6 0.8
1000 4000000 MiB/s 0 0.05 0.1 0.15 0.2
END
while read -r ns at; do
	printf '%s\n' "# size: 1000000" "# memcpy_bytes: 2000000" "# memcpy_ns: $ns" "a 1000000 1000001 1000002" "b 2000000 2000001 2000002" | csv >b.csv
	picture "memcpy that takes $ns ns for twice as much" b.csv
	is "... its line and words" "$(sed 1d is_axis)" "$at"
done <<'END'
4000000 49.5% memcpy 477 MiB/s
2000000 99.0% memcpy 954 MiB/s
1000000 99.0% memcpy 1.86 GiB/s
801000 99.0% memcpy 2.33 GiB/s
799000 100.0% memcpy 2.33 GiB/s >
50000 100.0% memcpy 37.3 GiB/s >
END
sed 's/^# memcpy_ns.*/# memcpy_ns: 1000000/' b.csv >c.csv
picture "memcpy that is twice as fast" c.csv
is "... bars leave it room" "$(svg geometry p 1000000 500000 a=1000002,1000001,1000000 b=2000002,2000001,2000000)" ""
picture "memcpy that is forty times as fast" b.csv
is "... bars do not" "$(svg geometry p 1000000 1000000 a=1000002,1000001,1000000 b=2000002,2000001,2000000)" ""
sed 's/^# memcpy_ns.*/# memcpy_error: mmap: ENOMEM/' b.csv >c.csv
picture "memcpy that was not measured" c.csv
lacks "... is not there" is_words memcpy
sed '/^# size/d' b.csv >c.csv
picture "memcpy, where the size is not known" c.csv
lacks "... is not there" is_words memcpy

# Twelve runs are dots, thirteen a bar.
for k in 12 13; do
	{ echo "# size: 1000000" && seq 1000000 1000 $((999000 + 1000 * k)) | paste -sd' ' | sed 's/^/a /' | csv; } >many.csv
	picture "$k runs" many.csv
	is "... $([ $k = 12 ] && echo "a dot each" || echo "one bar")" "$(grep -c '<circle' p) $(grep -c '<rect[^>]*class="best"' p)" "$([ $k = 12 ] && echo "12 1" || echo "0 2")"
	is "... where they should be" "$(svg geometry p 1000000 1000000 a=$((999000 + 1000 * k)),$((999500 + 500 * k)),1000000)" ""
done

# In a race rows that left early are below, and one of them may have had the best run.
csv >race.csv <<'END'
# race: 40
# size: 1000000
early 800000 810000
a 900000 1000000 1000000 1000000 1000000 1000000 1000000 1100000
b 920000 950000 950000 950000 950000 950000 950000 960000
late 955000 1075000
END
picture "a race" race.csv
is "... finalists first, by their best runs, and those that left with their runs" "$(cut -d'|' -f1,2,4 <is_rows | tr '\n' ' ')" \
	"slower|a| best|b|(+ 2.2%) ~ alike|early|(2 runs) ~ alike|late|(2 runs) ~ "
is "... the fastest run of all is at the end" "$(svg geometry p 1000000 800000 early=810000,805000,800000 a=1100000,1000000,900000 \
	b=960000,950000,920000 late=1075000,1015000,955000)" ""
holds "... it says that it was one" is_words ' Use b: .* Not a: best run 0\.900ms, but its median is 5 % behind\..* a race of 40 runs'

# An input that rows wait for, and percentages as long as they come.
csv >bound.csv <<'END'
# size: 1000000
# input: pipe
# source_ns: 1000000
first 1000000 1000001 1000002
second 1000100 1000002 1000000
third 1050000 1060000 1070000
far 3504840000 3504840001 3504840002
END
picture "rows that wait for their input" bound.csv
is "... are marked for it" "$(cut -d'|' -f2,4 <is_rows | tr '\n' ' ')" "first|~* second|(+ 0.0%) ~* third|(+ 5.0%) * far|(> 9999%) "
holds "... what that means is explained" is_words '\*: 3 of 4 rows waited for the input, which gives 954 MiB/s alone'
printf '%s\n' "# source_ns: 999999999" "a 100000" "b 350484000" | csv >bound.csv
picture "the longest that is there" bound.csv
is "... is there" "$(cut -d'|' -f4 <is_rows | sed 1d)" "(> 9999%) ~*"

# Names and words of all kinds.
long=$(printf '%0300d' 0 | tr 0 n)
forty=$(echo "$long" | cut -c1-40)
{
	printf '# heading: a & b < c > "d" '"'e'"' $f ]]> --> \\ \303\251 \377 <script>alert(1)</script> &amp; %s\n' "kernel=1.0"
	printf '# cpu: <cpu> & "co" ]]>\n# cpus: <1>\n# version: <v>\n'
	printf 'row,round,ns,outcome\n'
	printf '%s,1,1000,ok\n' "$forty" "${forty}n" "$long" '"$ cat # &<>""'"'"'$x ]]> --> \ &lt; <!--"' "$(printf '$ \303\251 \377\200 \302\205 \357\277\276')" \
		'</title></text><script>alert(1)</script>' '"x"" onload=""alert(1)"' '<![CDATA[' '"#x"' "$(printf 'a\tb')" '%s%n'
	printf '%s_x,1,,failed exit 3\n' "$long" '<&>'
} >odd.csv
picture "rows of odd names" odd.csv
is "... the heading is whole" "$(sort -u is_heading)" 'a & b < c > "d" '"'e'"' $f ]]> --> \ \xc3\xa9 \xff <script>alert(1)</script> &amp; kernel=1.0'
is "... a name of 40 characters is whole" "$(grep -Fc "|$forty|" is_rows)" 1
is "... longer ones are cut" "$(grep -Fc "|$(echo "$long" | cut -c1-37)...|" is_rows)" 2
holds "... words below, too" is_words '^.* Failed: <&>_x, nnn.*n\.\.\.: exit status 3\.' ' <cpu> & "co" \]\]>, <1> CPUs; <v>\.$'
map "... two of them" odd.csv odd.csv
map "... and three" odd.csv odd.csv odd.csv
is "... the same names" "$(sed 's/ [-+0-9.]*[%mu]*s*~*\/s.*//; s/ failed.*//' is_cells | sort)" \
	"$({ "$wb" --compare odd.csv | sed '1,/^row /d;/^$/,$d' | cut -c1-40 | sed 's/ *$//' && printf '%s\n' "$(echo "$long" | cut -c1-37)..." '<&>_x'; } | sort)"
cp a.csv 'a&<b>"'"'"'$x ]]>-->\.csv'
cp a.csv "$(printf '\303\251\377\t\033\n.csv')"
sed '/^# heading/d' a.csv >"$(printf '\303\251<&>.csv')"
for file in 'a&'* "$(printf '\303\251\377\t\033\n.csv')" "$(printf '\303\251<&>.csv')"; do
	printable=$(printf '%s' "$file" | perl -pe 's/[^ -~]/sprintf "\\x%02x", ord $&/ge')
	picture "a file called $printable" "$file"
	map "... and another" "$file" a.csv
	map "... and two more" "$file" a.csv warned.csv -v
	grep -Fq ": $printable: " is_words
	is "... is named below" $? 0
done
sed "1s/.*/# heading: $(printf '%0200d' 0 | sed 's/0000/0001, /g'), kernel=1.0/" a.csv >headed.csv
picture "a heading of many words" headed.csv
is "... is all there, in several lines" "$(uniq is_heading | wc -l) $(grep -c 'font-size="14"' p)" "1 5"
sed "1s/.*/# heading: $(printf '%0200d' 0), $(printf '%0100d' 1)/" a.csv >headed.csv
picture "a heading of words that no line has room for" headed.csv
is "... is all there" "$(tr -d ' ' <is_heading | uniq)" "$(printf '%0200d' 0),$(printf '%0100d' 1)"
cp odd.csv "$long.csv" 2>/dev/null || cp odd.csv "$(echo "$long" | cut -c1-200).csv"
map "a file whose name no line has room for" a.csv nnn*.csv

# Several files. Scores from 1 to 1000 times the winner's, and all outcomes.
steps 1000000 >one.csv
csv >two.csv <<'END'
# heading: Two
winner 2000000 2000001 2000002
upto1.1 2010000 2000001 2000002
above1.1 19988000 19988001 19988002
upto1.5 19990000 19990001 19990002
above1.5 199898000 199898001 199898002
upto2 199900000 199900001 199900002
above2=shared 10 20 30
upto4=n/a_EXDEV 1
above4=failed_short 1
more=mismatch 1
touched=untouched 10 20 30
END
map "three files" one.csv two.csv one.csv
is "... how far each row is behind its file's fastest, and the shades" "$(cat is_cells)" "winner 1.00ms~/s0 2.00ms~/s0 1.00ms~/s0
upto1.1 +10.0%/s0 +0.0%~/s0 +10.0%/s0
above1.1 +10.0%/s1 +899%/s4 +10.0%/s1
upto1.5 +50.0%/s1 +900%/s4 +50.0%/s1
above1.5 +50.0%/s2 +9895%/s4 +50.0%/s2
upto2 +100%/s2 +9895%/s4 +100%/s2
above2 +100%/s3 shared +100%/s3
upto4 +300%/s3 n/a +300%/s3
above4 +300%/s4 failed +300%/s4
touched - untouched -
more - mismatch -"
is "... the legend has all shades" "$(cat is_legend)" "s0: up to 10 % behind, s1: 50 %, s2: 100 %, s3: 300 %, s4: more"
holds "... it has a title" is_heading '^Time relative to the fastest row, by file system$'
holds "... and its columns" is_words " system 1 2 3 winner "
holds "... which are explained below, since two have one name" is_words ' 1: one\.csv: Steps\. 2: two\.csv: Two\. 3: one\.csv: Steps\. ' " Each column: its fastest row's best run, and how far "
map "three files of names of their own" one.csv two.csv a.csv
holds "... they are the columns" is_words " system one two a winner "
lacks "... and stand nowhere else" is_words '\.csv'
# changes: of a map of two files, and the text report's
changes() {
	is "... what has changed is the text report's" "$(sed 's/ *$//' is_cells)" "$("$wb" --compare "$@" | sed '1d;/^$/,$d' | tr -s ' ')"
}
map "two files" one.csv two.csv
changes one.csv two.csv
printf '%s\n' "# heading: Before" "a 1000000 1000001 1000002 1000003 1000004 1000005" "b 2000000 2100000 2200000 2300000 2400000 2500000" \
	"c 1000 1010 1020 1030 1040 1050" "d 100000 100000 100000 100000 100000 100000" "e 1000 1001 1002 1003 1004 1005" | csv >six.csv
printf '%s\n' "# heading: Behind" "a 1000004 1000005 1000006 1000002 1000001 1000000" "b 1900000 1800000 1700000 1600000 1500000 1400000" \
	"c 99990 99900 99800 99950 100500 101050" "d 10350000 10350000 10350000 11350000 11350000 12350000" "e 5000000 6000000 7000000 8000000 9000000 9000000" | csv >more.csv
map "two files with intervals, also of numbers with many digits" six.csv more.csv
changes six.csv more.csv
is "... all three kinds of change" "$(sed 's/.* //' is_cells | sort -u | tr '\n' ' ')" "faster slower ~ "
for place in here there; do
	sed "1a # output: file on $place" one.csv >$place.csv
done
"$wb" --compare here.csv there.csv -f markdown >md
is "two places: side by side" "$(sed -n '1p;4p' md)" "| row | here | there |
| upto1.1 | +10.0% | +10.0% |"
lacks "... nothing has changed from one to the other" md 'change |faster|slower'
map "... or drawn" here.csv there.csv
is "... with no more columns" "$(sed -n 2p is_cells)" "upto1.1 +10.0%/s0 +10.0%/s0"
"$wb" --compare here.csv here.csv -f markdown >md
holds "one place: what has changed" md '^\| row \| 1 \| 2 \| change \|'
map "races" race.csv one.csv race.csv
is "... rows that left are not shaded" "$(sed -n '1,4p' is_cells)" "a 0.900ms/s0 - 0.900ms/s0
b +2.2%~/s0 - +2.2%~/s0
early left~ - left~
late left~ - left~"
sed 's/winner/loser/; s/upto4/winner/' one.csv >other.csv
printf 'row,round,ns,outcome\nwinner,1,1000,shared\nupto2,1,,n/a EXDEV\n' >none.csv
map "files with other winners, and one without" one.csv other.csv none.csv
is "... each has its own" "$(grep -E '^(winner|loser|upto2|upto4) ' is_cells)" "winner 1.00ms~/s0 +300%/s3 shared
upto2 +100%/s2 +100%/s2 n/a
upto4 +300%/s3 - -
loser - 1.00ms~/s0 -"
map "... or two" none.csv one.csv
steps 30000 >fine.csv
map "shades of 30000 ns" fine.csv one.csv fine.csv
is "... are the same" "$(sed 's/ [^ ]*\// /g' is_cells)" "$("$wb" --compare one.csv one.csv one.csv -f svg >p; svg look p; sed 's/ [^ ]*\// /g' is_cells)"
for name in name twelve_chars; do
	for i in $(seq 40); do
		cp one.csv "$(printf %.10s $name)$i.csv"
	done
	for k in 3 5 8 13 40; do
		# shellcheck disable=SC2046
		map "$k files called $name" $(seq -f "$(printf %.10s $name)%g.csv" $k)
		is "... $((k * 9)) cells" "$(tr ' ' '\n' <is_cells | grep -c /s)" "$((k * 9))"
	done
done

# Live runs, with commands of odd names that fail and say garbage.
bytes 65536 >X
live() { # DESCRIPTION STATUS OPTION...: leaves its picture in "p"
	what=$1 status=$2
	shift 2
	run "$status" "$what" "$wb" -p0 -n2 -f svg -o p "$@" <X >Y
	n=$((n + 1))
	cp p pictures/$n.svg
	is "... its picture is sound" "$(svg look p)" ""
}
live "all rows" 0
is "... heading: the size, and the kernel" "$(uniq is_heading | grep -c ", filesize=64KiB, kernel=$(uname -r)\$")" 1
until_catching() { # PID SIGNAL: until its handler is there, before which SIGINT is ignored
	case $2 in HUP) bit=0 ;; INT) bit=1 ;; TERM) bit=14 ;; esac
	for _ in $(seq 1200); do
		caught=$(sed -n 's/^SigCgt:[[:space:]]*0*//p' "/proc/$1/status" 2>/dev/null)
		[ $((0x${caught:-0} >> bit & 1)) = 0 ] || return 0
		sleep 0.025
	done
	return 1
}
"$wb" -p 0.02 -n 10000 -s 'send*,read+write 1k' -f svg -o p <X >Y 2>err &
pid=$!
until_catching $pid INT
sleep 0.2 # some runs; how many, does not matter
kill -INT $pid
wait $pid
is "an interrupted run" "$? $(svg look p)" "130 "
holds "... says so" is_words ' Interrupted by SIGINT after '
cp p pictures/interrupted.svg
live "commands" 1 -s 'send*,read+write 1k' -w 'cat # &<>"'"'"'$x ]]> --> \'"$(printf '\303\251\377\001\033')" -w "cat #$long" \
	-w 'printf "\001\377\033[31m<&>]]>\\000\\n" >&2; exit 3' -w "printf '%s' '<script>&' >&2; kill -9 \$\$" -w 'head -c 10' -w 'head -c 65536 /dev/zero'
is "... their rows" "$(grep -Fc '|$ cat #' is_rows)" 2
holds "... what became of them" is_words ': exit status 3: .*<&>\]\]>' ': killed by signal 9: <script>&\.' ' Copied wrongly: '
run 0 "on standard error, too" "$wb" -p0 -n1 -s sendfile -f svg <X >Y
cp err pictures/err.svg
is "... a picture is sound" "$(svg look err)" ""
is "... of one row, which one run does not recommend" "$(sed 's/|[0-9.]*[mu]*s|/|time|/' is_rows)" "alike|sendfile|time|~"

# All of these again, by another reader of XML.
if have xmllint; then
	run 0 "xmllint reads all pictures" xmllint --nonet --noout pictures/*.svg
	is "... without a warning" "$(cat err)" ""
else
	skip "xmllint" "no xmllint"
fi

# Read back.
at_once svg -n3 -s 'send*,read+write*,reflink,direct*'
at_once svg --race -s 'send*,read+write*'
at_once svg -n3 --tee=Z
at_once svg -n2 --counters -s 'send*,read+write 1k'
at_once svg -n2 --in-order --overwrite -s 'send*,reflink,read+write 1k'
at_once svg -n2 --tee=/dev/full -s '*sparse*,read+write x2 8k,splice*,tee*'
