#!/bin/sh
# Pictures: -f svg of one report, of two, of more, and by size. All that is in one is compared with the JSON and Markdown reports of the
# same files: each run's place, each name, word, colour and shade; and nothing is over something else, or beyond the edge.
# Tried: it fails where text is not escaped, or begins where it should end; the median stands at the best run; all runs are one dot;
# Tried: thirteen runs are dots; a command's runs are dots; the legend has kinds that are not there; a shade begins too late; the axis
# Tried: does not reach to memcpy; names of curves are over each other; curves are of best runs; two reports have scales of their own.
# shellcheck disable=SC2016,SC1003
. "$(dirname "$0")/tap.sh"
. "$top/tests/replay.sh"

have python3 || skip_all "no python3"

# What is in a picture. Letters are 7.23 units wide at 12 px, as they are in most monospaced fonts.
cat >svg.py <<'END_OF_PYTHON'
import html, json, math, re, sys
import xml.etree.ElementTree as ET
GIB = 2 ** 30 / 1e9 # bytes per nanosecond
SHADES = ['up to 10% behind', '50%', '100%', '300%', 'more']
DOTS = {'best': 'recommended', 'alike': '~ may be the fastest', 'slower': 'slower'}
CHANGES = {'best': 'no significant change', 'better': 'faster', 'worse': 'slower'}
log = math.log2
class Thing:
	def __init__(self, e):
		self.tag, self.cls, self.text = e.tag.split('}')[1], (e.get('class') or '').split(), e.text or ''
		self.anchor, self.size, self.bold = e.get('text-anchor'), float(e.get('font-size', 0)), e.get('font-weight') == 'bold'
		n = lambda *keys: [float(e.get(k)) for k in keys]
		if self.tag == 'rect':
			x, y, w, h = n('x', 'y', 'width', 'height')
			if w <= 0 or h <= 0: raise ValueError('an empty box')
			xs, ys = (x, x + w), (y, y + h)
		elif self.tag == 'circle':
			x, y, r = n('cx', 'cy', 'r')
			xs, ys = (x - r, x + r), (y - r, y + r)
		elif self.tag == 'text':
			x, y = n('x', 'y')
			w = len(self.text) * 7.23 * self.size / 12
			x -= {'start': 0, 'middle': w / 2, 'end': w}[self.anchor]
			xs, ys = (x, x + w), (y - 0.75 * self.size, y + 0.2 * self.size)
		else: # a stroke, or a curve
			d = e.get('d')
			one = re.fullmatch(r'M(\S+) (\S+)([hv])(\d\S*)', d)
			self.points, self.stroke = [tuple(map(float, p.split())) for p in re.findall(r'[ML]([^MLhv]*)', d)], one is not None
			if one: self.points.append(tuple(a + (float(one[4]) if one[3] == way else 0) for a, way in zip(self.points[0], 'hv')))
			xs, ys = zip(*self.points)
		self.x0, self.x1, self.y0, self.y1 = min(xs), max(xs), min(ys), max(ys)
		self.at, self.mid = (self.x0 + self.x1) / 2, (self.y0 + self.y1) / 2
def overlap(a, b, gap=0): # texts of a line want a gap
	return min(a.x1, b.x1) - max(a.x0, b.x0) > 0.5 - gap and min(a.y1, b.y1) - max(a.y0, b.y0) > 0.5
def is_short(name, whole, most): # what is cut has dots, and its length is used
	cut = name.split('...')
	return name == whole if len(whole) <= most else len(name) == most and len(cut) > 1 and whole.startswith(cut[0]) and whole.endswith(cut[-1])
def is_line(pairs): # of numbers: is the second one made of the first by one straight line?
	if len({round(a, 6) for a, b in pairs}) < 2: return not pairs or max(b for a, b in pairs) - min(b for a, b in pairs) < 0.3
	n, sa, sb = len(pairs), sum(a for a, b in pairs), sum(b for a, b in pairs)
	k = (n * sum(a * b for a, b in pairs) - sa * sb) / (n * sum(a * a for a, b in pairs) - sa * sa)
	return max(abs(b - sb / n - k * (a - sa / n)) for a, b in pairs) < 0.3
