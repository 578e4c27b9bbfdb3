#!/bin/sh
# Pictures: -f svg of one report, of two, of more, and by size. What is in one is compared with the JSON and Markdown
# reports of the same files: each run's place, each name, word and shade; and nothing is over something else, or beyond
# the edge.
# Tried: it fails where text is not escaped, or begins where it should end; the median stands at the best run; all runs
# Tried: are one dot; thirteen runs are dots; a command's runs are dots; the legend has kinds that are not there; a
# Tried: shade begins too late; the axis does not reach to memcpy; names of curves are over each other; curves are of
# Tried: best runs; two reports have scales of their own.
# shellcheck disable=SC1003
. "$(dirname "$0")/tap.sh"
. "$top/tests/replay.sh"
. "$top/tests/reports.sh"

python_has html,json,math,xml.etree.ElementTree || skip_all "no python3 with json and xml.etree"

# Check all that is in a picture. Letters are 7.23 units wide at 12 px, as they are in most monospaced fonts.
cat >svg.py <<'END_OF_PYTHON'
import html, json, math, re, sys
import xml.etree.ElementTree as ET
GIB = 2 ** 30 / 1e9 # bytes per nanosecond
log = math.log2
class Thing:
    def __init__(self, e):
        self.tag, self.cls, self.text = e.tag.split('}')[1], (e.get('class') or '').split(), e.text or ''
        self.anchor, self.size = e.get('text-anchor', 'start'), float(e.get('font-size', 12))
        self.bold = e.get('font-weight') == 'bold'
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
            self.points = [tuple(map(float, p.split())) for p in re.findall(r'[ML]([^MLhv]*)', d)]
            self.stroke = one is not None
            x, y = self.points[0]
            if one: self.points.append((x + float(one[4]), y) if one[3] == 'h' else (x, y + float(one[4])))
            xs, ys = zip(*self.points)
        self.x0, self.x1, self.y0, self.y1 = min(xs), max(xs), min(ys), max(ys)
        self.at, self.mid = (self.x0 + self.x1) / 2, (self.y0 + self.y1) / 2
def overlap(a, b, gap=0): # texts of a line want a gap
    return min(a.x1, b.x1) - max(a.x0, b.x0) > 0.5 - gap and min(a.y1, b.y1) - max(a.y0, b.y0) > 0.5
def is_short(name, whole, most): # what is cut has dots, and its length is used
    cut = name.split('...')
    if len(whole) <= most: return name == whole
    return len(name) == most and len(cut) > 1 and whole.startswith(cut[0]) and whole.endswith(cut[-1])
def is_line(pairs): # of numbers: is the second one made of the first by one straight line?
    seconds = [b for a, b in pairs]
    if len({round(a, 6) for a, b in pairs}) < 2: return not pairs or max(seconds) - min(seconds) < 0.3
    n, sa, sb = len(pairs), sum(a for a, b in pairs), sum(b for a, b in pairs)
    k = (n * sum(a * b for a, b in pairs) - sa * sb) / (n * sum(a * a for a, b in pairs) - sa * sa)
    return max(abs(b - sb / n - k * (a - sa / n)) for a, b in pairs) < 0.3
class Picture:
    def __init__(self, file):
        self.raw = open(file, 'rb').read().decode('utf-8')
        self.root = ET.fromstring(self.raw.encode())
        drawn = [e for e in self.root if e.tag.split('}')[1] in ('rect', 'text', 'path', 'circle')]
        self.things = [Thing(e) for e in drawn if e.get('class') != 'page']
        self.texts = [t for t in self.things if t.tag == 'text']
        self.title = self.root.find('{*}title').text
    def of(self, *classes): return [t for t in self.things if set(classes) & set(t.cls)]
    def with_text(self, text): return [t for t in self.texts if t.text == text]
    def names(self): # of rows: texts at the left margin
        names = [t for t in self.texts if abs(t.x0 - 14) < 0.1 and t.cls in ([], ['command']) and t.size == 12]
        return sorted(names, key=lambda t: t.mid)
    def legend(self):
        return sorted(r.cls[0] for r in self.things if r.tag == 'rect' and round(r.x1 - r.x0) == 22
            for t in self.texts if abs(t.mid - r.mid) < 4 and 5 < t.x0 - r.x1 < 8 and t.cls == ['note'])
