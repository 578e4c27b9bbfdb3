#!/bin/sh
# Pictures: -f svg of one report and of several, and that all of it is what
# the text report says. Reports are made by hand where figures count.
# Tried: it fails where text is not escaped; the axis is too long; the median stands at the best run; the legend has kinds
# Tried: that are not there; memcpy's words begin at its line; all runs are one dot; many runs are dots; text has no size of
# Tried: its own; a shade begins too late; a command's runs are dots; the axis is not cut.
# shellcheck disable=SC2016,SC1003
. "$(dirname "$0")/tap.sh"
. "$top/tests/processes.sh"
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

# Several files in Markdown. Runs are apart, so that only the first rows are marked.
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
import re, sys
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
		for name in [] if self.of_changes() else self.names(): # a row of one report: what is on its name's line, if a dot, a bar or a word is
			mine = [t for t in self.things if abs(t.mid - name.mid) < 9 and (t.tag != 'path' or set(t.cls) & {'median', 'cut'})]
			if any(t.tag != 'text' and set(t.cls) & {'best', 'alike', 'slower'} or is_word(t) for t in mine):
				for t in mine: t.row = name
	def of_changes(self): # of two reports: each row's runs in both
		return any(t.text == 'no significant change' for t in self.texts)
	def names(self): # of rows: texts of the table at the left margin; those of commands have a class
		return [t for t in self.texts if abs(t.x0 - 14) < 0.1 and t.cls in ([], ['command']) and t.size == 12]
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
	def path(self, e): # a stroke; a triangle, which points to the left or right; or the two slanting strokes of an axis that is cut
		x, y, shape = re.fullmatch(r'M(\S+) ([^hvl]+)(.*)', e.get('d')).groups()
		x, y = float(x), float(y)
		if shape in ('v10l9 -5z', 'v10l-9 -5z'): return [min(x, x + int(shape[4:-4])), y, max(x, x + int(shape[4:-4])), y + 10]
		if shape == 'l4 -10m2 10l4 -10': return [x, y - 10, x + 10, y]
		way, n = shape[0], shape[1:]
		n = float(n)
		if n < 0 or way not in 'hv': raise ValueError('a stroke backwards')
		return [x, y, x + (n if way == 'h' else 0), y + (n if way == 'v' else 0)]
	def bars(self): # a row's: its texts, its dots, squares or bar, or the word in their place, median
		for name in self.names():
			mine = [t for t in self.things if t.row == name]
			if mine: yield ([name] + [t for t in mine if t.tag == 'text' and t is not name and not is_word(t)],
				[t for t in mine if t.tag in ('rect', 'circle') or is_word(t)], [t for t in mine if 'median' in t.cls])
	def cut(self, name): # is the axis cut on a row's line?
		return any(t.row == name and 'cut' in t.cls for t in self.things)
	def is_mark(self, t): # a dot, or a triangle
		return t.tag == 'circle' or t.tag == 'path' and t.e.get('d').endswith('z')
	def is_key(self, r): # of the legend
		return r.tag == 'rect' and not r.row and round(r.x1 - r.x0) == 22
	def legend(self): # boxes or shapes, each with its words
		for r in self.things:
			if self.is_key(r) or self.is_mark(r) and not any(abs(name.mid - r.mid) < 9 for name in self.names()):
				yield r.cls[0], next(t.text for t in self.texts if t.e.get('y') and abs(t.mid - r.mid) < 4 and 0 < t.x0 - r.x1 < 10)
def is_word(t): # in the place of dots
	return t.tag == 'text' and t.cls == ['note'] and t.text in ('shared', 'untouched')
def is_square(m): # a run of a command
	return m.tag == 'rect' and abs(m.x1 - m.x0 - 7) < 0.01 and abs(m.y1 - m.y0 - 7) < 0.01