class Picture:
	def __init__(self, file):
		self.raw = open(file, 'rb').read().decode('utf-8')
		self.root = ET.fromstring(self.raw.encode())
		self.things = [Thing(e) for e in self.root if e.tag.split('}')[1] in ('rect', 'text', 'path', 'circle') and e.get('class') != 'page']
		self.texts = [t for t in self.things if t.tag == 'text']
		self.title = self.root.find('{*}title').text
	def of(self, *classes): return [t for t in self.things if set(classes) & set(t.cls)]
	def with_text(self, text): return [t for t in self.texts if t.text == text]
	def names(self): # of rows: texts at the left margin
		return sorted((t for t in self.texts if abs(t.x0 - 14) < 0.1 and t.cls in ([], ['command']) and t.size == 12), key=lambda t: t.mid)
	def legend(self):
		return [(r.cls[0], t.text) for r in self.things if r.tag == 'rect' and round(r.x1 - r.x0) == 22
			for t in self.texts if abs(t.mid - r.mid) < 4 and 5 < t.x0 - r.x1 < 8 and t.cls == ['note']]
def unsound(p):
	known = set(re.findall(r'\.([a-z]\w*)', p.root.find('{*}style').text)) | {'d0'}
	if re.search(r'<!|<\?|\]\]>|://(?!www\.w3\.org/2000/svg")|@import|url\(|javascript:', re.sub('>[^<]*</(text|title)>', '', p.raw)): yield 'something from elsewhere'
	if re.search('[\0-\x08\x0b-\x1f\x7f\ufffe\uffff]', p.raw): yield 'a control character'
	for e in p.root.iter():
		if e.tag.split('}')[1] not in ('svg', 'title', 'style', 'path', 'rect', 'circle', 'text'): yield 'a <%s>' % e.tag
		for k, v in e.items():
			if k.lower().startswith('on') or 'href' in k.lower() or k in ('src', 'style'): yield 'an attribute ' + k
			if k == 'class' and not set(v.split()) <= known: yield 'no style for ' + v
	left, top, width, height = map(float, p.root.get('viewBox').split())
	for i, t in enumerate(p.things):
		if t.x0 < left or t.y0 < top or t.x1 > width + 0.05 or t.y1 > height: yield '%s %s beyond the edge: %.1f to %.1f of %g' % (t.tag, t.text[:60], t.x0, t.x1, width)
		if not t.text: continue
		for k, u in enumerate(p.things): # a shade is behind its text
			shade = u.cls[:1] and re.fullmatch('s[0-4]', u.cls[0]) and u.x0 <= t.x0 and t.x1 <= u.x1
			over = u.tag != 'path' or set(u.cls) & {'median', 'memcpy'} or (u.stroke and 'curve' in u.cls)
			if (k > i or u.tag != 'text') and over and not shade and overlap(t, u, 3.5 if u.tag == 'text' and abs(t.mid - u.mid) < 3 else 0): yield '%s over %s' % (t.text[:60], u.text[:60] or u.tag)
def scale(p, horizontal, values): # of speeds: what is wrong, and labels with their places; values: logarithms of what is there, in GiB/s
	grid = [t for t in p.of('grid') if t.stroke and (t.x0 == t.x1 if horizontal else t.y0 == t.y1)]
	found = [(t, [g for g in grid if abs(g.at - t.at if horizontal else g.mid - t.mid) < 3]) for t in p.of('note') if re.fullmatch(r'[0-9.e-]+', t.text) and t.anchor == ('middle' if horizontal else 'end')]
	at, bad, unit = [float(t.text) for t, g in found], [], 2 ** -10 if any(re.match('MiB/s, (higher|median)', t.text) for t in p.of('note')) else 1
	if any(len(g) != 1 for t, g in found): bad.append('a label without a line')
	if len(at) < 2 or len(grid) < 3: bad.append('%d labels, %d lines' % (len(at), len(grid)))
	digits = {('%e' % x).rstrip('0').split('e')[0].rstrip('0.') for x in at}
	if at and max(at) / min(at) > 999 and digits != {'1'}: bad.append('labels %s' % at)
	if not any(digits <= set(some) for some in (['1', '2', '5'], map(str, range(1, 10)), ['%g' % (i / 10) for i in range(10, 100)])): bad.append('labels %s' % at)
	if values and (unit < 1) != (max(values) + 0.1 < 0): bad.append('another unit')
	return bad, [(log(x * unit), g[0].at if horizontal else g[0].mid) for x, (t, g) in zip(at, found) if g]