def unsound(p):
    elsewhere = r'<!|<\?|\]\]>|://(?!www\.w3\.org/2000/svg")|@import|url\(|javascript:'
    if re.search(elsewhere, re.sub('>[^<]*</(text|title)>', '', p.raw)): yield 'something from elsewhere'
    if re.search('[\0-\x08\x0b-\x1f\x7f\ufffe\uffff]', p.raw): yield 'a control character'
    for e in p.root.iter():
        tag = e.tag.split('}')[1]
        if tag not in ('svg', 'title', 'style', 'path', 'rect', 'circle', 'text'): yield 'a <%s>' % tag
        for k in e.keys():
            if k.lower().startswith('on') or 'href' in k.lower() or k in ('src', 'style'): yield 'an attribute ' + k
    left, top, width, height = map(float, p.root.get('viewBox').split())
    for i, t in enumerate(p.things):
        if t.x0 < left or t.y0 < top or t.x1 > width + 0.05 or t.y1 > height:
            yield '%s %s beyond the edge: %.1f to %.1f of %g' % (t.tag, t.text[:60], t.x0, t.x1, width)
        if not t.text: continue
        for k, u in enumerate(p.things): # a shade is behind its text
            shade = u.cls[:1] and re.fullmatch('s[0-4]', u.cls[0]) and u.x0 <= t.x0 and t.x1 <= u.x1
            over = u.tag != 'path' or set(u.cls) & {'median', 'memcpy'} or (u.stroke and 'curve' in u.cls)
            gap = 3.5 if u.tag == 'text' and abs(t.mid - u.mid) < 3 else 0
            if (k > i or u.tag != 'text') and over and not shade and overlap(t, u, gap):
                yield '%s over %s' % (t.text[:60], u.text[:60] or u.tag)
def scale(p, horizontal): # of speeds: what is wrong, and labels with their places, as logarithms of GiB/s
    at = lambda t: t.at if horizontal else t.mid
    grid = [t for t in p.of('grid') if t.stroke and (t.x0 == t.x1 if horizontal else t.y0 == t.y1)]
    anchor = 'middle' if horizontal else 'end'
    labels = [t for t in p.of('note') if re.fullmatch(r'[0-9.e-]+', t.text) and t.anchor == anchor]
    lines = [[g for g in grid if abs(at(g) - at(t)) < 3] for t in labels]
    unit = 2 ** -10 if any(re.match('MiB/s, (higher|median)', t.text) for t in p.of('note')) else 1
    bad = ['a label without a line'] if any(len(l) != 1 for l in lines) else []
    if len(labels) < 2 or len(grid) < 3: bad.append('%d labels, %d lines' % (len(labels), len(grid)))
    return bad, [(log(float(t.text) * unit), at(l[0])) for t, l in zip(labels, lines) if l]