def kind(marks):
	return 'apart' if is_word(marks[0]) else marks[0].cls[0]
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
	if '--verbose' in p.raw: yield 'an option that pictures do not have'
	if 'higher is better' in p.raw: x, w = scale(p)[:2]
	else: x, w = 0, width
	if w < width * (0.4 if p.of_changes() else 0.5): yield 'too little of the width is plotted: %.1f of %g' % (w, width)
	for t in p.things:
		if t.tag != 'text' and not p.is_key(t) and t.y0 > 60 and (t.x0 < x - 5.1 or t.x1 > x + w + 5.1) and w < width: yield '%s beyond the axis' % t.tag
	for i, t in enumerate(p.texts):
		for u in p.texts[i + 1:]:
			if overlap(t, u, 3.5 if abs(t.mid - u.mid) < 3 else 0): yield '%s over %s' % (t.text[:60], u.text[:60])
		for r in p.rects:
			if r.row:
				if overlap(t, r): yield '%s over a bar' % t.text[:60]
			elif overlap(t, r) and (t.x0 < r.x0 or t.x1 > r.x1): yield '%s wider than its cell' % t.text[:60]
		for c in p.things:
			if p.is_mark(c) and overlap(t, c): yield '%s over a dot' % t.text[:60]
	for texts, marks, medians in p.bars():
		name, apart = texts[0].text, kind(marks) == 'apart'
		if {m.tag for m in marks} != {'circle'} and not all(map(is_square, marks)) and len(marks) != 1: yield 'not dots, squares or one bar: ' + name
		if len({m.cls[0] for m in marks}) != 1 or len(medians) != (not apart): yield 'not one kind, or not one median: ' + name
		if any(abs(m.mid - texts[0].mid) > 3 for m in marks + medians): yield 'a bar off its row: ' + name
		if not 2 <= len(texts) <= 3 or texts[0].x0 >= marks[0].x0: yield 'not a row: ' + name
def look(file): # what is wrong with it; what the functions below find in it goes to files of their names
	try:
		p = Picture(file)
		for said in sorted(set(problems(p)))[:6]: print(said)
	except Exception as e:
		print(e)
		p = None
	for look_for in rows, words, heading, legend, axis, cells, changes:
		with open('is_' + look_for.__name__, 'w', encoding='utf-8') as out:
			if p and (look_for != cells or not p.of_changes()) and (look_for != axis or 'higher is better' in p.raw): look_for(p, out)
def rows(p, out): # class, name, best and marks, from top to bottom
	for texts, marks, _ in sorted(p.bars(), key=lambda b: b[0][0].y0):
		print('|'.join([kind(marks), texts[0].text, texts[1].text, ' '.join(t.text.strip() for t in texts[2:])]), file=out)
def dots(file, report): # a row that has not a dot for each of its runs in the JSON report, a square of a command's, one bar for many, or a word
	import json
	runs = [(r['row'], r['outcome'], len(r['runs_ns'])) for r in json.load(open(report, encoding='utf-8', errors='replace'))['rows'] if r['runs_ns']]
	bars = sorted(Picture(file).bars(), key=lambda b: b[0][0].y0)
	if len(bars) != len(runs): print('rows')
	for (_, marks, _), (name, outcome, n) in zip(bars, runs):
		if outcome != 'ok': right = is_word(marks[0]) and marks[0].text == outcome
		elif n > 12: right = [m.tag for m in marks] == ['rect']
		else: right = len(marks) == n and all(is_square(m) if name.startswith('$ ') else m.tag == 'circle' for m in marks)
		if not right: print('not a dot or square a run, a bar of many, or a word:', name)
	for name in Picture(file).names():
		if ('command' in name.cls) != name.text.startswith('$ '): print('another class than its kind:', name.text)
def words(p, out): # all text that is in no row, in one line
	print(' '.join(t.text for t in p.texts if not t.row), file=out)