def wrong_dots(p, reports, table): # of one report, or two
	new, old = reports[-1], reports[0] if len(reports) > 1 else None
	kinds, pairs, names = set(), [], p.names()
	rows, was = ({r['row']: r for r in s['rows']} for s in (new, old or {'rows': []}))
	shown = [row for row in dict.fromkeys([*was, *rows]) if any(r and (r['outcome'][:3] != 'n/a' if old else r['best_ns']) for r in (was.get(row), rows.get(row)))]
	if len(names) != len(shown) or len(table) != len(shown): yield 'other rows: %d, %d in the table, %d of the report' % (len(names), len(table), len(shown))
	unsized, best = not any(r['bytes'] for r in new['rows']), new['environment'].get('recommended')
	speed = lambda r, ns: log(1 / ns if unsized else r['bytes'] / ns / GIB)
	for name, row, cells in zip(names, shown, table):
		line = rest = [t for t in p.things if abs(t.mid - name.mid) < 6 and t is not name and not set(t.cls) & {'grid', 'memcpy'} and not (t.tag == 'path' and t.y1 - t.y0 > 17)]
		r, before, command = rows.get(row), was.get(row), row.startswith('$ ')
		say = lambda what: '%s: %s' % (name.text, what)
		if not is_short(name.text, row, 36) or name.cls != ['command'] * command: yield say('another name, or not its class')
		if name.bold != (command or (row == best and not old)): yield say('is bold, or is not')
		for x in before, r:
			if not x or x['outcome'] != 'ok': continue
			if x is before: kind = 'slower'
			elif old: kind = {'faster': 'better', 'slower': 'worse'}.get(x['change'], 'best')
			else: kind = 'best' if row == best else 'alike' if '~' in x['mark'] else 'slower'
			if x is r: kinds.add(kind)
			of_kind = [t for t in rest if t.cls == [kind]]
			rest = [t for t in rest if t not in of_kind]
			if x['runs'] > 12:
				if [t.tag for t in of_kind] != ['rect']: yield say('not one bar')
				else: pairs += [(speed(x, x['worst_ns']), of_kind[0].x0), (speed(x, x['best_ns']), of_kind[0].x1 - 1)]
			else:
				if [t.tag for t in of_kind] != ['rect' if command else 'circle'] * x['runs']: yield say('not a dot, or square, a run')
				pairs += zip(sorted(speed(x, ns) for ns in x['runs_ns']), sorted(t.at for t in of_kind))
		both = sorted(speed(x, x['median_ns']) for x in (before, r) if x and x['outcome'] == 'ok')
		medians = sorted(t.at for t in rest if t.cls == ['median'])
		if len(medians) != len(both): yield say('%d medians' % len(medians))
		pairs += zip(both, medians)
		words = ' '.join(t.text for t in rest if t.tag == 'text')
		if old: wanted = '%s, was %s' % tuple(cells[i] or '-' for i in (2, 1))
		elif r['outcome'] == 'ok': wanted = cells[1] + r['mark'] + '*' * (r.get('bound') == 'source')
		else: wanted = '%s %s' % (cells[1], r['outcome'])
		if words != wanted: yield say('says "%s", not "%s"' % (words, wanted))
		if any(t.cls != ['median'] and t.tag != 'text' for t in rest) or any(t.x0 < name.x1 for t in line): yield say('something else in its line, or over it')
	size, ns = new['environment'].get('memcpy_bytes', 0), new['environment'].get('memcpy_ns')
	memcpy = [t for t in p.of('memcpy') if t.tag == 'path']
	if len(memcpy) != (pairs != [] and bool(ns) and size >= 2 ** 24 and not unsized): yield '%d lines of memcpy' % len(memcpy)
	pairs += [(log(size / ns / GIB), t.at) for t in memcpy]
	copies = [[r['best_ns'] for r in s['rows'] if r['outcome'] == 'ok'] for s in reports]
	one = next((min(ns) for ns in copies if ns), 1) if unsized else 1
	bad, labels = scale(p, True, [] if unsized else [a for a, b in pairs]) if pairs else ([], [])
	yield from bad
	if not is_line(pairs + [(a - log(one), x) for a, x in labels]): yield 'something is not at its place: %s, labels %s' % (sorted(pairs)[:4], labels[:4])
	units = ["speed, the fastest row's being 1"] if unsized else ['GiB/s', 'MiB/s']
	if sum(len(p.with_text(u + ', higher is better')) for u in units) != (pairs != []): yield 'no unit'
	legend = [(k, w) for k, w in (CHANGES if old else DOTS).items() if k in kinds]
	if p.legend() != ([('slower', table.titles[1][:30])] if old and pairs else []) + legend: yield 'the legend is %s' % p.legend()
def shade_of(r, s): # of a row, if it is ranked
	if r['percent'] is None: return None
	behind = r['best_ns'] / min(x['best_ns'] for x in s['rows'] if x['percent'] is not None) * 100 - 100
	return next((i for i, most in enumerate((10, 50, 100, 300)) if behind <= most + 1e-9), 4)