def wrong_dots(p, reports, table): # of one report, or two
    new, old = reports[-1], reports[0] if len(reports) > 1 else None
    kinds, pairs, names = set(), [], p.names()
    rows, was = ({r['row']: r for r in s['rows']} for s in (new, old or {'rows': []}))
    is_shown = lambda r: r and (r['outcome'][:3] != 'n/a' if old else r['best_ns'])
    shown = [row for row in dict.fromkeys([*was, *rows]) if is_shown(was.get(row)) or is_shown(rows.get(row))]
    if not len(names) == len(shown) == len(table):
        yield 'other rows: %d, %d in the table, %d of the report' % (len(names), len(table), len(shown))
    best, speed = new['environment'].get('recommended'), lambda r, ns: log(r['bytes'] / ns / GIB)
    for name, row, cells in zip(names, shown, table):
        beside = [t for t in p.things if abs(t.mid - name.mid) < 6 and (t.tag != 'path' or t.y1 - t.y0 <= 17)]
        line = rest = [t for t in beside if t is not name and not set(t.cls) & {'grid', 'memcpy'}]
        r, before, command = rows.get(row), was.get(row), row.startswith('$ ')
        say = lambda what: '%s: %s' % (name.text, what)
        if not is_short(name.text, row, 36) or name.cls != ['command'] * command: yield say('another name or class')
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
                dots = ['rect' if command else 'circle'] * x['runs']
                if [t.tag for t in of_kind] != dots: yield say('not a dot, or square, a run')
                pairs += zip(sorted(speed(x, ns) for ns in x['runs_ns']), sorted(t.at for t in of_kind))
        both = sorted(speed(x, x['median_ns']) for x in (before, r) if x and x['outcome'] == 'ok')
        medians = sorted(t.at for t in rest if t.cls == ['median'])
        if len(medians) != len(both): yield say('%d medians' % len(medians))
        pairs += zip(both, medians)
        words = ' '.join(t.text for t in rest if t.tag == 'text')
        if old: wanted = '%s, was %s' % tuple(cells[i] or '-' for i in (2, 1))
        elif 'start-up' in cells[4]: wanted = 'start-up'
        elif r['outcome'] == 'ok': wanted = cells[1] + r['mark'] + '*' * (r.get('bound') == 'source')
        else: wanted = '%s %s' % (cells[1], r['outcome'])
        if words != wanted: yield say('says "%s", not "%s"' % (words, wanted))
        other = any(t.cls != ['median'] and t.tag != 'text' for t in rest)
        if other or any(t.x0 < name.x1 for t in line): yield say('something else in its line, or over it')
    size, ns = new['environment'].get('memcpy_bytes', 0), new['environment'].get('memcpy_ns')
    memcpy = [t for t in p.of('memcpy') if t.tag == 'path']
    if len(memcpy) != (pairs != [] and bool(ns) and size >= 2 ** 24): yield '%d lines of memcpy' % len(memcpy)
    pairs += [(log(size / ns / GIB), t.at) for t in memcpy]
    bad, labels = scale(p, True) if pairs else ([], [])
    yield from bad
    if not is_line(pairs + labels): yield 'something is not at its place: %s, %s' % (sorted(pairs)[:4], labels[:4])
    if p.legend() != sorted(['slower'] * bool(old and pairs) + list(kinds)): yield 'the legend is %s' % p.legend()
def shade_of(r, s): # of a row, if it is ranked
    if r['percent'] is None: return None
    behind = r['median_ns'] / min(x['median_ns'] for x in s['rows'] if x['percent'] is not None) * 100 - 100
    return next((i for i, most in enumerate((10, 50, 100, 300)) if behind <= most + 1e-9), 4)
def wrong_map(p, reports, table, changes):
    names, there, all_rows = p.names(), set(), {r['row'] for s in reports for r in s['rows']}
    if [t.text for t in p.texts if t.bold and t.anchor == 'middle'] != table.titles[1:]: yield 'other columns'
    if len(names) != len(table): yield '%d rows, not %d' % (len(names), len(table))
    shaded = [] if changes else enumerate(reports) # of two: none
    shades = {(r['row'], k): shade_of(r, s) for k, s in shaded for r in s['rows']}
    for name, cells in zip(names, table):
        rows = [row for row in all_rows if is_short(name.text, row, 40)]
        if not rows: yield 'a row of another name: ' + name.text
        if len(rows) != 1: continue # cut alike
        line = sorted((t for t in p.texts if abs(t.mid - name.mid) < 3 and t is not name), key=lambda t: t.at)
        says = [t.text for t in line]
        if says != cells[1:]: yield '%s: says %s, not %s' % (name.text, says, cells[1:])
        for k, t in enumerate(line):
            boxes = [b.cls[0] for b in p.things if b.tag == 'rect' and b.y0 < t.mid < b.y1 and abs(b.at - t.at) < 0.2]
            shade = shades.get((rows[0], k))
            there.add(shade)
            wanted = [] if shade is None else ['s%d' % shade]
            if boxes != wanted or t.cls != [b.replace('s', 't') for b in boxes]:
                yield '%s: shade %s, text %s, not %s' % (name.text, boxes, t.cls, shade)
    if p.legend() != ['s%d' % i for i in range(5) if there - {None}]: yield 'the legend is %s' % p.legend()