def words_of(file): # rows that have a word in place of a bar
	for texts, marks, _ in Picture(file).bars():
		if is_word(marks[0]): print('%s: %s' % (texts[0].text, marks[0].text))
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
	at = lambda ns: x + width * min(1, full / (1.01 * ns))
	bars = {b[0][0].text: b for b in p.bars() if kind(b[1]) != 'apart'}
	for (name, *_), (word, *_), _ in p.bars():
		if is_word(word) and abs(word.x0 - x) > 10: print('a word that does not begin with the axis:', name.text)
	if len(bars) != len(known): print('rows')
	for row in known:
		name, ns = row.split('=')
		worst, median, best = map(float, ns.split(','))
		_, marks, (line,) = bars[name]
		dots = marks[0].tag == 'circle' or is_square(marks[0])
		if p.cut(bars[name][0][0]) != (full > 1.01 * best): print('the axis is cut, or is not, at', name)
		first, last = (min(m.at for m in marks), max(m.at for m in marks)) if dots else (marks[0].x0, marks[0].x1)
		for what, got, wanted in (('worst', first, at(worst)), ('median', line.at, at(median)), ('best', last, max(at(best), at(worst) + (not dots)))):
			if abs(got - wanted) > 0.2: print(name, what, got, wanted)
	for t in p.texts:
		if abs(t.mid - zero.mid) < 1:
			wanted = at(full / float(t.text)) if rel and float(t.text) else at(size / (float(t.text) * GIB[unit])) if float(t.text) else x
			if abs(t.at - wanted) > 0.2: print('label', t.text, t.at, wanted)
			if not any(abs(s.at - t.at) < 0.2 for s in p.things if 'grid' in s.cls and s.x0 == s.x1): print('no grid at', t.text)
def runs_of(p, name): # in a picture of changes: dots, squares or bars of a row by class, and its other texts
	line = [t for t in p.things if abs(t.mid - name.mid) < 6 and t is not name]
	marks = [t for t in line if t.tag in ('circle', 'rect')]
	return {c: [m for m in marks if m.cls[0] == c] for c in {m.cls[0] for m in marks}}, [t.text for t in line if t.tag == 'text'], line
def changes(p, out): # each row's name, colours, and words, from top to bottom
	for name in p.names():
		by, texts, _ = runs_of(p, name)
		print('|'.join([name.text, ' '.join(sorted(by)), *texts]), file=out)
def changed(file, report): # what is off in a picture of changes: the JSON report has outcomes, runs, medians, and what has changed
	import json
	p = Picture(file)
	all_of = json.load(open(report))
	x, width, unit, zero = scale(p)
	label = next(t for t in p.texts if abs(t.mid - zero.mid) < 1 and float(t.text) > 0)
	at = lambda r, one: x + min(width, (label.at - x) / float(label.text) * ((r['bytes'] or 0) / r['median_ns'] / GIB[unit] if unit in GIB else one / r['median_ns']))
	ones = {k * r['best_ns'] for r in all_of['rows'] if r['best_ns'] for k in (1, 0.8)} # without a size: which time is that of 1? 0.8: the axis is cut
	rows = {}
	for r in all_of['rows']: rows.setdefault(r['row'], {})[r['file']] = r
	if [n.text for n in p.names()] != list(rows): print('other rows')
	for name in p.names():
		by, texts, line = runs_of(p, name)
		old, new = ([r if r and r['outcome'] == 'ok' else None for r in (rows[name.text].get(f['file']) for f in all_of['files'])])
		colour = {'faster': 'better', 'slower': 'worse'}.get(new['change'], 'best') if new else None
		for r, c in (old, 'slower'), (new, colour):
			n = len(by.get(c, [])) if c else 0
			if n != (0 if not r else r['runs'] if r['runs'] <= 12 else 1): print(name.text, 'has', n, 'of', c)
			if r: ones = {one for one in ones if any(abs(t.at - at(r, one)) < 1 for t in line if 'median' in t.cls)}
		if set(by) - {'slower', colour}: print(name.text, 'has other colours')
		if len(texts) != 1 or ', was ' not in texts[0]: print(name.text, 'says', texts)
		if ('command' in name.cls) != name.text.startswith('$ '): print('another class than its kind:', name.text)
	if not ones: print('medians are off')