def wrong_map(p, reports, table, changes):
	names, there, all_rows = p.names(), set(), {r['row'] for s in reports for r in s['rows']}
	if [t.text for t in p.texts if t.bold and t.anchor == 'middle'] != table.titles[1:]: yield 'other columns'
	if len(names) != len(table): yield '%d rows, not %d' % (len(names), len(table))
	shades = {(r['row'], k): shade_of(r, s) for k, s in enumerate(reports) for r in s['rows'] if not changes} # of two: none
	for name, cells in zip(names, table):
		rows = [row for row in all_rows if is_short(name.text, row, 40)]
		if not rows: yield 'a row of another name: ' + name.text
		if len(rows) != 1: continue # cut alike
		line = sorted((t for t in p.texts if abs(t.mid - name.mid) < 3 and t is not name), key=lambda t: t.at)
		if [t.text for t in line] != cells[1:]: yield '%s: says %s, not %s' % (name.text, [t.text for t in line], cells[1:])
		for k, t in enumerate(line):
			boxes = [b.cls[0] for b in p.things if b.tag == 'rect' and b.y0 < t.mid < b.y1 and abs(b.at - t.at) < 0.2]
			shade = shades.get((rows[0], k))
			there.add(shade)
			if boxes != ([] if shade is None else ['s%d' % shade]) or t.cls != [b.replace('s', 't') for b in boxes]: yield '%s: shade %s, text %s, not %s' % (name.text, boxes, t.cls, shade)
	if p.legend() != ([('s%d' % i, w) for i, w in enumerate(SHADES)] if there - {None} else []): yield 'the legend is %s' % p.legend()
def wrong_curves(p, reports, table):
	pairs, sizes, ends = [], [], {}
	curves = [t for t in p.of('curve') if t.tag == 'path' and not t.stroke]
	names = {' '.join(t.cls): t for t in p.texts if 'curve' in t.cls}
	most = max(len(t.text) for t in names.values())
	if len({' '.join(c.cls) for c in curves}) != len(curves): yield 'two curves are drawn alike'
	roof = lambda s: s['environment'].get('memcpy_bytes', 0) >= 2 ** 24 and s['environment'].get('memcpy_ns')
	for c in curves:
		if ' '.join(c.cls) not in names:
			yield 'a curve without a name: %s' % c.cls
			continue
		t = names[' '.join(c.cls)]
		if t.text == 'memcpy': points = [(s['rows'][0]['bytes'], s['environment']['memcpy_bytes'] / s['environment']['memcpy_ns']) for s in reports if roof(s)]
		else: points = [(r['bytes'], r['bytes'] / r['median_ns']) for s in reports for r in s['rows'] if is_short(t.text, r['row'], most) and r['outcome'] == 'ok']
		dots = [(d.at, d.mid) for d in p.things if d.tag == 'circle' and d.cls == c.cls]
		if not len(points) == len(c.points) == len(dots) or any(abs(a - b) > 0.1 for d, q in zip(dots, c.points) for a, b in zip(d, q)): yield '%s: %d points, %d dots, or elsewhere' % (t.text, len(c.points), len(dots))
		sizes += [(log(size), x) for (size, speed), (x, y) in zip(points, c.points)]
		pairs += [(log(speed / GIB), y) for (size, speed), (x, y) in zip(points, c.points)]
		if not any(s.stroke and s.cls == c.cls and abs(s.mid - t.mid) < 3 and 0 < t.x0 - s.x1 < 8 for s in p.of('curve') if s.tag == 'path'): yield '%s: no stroke before it' % t.text
		if (t.text[:2] == '$ ', t.text == 'memcpy') != ('c4' in c.cls, 'c5' in c.cls): yield t.text + ': another colour'
		ends[t.text] = c.points[-1][1]
	if sorted(ends, key=ends.get) != [t.text for t in sorted(names.values(), key=lambda t: t.mid)]: yield 'names in another order than ends'
	said = [r['row'] for s in reports for r in s['rows'] if r['row'][:2] == '$ ' and r['outcome'] == 'ok'] + ['memcpy'] * any(map(roof, reports))
	if any(not any(is_short(n, row, most) for n in ends) for row in said): yield 'not all of these have names: %s' % said
	labelled = [(s['rows'][0]['bytes'], t.at) for title, s in zip(table.titles[1:], reports) for t in p.with_text(title)]
	lines = [t for t in p.of('grid') if t.stroke and t.x0 == t.x1]
	if len(labelled) < 2 or len(lines) != len(reports) or any(all(abs(x - g.at) > 0.1 for g in lines) for size, x in labelled): yield '%d labels, %d lines of sizes' % (len(labelled), len(lines))
	bad, labels = scale(p, False, [])
	yield from bad
	if not is_line(sizes + [(log(size), x) for size, x in labelled]) or not is_line(pairs + labels): yield 'something is not at its place'
	if len(p.with_text('GiB/s, median; higher is better') + p.with_text('MiB/s, median; higher is better')) != 1: yield 'no unit'