def starts_up(r, drawn): # mostly: by its least start, so only if the median one is half of the median run, too
    return 2 * (r.get('start_ns') or 0) > r['median_ns'] and not drawn
def wrong_curves(p, reports, table):
    pairs, sizes, ends = [], [], {}
    curves = [t for t in p.of('curve') if t.tag == 'path' and not t.stroke]
    names = {' '.join(t.cls): t for t in p.texts if 'curve' in t.cls}
    most = max(len(t.text) for t in names.values())
    if len({' '.join(c.cls) for c in curves}) != len(curves): yield 'two curves are drawn alike'
    bytes_of = lambda s: s['rows'][0]['bytes']
    upright = sorted((t for t in p.of('grid') if t.stroke and t.x0 == t.x1), key=lambda t: t.at)
    for c in curves:
        if ' '.join(c.cls) not in names: raise ValueError('a curve without a name: %s' % c.cls)
        t = names[' '.join(c.cls)]
        points = []
        for s, line in zip(reports, upright):
            e, drawn = s['environment'], any(abs(x - line.at) < 0.2 for x, y in c.points)
            if t.text != 'memcpy': points += [(r['bytes'], r['bytes'] / r['median_ns'])
                for r in s['rows'] if is_short(t.text, r['row'], most) and r['outcome'] == 'ok'
                and not starts_up(r, drawn)]
            elif e.get('memcpy_bytes', 0) >= 2 ** 24 and e.get('memcpy_ns'):
                points.append((bytes_of(s), e['memcpy_bytes'] / e['memcpy_ns']))
        dots = [(d.at, d.mid) for d in p.things if d.tag == 'circle' and d.cls == c.cls]
        apart = max([abs(a - b) for d, q in zip(dots, c.points) for a, b in zip(d, q)], default=0)
        if not len(points) == len(c.points) == len(dots) or apart > 0.1:
            yield '%s: %d points, %d dots, or elsewhere' % (t.text, len(c.points), len(dots))
        sizes += [(log(size), x) for (size, speed), (x, y) in zip(points, c.points)]
        pairs += [(log(speed / GIB), y) for (size, speed), (x, y) in zip(points, c.points)]
        ends[t.text] = c.points[-1][1]
    by_place = [t.text for t in sorted(names.values(), key=lambda t: t.mid)]
    if sorted(ends, key=ends.get) != by_place: yield 'names in another order than ends'
    labelled = [(bytes_of(s), t.at) for title, s in zip(table.titles[1:], reports) for t in p.with_text(title)]
    off = any(all(abs(x - g.at) > 0.1 for g in upright) for size, x in labelled)
    if len(labelled) < 2 or len(upright) != len(reports) or off:
        yield '%d labels, %d lines of sizes' % (len(labelled), len(upright))
    bad, labels = scale(p, False)
    yield from bad
    sizes += [(log(size), x) for size, x in labelled]
    if not is_line(sizes) or not is_line(pairs + labels): yield 'something is not at its place'