# Requests, each a line with the number of its words, and these, a line each; the answer is in the file answer before a line says so.
for number in sys.stdin:
	words_asked = [sys.stdin.readline()[:-1] for _ in range(int(number))]
	with open('answer', 'w') as sys.stdout:
		try: globals()[words_asked[0]](*words_asked[1:])
		except Exception as error: print(repr(error))
	print('', file=sys.__stdout__, flush=True)
END
mkfifo ask answered
python3 -S -E svg.py <ask >answered 3>&- & # one process for all: it takes longer to start than to answer
undo="kill $!"
exec 8>ask 9<answered
svg() { # FUNCTION ARGUMENT...: what it prints
	printf '%s\n' $# "$@" >&8
	read -r _ <&9 || echo "svg.py has died"
	cat answer
}
# The rows of a text report, as svg.py has them, without how far they are behind: a name has 40 characters, of which a picture has
# 36, and a share of a CPU may be the last.
table() { # TEXT RECOMMENDED
	sed '1,/^row /d;/^$/,$d' "$1" | awk -v recommended="$2" '{
		name = substr($0, 1, 40); sub(/ +$/, "", name)
		rest = substr($0, 41); sub(/^ +/, "", rest); split(rest, f, / +/)
		sub(/^[^ ]+ +[^ ]+ +[^ ]+ */, "", rest); sub(/ *[0-9]+%$/, "", rest); apart = rest ~ /^\([a-z]/
		sub(/^\([^)]*\) */, "", rest)
		if (length(name) > 36) name = substr(name, 1, 33) "..."
		print (apart ? "apart" : name == recommended ? "best" : rest ~ /~/ ? "alike" : "slower") "|" name "|" f[1] "|" rest }'
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
	"apart|cloned| apart|looked| alike|first|~ best|alike|~ slower|slow| slower|late| "
is "... bars and axis" "$(svg geometry p 1048576 1000000 first=1100000,1030000,1000000 alike=1500000,1020000,1010000 \
	slow=5000000,4100000,4000000 late=350480000002,350480000001,350480000000)" ""
is "... of these labels, and no memcpy" "$(cat is_axis)" "MiB/s 0 500 1000"
is "... the legend has each kind" "$(cat is_legend)" \
	"best: recommended, alike: ~ may be the fastest, slower: slower"
is "... the heading, and again as the title" "$(cat is_heading)" "$(for _ in 1 2; do echo "Ext9, a disk, filesize=1MB, kernel=1.0"; done)"
holds "... the recommendation and what became of the others is below" is_words \
	' Use cloned: it shares the blocks, 6\.00us\. If the bytes must be copied: alike: median 1\.02ms, 980 MiB/s\. .* Not first: best run 1\.00ms, but ' \
	' Failed: broken: .*: EIO ' ' Failed, moving too few bytes .*: short\.' ' Copied wrongly: wrong\.' ' [0-9]+ more notes\. '
holds "... and where they ran" is_words ' A & B, 3 CPUs, 7GiB; write-bench 9\.$'
picture "... --verbose" a.csv -v
holds "... has all of it" is_words ' Not ranked, since blocks are shared and no data moved: cloned\. ' ' Not ranked, since neither .*: looked\. ' \
	' n/a: refused: .*: EXDEV\. ' ' Failed: broken: .*: EIO ' ' Copied wrongly: wrong\.' ' Not first: '