class Table(list): # of a Markdown report, the first one
	def __init__(self, file):
		plain = lambda cell: html.unescape(re.sub(r'\\([!-/:-@[-`{-~])', r'\1', cell))
		lines = [[plain(c.strip()) for c in re.findall(r'((?:\\.|[^|\\])*)\|', l)[1:]] for l in open(file) if l.startswith('| ')]
		end = next((i for i, l in enumerate(lines) if i > 0 and l[0] == 'row'), len(lines))
		self.titles = lines[0] if lines else []
		super().__init__(lines[2:end])
for line in sys.stdin: # a picture: the files' name, of how many files, and what it is
	name, files, what = line.rstrip('\n').split(' ', 2)
	kind = 'a picture'
	try:
		p, table, reports = Picture(name + '.svg'), Table(name + '.md'), json.load(open(name + '.json'))['reports']
		places = [[s['environment'].get(k) for k in ('cpu', 'kernel', 'output')] for s in reports]
		sizes = {r['bytes'] for s in reports for r in s['rows']}
		changes = files == '2'
		if len(reports) == 1: kind, wrong, wanted = 'runs', wrong_dots(p, reports, table), reports[0]['environment']['heading']
		elif None not in sizes and len(sizes) == len(reports) and places.count(places[0]) == len(places) and not changes: kind, wrong, wanted = 'curves', wrong_curves(p, reports, table), ''
		elif changes and len(reports) == 2: kind, wrong, wanted = 'runs of two', wrong_dots(p, reports, table), 'What has changed'
		else: kind, wrong, wanted = 'a map', wrong_map(p, reports, table, changes), 'What has changed' if changes else 'Time relative'
		bad = list(dict.fromkeys([*unsound(p), *wrong]))
		heading = ' '.join(t.text for t in p.texts if t.size == 14)
		if heading.replace(' ', '') != p.title.replace(' ', '') or not p.title.startswith(wanted): bad.append('the heading is %s, the title %s' % (heading, p.title))
	except Exception:
		import traceback
		bad = traceback.format_exc().split('\n')[-4:]
	print('not ok' if bad else 'ok', '%s: is %s' % (what, kind) + ''.join('\n#   ' + b for b in bad[:8]))
END_OF_PYTHON
n=0
mkdir pictures
picture() { # DESCRIPTION FILE... [OPTION...]: of reports; it is looked at in the end, and left in "p", its words in "words"
	what=$1 files=0
	shift
	n=$((n + 1))
	"$wb" --compare "$@" -f svg >p 2>err || fail "$what: a picture" err
	"$wb" --compare "$@" -f json >pictures/$n.json
	"$wb" --compare "$@" -f markdown >pictures/$n.md
	cp p pictures/$n.svg
	for file; do case $file in *.csv) files=$((files + 1)) ;; esac; done
	echo "pictures/$n $files $what" >>looks
	sed -n 's/^<text[^>]*>\(.*\)<\/text>$/\1/p' p | tr -s '\n ' ' ' >words
}
# csv <<END >FILE: lines "ROW NS..." become a report, round after round; lines with # go before them. A row "NAME=OUTCOME"
# has that one, and where it is none with a time its number does not count.
csv() {
	awk '/^#/ { print; next }
		{ name[++k] = $1; ok[k] = sub(/=.*/, "", name[k]) ? substr($1, index($1, "=") + 1) : "ok"; gsub("_", " ", ok[k]); sub(/^\$_/, "$ ", name[k])
			for (n[k] = NF - 1; n[k] > most; most++); for (i = 2; i <= NF; i++) ns[k, i - 1] = $i }
		END { print "row,round,ns,outcome"
			for (i = 1; i <= most; i++) for (r = 1; r <= k; r++)
				if (i <= n[r]) print name[r] "," i "," (ok[r] ~ /^(ok|shared|untouched)$/ ? ns[r, i] : "") "," ok[r] }'
}
lines() { # LINE...: as csv() reads them
	printf '%s\n' "$@" | csv
}