class Table(list): # of a Markdown report, the first one
    def __init__(self, file):
        plain = lambda cell: html.unescape(re.sub(r'\\([!-/:-@[-`{-~])', r'\1', re.sub(r'(?<!\\)\*\*', '', cell)))
        cells = lambda line: [plain(c.strip()) for c in re.findall(r'((?:\\.|[^|\\])*)\|', line)[1:]]
        lines = [cells(l) for l in open(file) if l.startswith('| ')]
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
        if len(reports) == 1: kind, wrong = 'runs', wrong_dots(p, reports, table)
        elif changes and len(reports) == 2: kind, wrong = 'runs of two', wrong_dots(p, reports, table)
        elif None in sizes or len(sizes) != len(reports) or places.count(places[0]) != len(places) or changes:
            kind, wrong = 'a map', wrong_map(p, reports, table, changes)
        else: kind, wrong = 'curves', wrong_curves(p, reports, table)
        wanted = reports[0]['environment']['heading'] if len(reports) == 1 else ''
        bad = list(dict.fromkeys([*unsound(p), *wrong]))
        heading = ' '.join(t.text for t in p.texts if t.size == 14)
        if heading.replace(' ', '') != p.title.replace(' ', '') or not p.title.startswith(wanted):
            bad.append('the heading is %s, the title %s' % (heading, p.title))
    except Exception as error:
        bad = [repr(error)]
    print('not ok' if bad else 'ok', '%s: is %s' % (what, kind) + ''.join('\n#   ' + b for b in bad[:8]))