tr -d '\n' <p | sed 's/.*<style>//; s/@media.*//' | tr '}' '\n' >css
is "... a word is where what moved nothing would have a bar" "$(svg words_of p | tr '\n' ' ')" "cloned: shared looked: untouched "
holds "... the others are filled, and commands have a colour of their own" css '^text\.command\{fill:#' '^\.best\{fill:#' '^\.alike\{fill:#' '^\.slower\{fill:#'
{ echo "# interrupted: by A & B <then>" && echo "# warning_steal: the <host> stole" && cat a.csv; } >warned.csv
picture "an interrupted run with warnings" warned.csv -v
holds "... has both" is_words ' Interrupted by A & B <then>\. ' ' Warning: the <host> stole\. '
picture "... --quiet" warned.csv -q
lacks "... leaves out the warnings, the machine and the recommendation" is_words 'Warning|A & B,|Use |n/a: |more notes'
holds "... not what failed" is_words ' Failed: broken: ' ' Interrupted '
for kinds in "first,alike best: recommended, alike: ~ may be the fastest" "slow,first best: recommended, slower: slower" \
	"cloned,first best: recommended" "first best: recommended" "looked,cloned "; do
	picture "only ${kinds%% *}" a.csv -s "${kinds%% *}"
	is "... the legend has these alone" "$(cat is_legend)" "${kinds#* }"
done
lacks "no row is ranked: no axis, no median, and no row for the bytes" is_words 'higher is better|must be copied|moved median'
holds "... the advice is what shares the blocks" is_words ' Use cloned: it shares the blocks, 6\.00us\. '
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
	printf '%s\n' "# size: 32000000" "# memcpy_bytes: 64000000" "# memcpy_ns: $ns" "a 32000000 32000001 32000002" "b 64000000 64000001 64000002" | csv >b.csv
	picture "memcpy that takes $ns ns for twice as much" b.csv
	is "... its line and words" "$(sed 1d is_axis)" "$at"
done <<'END'
128000000 49.5% memcpy 477 MiB/s
64000000 99.0% memcpy 954 MiB/s
32000000 99.0% memcpy 1.86 GiB/s
25632000 99.0% memcpy 2.33 GiB/s
25568000 100.0% memcpy 2.33 GiB/s >
1600000 100.0% memcpy 37.3 GiB/s >
END
sed 's/^# memcpy_ns.*/# memcpy_ns: 32000000/' b.csv >c.csv
picture "memcpy that is twice as fast" c.csv
is "... bars leave it room" "$(svg geometry p 32000000 16000000 a=32000002,32000001,32000000 b=64000002,64000001,64000000)" ""
picture "memcpy that is forty times as fast" b.csv
is "... bars do not" "$(svg geometry p 32000000 32000000 a=32000002,32000001,32000000 b=64000002,64000001,64000000)" ""
sed 's/^# memcpy_ns.*/# memcpy_error: mmap: ENOMEM/' b.csv >c.csv
picture "memcpy that was not measured" c.csv
lacks "... is not there" is_words memcpy
sed 's/^# memcpy_bytes.*/# memcpy_bytes: 8000000/' b.csv >c.csv
picture "memcpy that stays in the caches" c.csv
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

# A row that is more than 2.5 times as fast as the next one cuts the axis, which ends a quarter behind that one.
printf '%s\n' "# size: 1000000" "far 10000 10001 10002" "a 1000000 1000001 1000002" "b 1100000 1100001 1100002" "c 1200000 1200001 1200002" |
	csv >outlier.csv
picture "an outlier" outlier.csv
is "... the axis is cut there, and the others have their places" "$(svg geometry p 1000000 800000 far=10002,10001,10000 a=1000002,1000001,1000000 \
	b=1100002,1100001,1100000 c=1200002,1200001,1200000)" ""

# Commands are squares, and their names stand out.
printf '%s\n' "# size: 1000000" "a 1000000 1000001 1000002" '$_cat 1100000 1100001 1100002' '$_cp 3000 3001 3002' | csv |
	sed 's/^\$_/$ /; s/^\(. cp,.*\)ok$/\1shared/' >commands.csv
picture "commands" commands.csv
is "... each run of one is a square, where it moved data" "$(grep -c '<circle' p) $(grep -c '<rect [^>]*width="7.0" height="7.0"' p)" "3 3"
is "... their names have a class of their own" "$(grep -o 'class="command">[$][^<]*' p | cut -d'>' -f2 | paste -sd,)" "$ cp,$ cat"
is "... what shares blocks has a word" "$(svg words_of p)" "$ cp: shared"

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
	"slower|a| best|b|~ alike|early|~ alike|late|~ "