# Rows of all kinds.
csv >a.csv <<'END'
# heading: Ext9, a disk, filesize=1MB, kernel=1.0
# size: 1048576
# cpu: A & B
# cpus: 3
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
{ echo "# interrupted: by A & B <then>" && echo "# warning_steal: the <host> stole" && cat a.csv; } >warned.csv
picture "an interrupted run with warnings" warned.csv -v
holds "... has both" words ' Interrupted by A &amp; B &lt;then&gt;\. ' ' Warning: the &lt;host&gt; stole\. '
picture "... --quiet" warned.csv -q
lacks "... leaves out the warnings, the machine and the recommendation" words 'Warning|A &amp; B, 3|Use |n/a: |more notes'
holds "... not what failed" words ' Failed: broken: ' ' Interrupted '
for only in first,alike slow,first cloned,first first looked,cloned refused,broken,short,wrong; do
	picture "only $only" a.csv -s $only
done
lacks "no row is timed: no axis" p 'higher is better|<circle|class="median"'
sed '/^# size/d' a.csv >b.csv
picture "an unknown size" b.csv -s 'first,alike,slow'
picture "rows of all kinds" a.csv
holds "... what became of them is below, and where they ran" words ' Use cloned: it shares the blocks, 6\.00us\. If the bytes must be copied: first' \
	' Failed: broken: .*: EIO ' ' Failed, moving too few bytes .*: short\.' ' Copied wrongly: wrong\.' ' n/a: refused: ' ' A &amp; B, 3 CPUs; write-bench 9\. $'

# From a million bytes in a microsecond to a thousand in four milliseconds; rows alike, far apart, of one run, of a dozen.
for speed in "1000000 1000000" "1000000 1020000" "30000000 1000000" "1000000 1000" "400000 1000000" "1000000 1000000000" "1000 4000000"; do
	ns=${speed#* }
	lines "# size: ${speed% *}" "a $ns $ns $ns" "b $((2 * ns)) $((2 * ns + 1)) $((3 * ns))" >b.csv
	picture "$speed: bytes and ns" b.csv
done
for k in 12 13; do
	row=$(seq 1000000 1000 $((999000 + 1000 * k)) | paste -sd' ')
	lines "# size: 1000000" "a $row" "\$_cat $row" >b.csv
	picture "$k runs" b.csv
done
for ns in 1280000000 128000000 64000000 32000000 1600000; do
	lines "# size: 32000000" "# memcpy_bytes: 64000000" "# memcpy_ns: $ns" "a 32000000 32000001 32000002" "b 64000000 64000001 64000002" >b.csv
	picture "memcpy that takes $ns ns for twice as much" b.csv
done
while IFS='|' read -r what rows; do
	echo "$rows" | tr ';' '\n' | csv >b.csv
	picture "$what" b.csv
done <<'END'
rows of 2.5 to 3.1 GiB/s|# size: 1000000000;a 300000000 310000000 320000000;b 350000000 360000000 380000000
one run|# size: 1000000;a 1000000
a row that is a hundred million times as fast as another|# size: 1000000;far 10 11 12;a 1000000 1000001 1000002;b 1100000000 1100000001 1200000000
commands|# size: 1000000;a 1000000 1000001 1000002;$_cat 1100000 1100001 1100002;$_cp=shared 3000 3001 3002
memcpy that was not measured|# size: 32000000;# memcpy_bytes: 64000000;# memcpy_error: mmap: ENOMEM;a 32000000;b 64000000
memcpy that stays in the caches|# size: 32000000;# memcpy_bytes: 8000000;# memcpy_ns: 1600000;a 32000000;b 64000000
memcpy, where the size is not known|# memcpy_bytes: 64000000;# memcpy_ns: 1600000;a 32000000;b 64000000
a race|# race: 40;# size: 1000000;early 800000 810000;a 900000 1000000 1000000 1100000;b 920000 950000 950000 960000;late 955000 1075000
rows that wait for their input|# input: pipe;# size: 1000000;# source_ns: 1000000;first 1000000 1000001;second 1000100 1000002;far 3504840000
END
holds "... are marked for it, which is explained" words ' first 1\.00ms~\* ' '\*: 2 of 3 rows waited for the input, which gives 954 ?MiB/s alone'

many() { # ROW:NS...: a report whose rows have six runs each
	printf '%s\n' "$@" | awk -F: 'BEGIN { print "# size: 1000000" } { print $1, $2, int($2 * 1.002), int($2 * 1.004), int($2 * 1.008), int($2 * 1.01), int($2 * 1.011) }' | csv
}
many a:1000000 b:1000000 c:1000000 d:1000000 '$_cat:1000000' e:1000000 l:1000000 >six.csv
many a:1000500 b:1200000 c:800000 d:1010000 '$_cat:1250000' e:990000 l:9000000 >changed.csv

# Names and words of all kinds.
long=$(printf '%0300d' 0 | tr 0 n)
whole=$(echo "$long" | cut -c1-36)
{
	printf '# heading: a & b < c > "d" '"'e'"' $f ]]> --> \\ \303\251 \377 <script>alert(1)</script> &amp; %s\n' "kernel=1.0"
	printf '# cpu: <cpu> & "co" ]]>\n# cpus: <1>\n# version: <v>\n'
	printf 'row,round,ns,outcome\n'
	printf '%s,1,1000,ok\n' "$whole" "${whole}n" "$long" '"$ cat # &<>""'"'"'$x ]]> --> \ &lt; <!--"' "$(printf '$ \303\251 \377\200 \302\205 \357\277\276')" \
		'</title></text><script>alert(1)</script>' '"x"" onload=""alert(1)"' '<![CDATA[' '"#x"' "$(printf 'a\tb')" '%s%n' 'threads read+write 1m with a long name + advices + falloc'
	printf '%s_x,1,,failed exit 3\n' "$long" '<&>'
} >odd.csv
picture "rows of odd names" odd.csv
holds "... words below, too" words ' Failed: &lt;&amp;&gt;_x, nnn.*n\.\.\.: exit status 3\.' ' &lt;cpu&gt; &amp; (&quot;|")co(&quot;|") \]\]&gt;, &lt;1&gt; CPUs; &lt;v&gt;\. $'
picture "... two of them" odd.csv odd.csv
picture "... and three" odd.csv odd.csv odd.csv
for name in 'a&<b>"'"'"'$x ]]>-->\' "$(printf '\303\251\377\t\033\n_')" "$(echo "$long" | cut -c1-200)"; do
	cp a.csv "$name.csv"
	printable=$(printf '%.40s' "$name" | perl -pe 's/[^ -~]/sprintf "\\x%02x", ord $&/ge')
	picture "a file called $printable" "$name.csv"
	picture "... and another" "$name.csv" a.csv
	picture "... and two more" a.csv changed.csv "$name.csv" -v
done
for heading in "$(printf '%0200d' 0 | sed 's/0000/0001, /g'), kernel=1.0" "$(printf '%0200d' 0), $(printf '%0100d' 1)"; do
	sed "1s/.*/# heading: $heading/" a.csv >b.csv
	picture "a heading of many words, or long ones" b.csv
done

# Several reports.
awk 'BEGIN { # rows at the borders of all shades, and just behind
	print "# heading: Steps\nwinner 1000000 1000001 1000002"
	for (n = split("1.1 1.5 2 4", at, " "); ++i <= n;) { t = 1000000 * at[i]
		printf "upto%s %.0f %.0f %.0f\nabove%s %.0f %.0f %.0f\n", at[i], t, t + 1, t + 2, at[i], t + 1, t + 2, t + 3 } }' | csv >one.csv