END_OF_PYTHON
n=0
mkdir pictures
# picture DESCRIPTION FILE... [OPTION...]: of reports; it is looked at in the end, and left in "p", its words in "words"
picture() {
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
# Rows of all kinds.
all_kinds='heading=Ext9, a disk, filesize=1MB, kernel=1.0; size=1048576; cpu=A & B; cpus=3; version=write-bench 9; us
	slow 4000 4100 5000; alike 1010 1020 1500; first 1000 1100 1030; cloned =shared 5..7; looked =untouched 5.1 6 7
	late 350480000x3; refused =n/a_EXDEV; broken =failed_EIO; short =failed_short; wrong =mismatch'
made "$all_kinds" >a.csv
made "interrupted=by A & B <then>; warning_steal=the <host> stole" "$all_kinds" >warned.csv
picture "rows of all kinds, of an interrupted run with warnings" warned.csv -v
holds "... has them, and what became of rows" words 'A &amp; B &lt;then&gt;\. ' ' Warning: the &lt;host&gt; stole\. ' \
	' Use cloned: .*6\.00us.*: use first' ' broken: .*: EIO ' ': short\.' ': wrong\.' ' n/a: refused: ' \
	' A &amp; B, 3 CPUs; write-bench 9\. '
for only in slow,first refused,broken,short,wrong; do picture "only $only" a.csv -s $only; done
lacks "no row is timed: no axis" p '<circle|class="median"'

# Rows alike, far apart, of one run, of a dozen.
while IFS='|' read -r what rows; do
	made "us; $rows" >b.csv
	picture "$what" b.csv
done <<'END'
12 runs|size=1000000; a 1000..1011; $_cat 1000..1011
13 runs|size=1000000; a 1000..1012; $_cat 1000..1012
a million bytes in a microsecond|size=1000000; a 1x3; b 2 2.001 3
a row that is a hundred million times as fast as another|size=1000000; far 0.01x2 0.012; a 1000x3; b 1100000x3
memcpy that is slower|size=32000000; memcpy_bytes=64000000; memcpy_ns=1280000000; a 32000; b 64000
memcpy that is faster|size=32000000; memcpy_bytes=64000000; memcpy_ns=1600000; a 32000; b 64000
memcpy that stays in the caches|size=32000000; memcpy_bytes=8000000; memcpy_ns=1600000; a 32000; b 64000
rows that wait for their input|input=pipe; size=1000000; source_ns=1000000; first 1000x2; second 1000.1x2; far 3504840
END
holds "... are marked for it" words ' first 1\.00ms~\* '

# Names and words of all kinds.
long=$(printf '%0300d' 0 | tr 0 n)
whole=$(echo "$long" | cut -c1-36)
{
	printf '# heading: a & b < c > "d" '"'e'"' $f ]]> --> \\ \303\251 \377 <script>alert(1)</script> &amp; %s\n' \
		"kernel=1.0"
	printf '# cpu: <cpu> & "co" ]]>\n# cpus: <1>\n# version: <v>\n# size: 1000\n'
	printf 'row,round,ns,outcome\n'
	printf '%s,1,1000,ok\n' "$whole" "${whole}n" "$long" '"$ cat # &<>""'"'"'$x ]]> --> \ &lt; <!--"' \
		"$(printf '$ \303\251 \377\200 \302\205 \357\277\276')" '</title></text><script>alert(1)</script>' \
		'"x"" onload=""alert(1)"' '<![CDATA[' '"#x"' "$(printf 'a\tb')" '%s%n' \
		'threads read+write 1m with a long name + advices + falloc'
	printf '%s_x,1,,failed exit 3\n' "$long" '<&>'
} >odd.csv
picture "rows of odd names" odd.csv
holds "... words, too" words ' &lt;&amp;&gt;_x, nnn.*n\.\.\.: .* 3\.' \
	' &lt;cpu&gt; &amp; (&quot;|")co(&quot;|") \]\]&gt;, &lt;1&gt; CPUs'
runs="1000 1002 1004 1008 1010 1011"
made "us; size=1000000; a $runs; b $runs; \$_cat $runs; l $runs" >six.csv
made "us; size=1000000; a $(echo "$runs" | sed 's/ /.5 /g'); b $(echo "$runs" | sed 's/10/12/g')" \
	"\$_cat $(echo "$runs" | sed 's/\<10/8/g'); l $(echo "$runs" | sed 's/\<1/9/g')" >changed.csv
for name in 'a&<b>"'"'"'$x ]]>-->\' "$(echo "$long" | cut -c1-200)"; do
	cp a.csv "$name.csv"
	picture "a file called $(printf '%.40s' "$name")" "$name.csv"
	picture "... and two more" a.csv changed.csv "$name.csv" -v
done
sed "1s/.*/# heading: $(printf '%0200d' 0 | sed 's/0000/0001, /g') $(printf '%0100d' 1)/" a.csv >b.csv
picture "a heading of many words, and long ones" b.csv

# Several reports. Rows at the borders of all shades, and just behind.
made "heading=Steps; size=1000000; winner 1000000x3; upto1.1 1100000x2; above1.1 1100001x2; upto1.5 1500000x2" \
	"above1.5 1500001x2; upto2 2000000x2; above2 2000001x2; upto4 4000000x2; above4 4000001x2" >one.csv
made "heading=Two; winner 2000000..2000002; upto1.1 2010000 2000001 2000002; upto1.5 19990000..19990002" \
	"above2 =shared 10 20 30; upto4 =n/a_EXDEV; above4 =failed_short; more =mismatch; touched =untouched 10 20 30" \
	>two.csv
picture "three files" one.csv two.csv one.csv
holds "... its title says what they show and differ in" words '^ ?Medians by report, which differ in size '
holds "... and how far a shade is behind" words ' Behind the fastest of its column: up to 10% behind 50% '
holds "... what is only a first guess" words ' ~ is a first guess in: 1, 2, 3\. '
holds "... two of one name are numbered" words ' 1: one\.csv: Steps\. 2: two\.csv: Two\. 3: one\.csv: Steps\. '
picture "two reports" six.csv changed.csv
holds "... its title names both" words '^ ?All runs by row, changed and before \(six\) '
holds "... its column of times has a heading" words ' medians '
picture "one report" six.csv
holds "... its column of times has a heading" words ' best run '
picture "... with --quiet" six.csv -q
holds "... which says how sure it is, too" words ' rows? may be fastest '
{ cat one.csv && printf 'fails,1,1000,ok,1000000\nrefuses,1,1000,ok,1000000\n'; } >had.csv
{ cat one.csv && printf 'fails,1,,failed EIO,1000000\nrefuses,1,,n/a EXDEV,1000000\n'; } >has.csv
picture "rows that now fail or are n/a" had.csv has.csv
for i in $(seq 13); do cp one.csv "twelve_chars$i.csv"; done
picture "13 files" twelve_chars*.csv

# By size.
# sized FACTOR ROW...: a report of each size, each row a fiftieth slower than the one before; the first one of the first
# size takes
sized() {
	# FACTOR times as long
	factor=$1
	shift
	made 'heading=Place, filesize=%KiB, kernel=1' "$(for size in 4096 65536 1048576 16777216; do
		[ $size -lt 16777216 ] || printf 'memcpy_bytes=%d\nmemcpy_ns=%d\n' $size $((size / 12))
		echo $size
		k=50
		for row; do
			k=$((k + 1)) ns=$(((size * k / 150 + 1000) * factor)) factor=1
			echo "$row $ns $((ns * 401 / 400)) $((ns * 402 / 400)) $((ns * 403 / 400))"
		done
	done)"
}
sized 1 sendfile splice '$_cat' >s.csv
sed '/^splice,.*,65536$/d; /^\$ cat,.*,4096$/d' s.csv >gaps.csv
picture "four sizes, not each row at each" gaps.csv
named() { grep -c '^<text.* class="curve ' p; } # curves
is "... all of three rows are named, and memcpy" "$(named)" 4
sized 1 sendfile '$_cat' '$_cp_a_b' '$_install' '$_rsync_-a_--inplace_--whole-file_X_Y_--and-more' >b.csv
picture "four commands" b.csv
sized 3 sendfile splice '$_cat' >slower.csv
sized 1 a b c d e f g h >eight.csv
picture "eight rows" eight.csv
is "... most are grey" "$(named)" 2
picture "... two of them by name" eight.csv -s 'a,h,[b-g]'
is "... and named in the picture" "$(named)" 3
made 'us; 4096; a 10x3; $_b 20/15x3; 65536; a 40x3; $_b 60/15x3; 1048576; a 700x3; $_b 800/15x3' >starts.csv
picture "a command that is mostly start-up at first" starts.csv
is "... has no point there" "$(grep -c '^<circle.* class="curve c4 ' p)" 2
picture "two files of several sizes" s.csv slower.csv

# Live runs, with commands of odd names that fail and say garbage.
bytes 65536 >X
run 1 "commands" "$wb" -p0 -n2 -o live.csv -s send* -w "cat #$long" \
	-w 'cat # &<>"'"'"'$x ]]> --> \'"$(printf '\303\251\377\001\033')" \
	-w 'printf "\001\377\033[31m<&>]]>\\000\\n" >&2; exit 3' -w "printf '%s' '<script>&' >&2; kill -9 \$\$" \
	-w 'head -c 10' <X >Y
picture "... that fail" live.csv
holds "... what became of them" words ': [^:]* 3: .*&lt;&amp;&gt;\]\]&gt;' 'SIGKILL: &lt;script&gt;&amp;\.'
for options in "-n3" "-n2 --counters -s send*,splice -z 4k,64k -w cat"; do
	# shellcheck disable=SC2086
	at_once svg $options
	picture "all of $options" live.csv
done

python3 -S -E svg.py <looks >looked 2>&1
pass_on looked
is "all pictures were looked at" "$(grep -c '^\(not \)\{0,1\}ok' looked)" $n
if have xmllint; then run 0 "another reader of XML reads all pictures" xmllint --nonet --noout pictures/*.svg; \
	else skip "xmllint" "no xmllint"; fi