is "... the fastest run of all is at the end" "$(svg geometry p 1000000 800000 early=810000,805000,800000 a=1100000,1000000,900000 \
	b=960000,950000,920000 late=1075000,1015000,955000)" ""
holds "... it says that it was one" is_words ' Use b: .* Not a: best run 0\.900ms, but its median is 5 % behind\..* a race of 40 runs'

# An input that rows wait for.
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
is "... are marked for it" "$(cut -d'|' -f2,4 <is_rows | tr '\n' ' ')" "first|~* second|~* third|* far| "
holds "... what that means is explained" is_words '\*: 3 of 4 rows waited for the input, which gives 954 MiB/s alone'

# Names and words of all kinds.
long=$(printf '%0300d' 0 | tr 0 n)
whole=$(echo "$long" | cut -c1-36)
{
	printf '# heading: a & b < c > "d" '"'e'"' $f ]]> --> \\ \303\251 \377 <script>alert(1)</script> &amp; %s\n' "kernel=1.0"
	printf '# cpu: <cpu> & "co" ]]>\n# cpus: <1>\n# version: <v>\n'
	printf 'row,round,ns,outcome\n'
	printf '%s,1,1000,ok\n' "$whole" "${whole}n" "$long" '"$ cat # &<>""'"'"'$x ]]> --> \ &lt; <!--"' "$(printf '$ \303\251 \377\200 \302\205 \357\277\276')" \
		'</title></text><script>alert(1)</script>' '"x"" onload=""alert(1)"' '<![CDATA[' '"#x"' "$(printf 'a\tb')" '%s%n'
	printf '%s_x,1,,failed exit 3\n' "$long" '<&>'
} >odd.csv
picture "rows of odd names" odd.csv
is "... the heading is whole" "$(sort -u is_heading)" 'a & b < c > "d" '"'e'"' $f ]]> --> \ \xc3\xa9 \xff <script>alert(1)</script> &amp; kernel=1.0'
is "... a name of 36 characters is whole" "$(grep -Fc "|$whole|" is_rows)" 1
is "... longer ones are cut" "$(grep -Fc "|$(echo "$long" | cut -c1-33)...|" is_rows)" 2
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
is "... is all there, in several lines" "$(uniq is_heading | wc -l) $(grep -c 'font-size="14"' p)" "1 4"
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
upto1.1 +10.0%~/s0 +0.0%~/s0 +10.0%~/s0
above1.1 +10.0%~/s1 +899%/s4 +10.0%~/s1
upto1.5 +50.0%/s1 +900%/s4 +50.0%/s1
above2 +100%/s3 shared +100%/s3
above1.5 +50.0%/s2 +9895%/s4 +50.0%/s2
upto2 +100%/s2 +9895%/s4 +100%/s2
touched - untouched -
upto4 +300%/s3 n/a +300%/s3
above4 +300%/s4 failed +300%/s4
more - mismatch -"
is "... the legend has all shades" "$(cat is_legend)" "s0: up to 10 % behind, s1: 50 %, s2: 100 %, s3: 300 %, s4: more"
holds "... it has a title" is_heading '^Time relative to the fastest row, by file system$'
holds "... and its columns" is_words " system 1 2 3 winner "
holds "... which are explained below, since two have one name" is_words ' 1: one\.csv: Steps\. 2: two\.csv: Two\. 3: one\.csv: Steps\. ' " Each column: its fastest row's best run, and how far "
map "three files of names of their own" one.csv two.csv a.csv
holds "... they are the columns" is_words " system one two a winner "
lacks "... and stand nowhere else" is_words '\.csv'
# A map is sorted by mean rank; rows that are n/a in all files are named below it, once.
for file in 1 2 3; do
	printf '%s\n' "# heading: File $file" "top 100000 100001 100002" "level$file 150000 150001 150002" "odd$((file % 2)) 120000 120001 120002" \
		"even$((file % 2)) 180000 180001 180002" "never=n/a_EXDEV 1" "nowhere=n/a_EINVAL 1" "sometimes$([ $file = 2 ] || echo "=n/a_EXDEV") 130000 130001 130002" |
		csv >"rank$file.csv"