lines "# heading: Two" "winner 2000000 2000001 2000002" "upto1.1 2010000 2000001 2000002" "upto1.5 19990000 19990001 19990002" \
	"above2=shared 10 20 30" "upto4=n/a_EXDEV 1" "above4=failed_short 1" "more=mismatch 1" "touched=untouched 10 20 30" >two.csv
picture "three files" one.csv two.csv one.csv
holds "... two of one name are numbered" words ' 1: one\.csv: Steps\. 2: two\.csv: Two\. 3: one\.csv: Steps\. ' ' Each column: its fastest row.*s best run, and how far '
picture "two reports" six.csv changed.csv
holds "... what differs is said below" words ' 1 of 7 rows is faster, 3 slower '
for file in six changed; do sed '/^# size/d' $file.csv >${file}0.csv; done
picture "... of an unknown size" six0.csv changed0.csv
sed 's/^l,\([0-9]*\),[0-9]*/l,\1,10000\1/' changed.csv >less.csv
picture "... one of whose rows takes a hundredth" six.csv less.csv
for ns in 13 1300; do
	many a:$ns b:$ns | sed "s/^# size.*/# size: 1000/" >fast.csv
	picture "... of rows that take $ns ns" fast.csv fast.csv
done
{ cat one.csv && printf 'fails,1,1000,ok\nrefuses,1,1000,ok\n'; } >had.csv
{ cat one.csv && printf 'fails,1,,failed EIO\nrefuses,1,,n/a EXDEV\n'; } >has.csv
picture "rows that now fail or are n/a" had.csv has.csv
printf 'row,round,ns,outcome\nwinner,1,1000,shared\nupto2,1,,n/a EXDEV\n' >none.csv
picture "two without a row in common" none.csv one.csv
holds "... says so" words ' No row has moved data in both\. '
picture "files with other winners, races, and one without" changed.csv one.csv none.csv
for i in $(seq 40); do cp one.csv "twelve_chars$i.csv"; done
for k in 3 13 ${FULL:+5 8 40}; do
	# shellcheck disable=SC2046
	picture "$k files" $(seq -f "twelve_chars%g.csv" "$k")
done

# By size.
sized() { # FACTOR "SIZE..." ROW...: a report of each size, each row a fiftieth slower than the one before; the first size's first row takes FACTOR times as long
	awk 'BEGIN {
		for (n = split(ARGV[2], size, " "); ++i <= n;) {
			print "# heading: Place, filesize=" size[i] ", kernel=1\n# size: " size[i]
			if (size[i] >= 2 ^ 24) print "# memcpy_bytes: " size[i] "\n# memcpy_ns: " int(size[i] / 12)
			if (i == 1) print "row,round,ns,outcome,bytes"
			for (k = 3; k < ARGC; k++) for (r = 0; r < 6; r++)
				printf "%s,%d,%.0f,ok,%d\n", ARGV[k], r + 1, (size[i] / 3 * (1 + k / 50) + 1000) * (i == 1 && k == 3 ? ARGV[1] : 1) * (1 + r / 400), size[i] } }' "$@"
}
sizes="4096 65536 1048576 16777216"
sized 1 "$sizes" sendfile splice '$ cat' >s.csv
picture "four sizes" s.csv
sed '/^splice,.*,65536$/d; /^\$ cat,.*,4096$/d' s.csv >gaps.csv
picture "... not each row at each" gaps.csv
sized 1 "1000 1024 1100 65536 1000000 1048576 16777216" sendfile 'read+write 256k' >b.csv
picture "sizes close together" b.csv
sized 1 "$(seq 1000 50000 1551000 | paste -sd' ')" sendfile >b.csv
picture "32 sizes" b.csv
sized 1 "$sizes" sendfile '$ cat' '$ cp a b' '$ install' '$ rsync -a --inplace --whole-file X Y --and-more' >b.csv
picture "four commands" b.csv
awk 'BEGIN { for (i = 0; i < 9; i++) { print "# size: " 1000 * 2 ^ i; if (!i) print "row,round,ns,outcome,bytes"
	for (k = 0; k < 9; k++) for (r = 1; r < 7; r++) print "row" k "," r "," 1000 * 2 ^ i * (i == k ? 1 : 1.5 + k / 10) + r ",ok," 1000 * 2 ^ i } }' >b.csv
picture "nine rows to call" b.csv
sized 3 "$sizes" sendfile splice '$ cat' >slower.csv
picture "two files of several sizes" s.csv slower.csv
picture "three files of several sizes" s.csv slower.csv gaps.csv

# Live runs, with commands of odd names that fail and say garbage.
bytes 65536 >X
live() { # DESCRIPTION STATUS OPTION...
	what=$1 status=$2
	shift 2
	run "$status" "$what" "$wb" -p0 -n2 -f svg -o live.svg -o live.csv "$@" <X >Y
	picture "$what" live.csv
}
live "all rows" 0
live "all rows at three sizes" 0 -z 4k,32k,64k --with=cat
live "commands" 1 -s 'send*,read+write 1k' -w 'cat # &<>"'"'"'$x ]]> --> \'"$(printf '\303\251\377\001\033')" -w "cat #$long" \
	-w 'printf "\001\377\033[31m<&>]]>\\000\\n" >&2; exit 3' -w "printf '%s' '<script>&' >&2; kill -9 \$\$" -w 'head -c 10' -w 'head -c 65536 /dev/zero'
holds "... what became of them" words ': exit status 3: .*&lt;&amp;&gt;\]\]&gt;' ': killed by SIGKILL: &lt;script&gt;&amp;\.' ' Copied wrongly: '
live "an interrupted run" 130 -n50 --in-order -s 'send*,read+write 1k' -w '[ ! -s rounds ] || kill -INT $PPID; echo >>rounds; cat'
holds "... says so" words ' Interrupted by SIGINT after '

python3 -S -E svg.py <looks >looked 2>&1
pass_on looked
is "all pictures were looked at" "$(grep -c '^\(not \)\{0,1\}ok' looked)" $n
if have xmllint; then run 0 "another reader of XML reads all pictures" xmllint --nonet --noout pictures/*.svg; else skip "xmllint" "no xmllint"; fi

# Read back.
for options in "-n3 -s send*,read+write*,reflink,direct*" "--race -s send*,read+write*" "-n3 --tee=Z" "-n2 --counters -s send*,splice -z 4k,64k" \
	"-n2 --in-order --overwrite -s send*,reflink,splice" "-n2 --tee=/dev/full -s mmap+write*,tee*"; do
	# shellcheck disable=SC2086
	at_once svg $options
done