done
# Lines below are a row each: its name, its mean rank.
map "rows at different places" rank1.csv rank2.csv rank3.csv
is "... are sorted by their mean rank" "$(cut -d' ' -f1 is_cells | tr '\n' ' ')" "$("$wb" --compare rank[123].csv -f json | python3 -c '
import json, sys
rows = [r for r in json.load(sys.stdin)["rows"]]
files, names = [], []
for r in rows:
	if r["file"] not in files: files.append(r["file"])
	if r["row"] not in names: names.append(r["row"])
def rank(name, file): # as in that table; a row that has no time there is last
	there = {r["row"]: r for r in rows if r["file"] == file}
	timed = sorted((n for n in there if there[n]["best_ns"] is not None), key=lambda n: there[n]["best_ns"])
	return timed.index(name) if name in timed else len(there)
names = [n for n in names if any(r["row"] == n and r["outcome"][:3] != "n/a" for r in rows)]
print(*sorted(names, key=lambda n: sum(rank(n, f) for f in files)))') "
is "... and those that are n/a everywhere are below, each once" "$(grep -o 'n/a everywhere: [^.]*\.' is_words) $(grep -o 'never\|nowhere' p | sort | uniq -c | tr -s ' \n' ' ')" \
	"n/a everywhere: never, nowhere.  1 never 1 nowhere "
holds "... one that is n/a somewhere has its line" is_cells '^sometimes n/a .*/s[0-4] n/a$'

# Two reports of one place: each row's runs in both, the first ones grey, the second ones in the colour of what has changed.
changes() { # DESCRIPTION OLD NEW
	map "$@"
	shift
	"$wb" --compare "$@" -f json >runs
	is "... each row's runs, medians and colour are those of the JSON report" "$(svg changed p runs)" ""
}
runs6() { # NAME NS: six runs; "$_cat" is "$ cat"
	echo "$1 $2 $(($2 + $2 / 500)) $(($2 + $2 / 250)) $(($2 + $2 / 125)) $(($2 + $2 / 100)) $(($2 + $2 / 90))"
}
{ echo "# heading: Before" && for row in a b c d '$_cat' e f g h i j k l; do runs6 "$row" 1000000; done; } | csv | sed 's/^\$_/$ /' >six.csv
{ echo "# heading: Behind" && for row in a:1000500 b:1200000 c:800000 d:1100000 '$_cat:1250000' e:900000 f:1000000 g:1050000 h:1300000 \
	i:700000 j:1010000 k:990000 l:9000000; do runs6 "${row%:*}" "${row#*:}"; done; } | csv | sed 's/^\$_/$ /' >more.csv
changes "thirteen rows, one of which takes nine times as long" six.csv more.csv
is "... faster rows are green, slower ones red, others blue" "$(cut -d'|' -f1,2 is_changes | sort | tr '\n' ' ')" \
	"$ cat|slower worse a|best slower b|slower worse c|better slower d|slower worse e|better slower f|best slower g|slower worse h|slower worse i|better slower j|best slower k|best slower l|slower worse "
is "... the legend has each kind" "$(cat is_legend)" "slower: six, best: no significant change, better: faster, worse: slower"
is "... both medians are said" "$(sed -n 's/^l|.*|//p' is_changes)" "9.05ms, was 1.01ms"
holds "... what differs is said below" is_words ' 3 of 13 rows are faster, 6 slower '
sed 's/^l,\([0-9]*\),[0-9]*/l,\1,10000\1/' more.csv >less.csv
changes "thirteen rows, one of which takes a hundredth" six.csv less.csv
is "... the axis is cut for it" "$(grep -c 'class="cut"' p)" 1
{ cat one.csv && printf 'fails,1,1000,ok\nrefuses,1,1000,ok\n'; } >had.csv
{ cat one.csv && printf 'fails,1,,failed EIO\nrefuses,1,,n/a EXDEV\n'; } >has.csv
changes "rows that now fail or are n/a" had.csv has.csv
holds "... these are named" is_words 'fails' 'refuses'

for place in here there; do
	sed "1a # output: file on $place" one.csv >$place.csv
done
"$wb" --compare here.csv there.csv -f markdown >md
is "two places: side by side" "$(sed -n '1p;4p' md)" "| row | here | there |
| upto1.1 | +10.0%~ | +10.0%~ |"
lacks "... nothing has changed from one to the other" md 'change |faster|slower'
map "... or drawn" here.csv there.csv
is "... with no more columns" "$(sed -n 2p is_cells)" "upto1.1 +10.0%~/s0 +10.0%~/s0"
"$wb" --compare here.csv here.csv -f markdown >md
holds "one place: what has changed" md '^\| row \| 1 \| 2 \| change \|'
map "races" race.csv one.csv race.csv
is "... rows that left are not shaded" "$(grep -E '^(a|b|early|late) ' is_cells)" "a 0.900ms/s0 - 0.900ms/s0
b +2.2%~/s0 - +2.2%~/s0
early left~ - left~
late left~ - left~"
sed 's/winner/loser/; s/upto4/winner/' one.csv >other.csv
printf 'row,round,ns,outcome\nwinner,1,1000,shared\nupto2,1,,n/a EXDEV\n' >none.csv
map "files with other winners, and one without" one.csv other.csv none.csv
is "... each has its own" "$(grep -E '^(winner|loser|upto2|upto4) ' is_cells)" "winner 1.00ms~/s0 +300%/s3 shared
loser - 1.00ms~/s0 -
upto2 +100%/s2 +100%/s2 n/a
upto4 +300%/s3 - -"
map "... or two" none.csv one.csv
holds "... of which no row can be compared" is_words ' No row has moved data in both\.( |$)' 
steps 30000 >fine.csv
map "shades of 30000 ns" fine.csv one.csv fine.csv
is "... are the same" "$(sed 's/ [^ ]*\// /g' is_cells)" "$("$wb" --compare one.csv one.csv one.csv -f svg >p; svg look p; sed 's/ [^ ]*\// /g' is_cells)"
for name in name twelve_chars; do
	for i in $(seq 40); do
		cp one.csv "$(printf %.10s $name)$i.csv"
	done
	for k in 3 13 ${FULL:+5 8 40}; do
		# shellcheck disable=SC2046
		map "$k files called $name" $(seq -f "$(printf %.10s $name)%g.csv" "$k")
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
"$wb" -p 0.02 -n 10000 -s 'send*,read+write 1k' -f svg -o p <X >Y 2>err &
pid=$!
until_catching $pid INT
until_there sends $pid 500000 # some runs; how many, does not matter
kill -INT $pid
wait $pid
is "an interrupted run" "$? $(svg look p)" "130 "
holds "... says so" is_words ' Interrupted by SIGINT after '
cp p pictures/interrupted.svg
live "commands" 1 -s 'send*,read+write 1k' -w 'cat # &<>"'"'"'$x ]]> --> \'"$(printf '\303\251\377\001\033')" -w "cat #$long" \
	-w 'printf "\001\377\033[31m<&>]]>\\000\\n" >&2; exit 3' -w "printf '%s' '<script>&' >&2; kill -9 \$\$" -w 'head -c 10' -w 'head -c 65536 /dev/zero'
is "... their rows" "$(grep -Fc '|$ cat #' is_rows)" 2
holds "... what became of them" is_words ': exit status 3: .*<&>\]\]>' ': killed by SIGKILL: <script>&\.' ' Copied wrongly: '
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
at_once svg -n2 --tee=/dev/full -s 'read+write x2 8k,tee*'
