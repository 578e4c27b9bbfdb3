# shellcheck shell=sh
# Reports made by hand, what the program makes of them, and whether what is read back is what was printed at once. To
# be sourced after tap.sh.
# shellcheck disable=SC2034,SC2154

# made LINE... >FILE: a report of schema 5, of 1 MiB, or one of each size. An argument is a line, or several with ";"
# between them; "-" stands for the lines of standard input.
#   KEY=VALUE   a fact of this report and of those below it; without a value there is none. %KiB in it is the size.
#   NUMBER...   begins the report of that size, or those of these sizes, which are alike.
#   us, ms, ns  is the unit of the times below; at first it is ns.
#   ROW RUN...  a row with a run in each round; it takes the place of an earlier one of its name. A blank of its name is
# written _. A run is a TIME; TIMExN is N of them, TIME..TIME each whole one between; TIME/START has the start of a
# command beside it. @ROUND: from that round on. =OUTCOME or =OUTCOME:DETAIL before the
# runs: what became of them, with _ for a blank; what has no time then needs none. ROW:MS took that time of the CPU in
# each run.
made() {
	perl -e '
	use strict;
	my (@keys, %fact, @sizes, @rows, %runs, %cpu, $starts, $details);
	my ($unit, %ns) = (1, ns => 1, us => 1e3, ms => 1e6);
	sub report {
		my $size = $fact{size} // "";
		my $kib = $size ? $size / 1024 . "KiB" : "";
		print "# schema: 5\n";
		print "# $_: ", $fact{$_} =~ s/%KiB/$kib/r, "\n" for grep { length $fact{$_} } @keys;
		print join(",", "row,round,ns,outcome", %cpu ? "cpu_ms" : (), $starts ? "start_ns" : (),
			$size ? "bytes" : (), $details ? "detail" : ()), "\n";
		my ($most) = sort { $b <=> $a } map { keys %$_ } values %runs;
		for my $round (1 .. $most // 0) {
			for my $row (grep { $runs{$_}{$round} } @rows) {
				my ($ns, $outcome, $start, $detail) = @{$runs{$row}{$round}};
				my $name = $row =~ /[",]/ ? q(") . $row =~ s/"/""/gr . q(") : $row;
				print join(",", $name, $round, $ns, $outcome, %cpu ? $cpu{$row} // "" : (),
					$starts ? $start : (), $size || (), $details ? $detail : ()), "\n";
			}
		}
	}
	sub reports {
		push @keys, "size" if !exists $fact{size};
		$fact{size} //= 1048576;
		for (@sizes) { $fact{size} = $_; report() }
		report() if !@sizes;
		(@sizes, @rows, %runs, %cpu, $starts, $details) = ();
	}
	sub row {
		my ($name, @words) = split " ", $_[0];
		my ($round, $outcome, $detail) = (0, "ok", "");
		my $cpu = $name =~ s/:([\d.]+)$// ? $1 : undef;
		$name =~ s/_/ /g;
		push @rows, $name if !$runs{$name};
		$runs{$name} = {};
		$cpu{$name} = $cpu if defined $cpu;
		push @words, 0 if $words[-1] =~ /^=/;
		for (map { /^(\d+)\.\.(\d+)$/ ? ($1 .. $2) : $_ } @words) {
			if (/^=([^:]*)(?::(.*))?/) { ($outcome, $detail) = map { s/_/ /gr } $1, $2 // "" }
			elsif (/^\@(\d+)/) { $round = $1 - 1 }
			elsif (m{^([\d.]+)(?:/([\d.]+))?(?:x(\d+))?$}) {
				my ($time, $begun, $n) = ($1, $2, $3);
				my $ns = $outcome =~ /^(ok|shared|untouched)/ ? sprintf "%.0f", $unit * $time : "";
				my $start = defined $begun ? sprintf("%.0f", $unit * $begun) : "";
				$starts ||= defined $begun;
				$details ||= $detail ne "";
				$runs{$name}{++$round} = [$ns, $outcome, $start, $detail] for 1 .. $n || 1;
			} else { die "made: $_?\n" }
		}
	}
	for (map { split /\s*[;\n]\s*/ } map { $_ eq "-" ? <STDIN> : $_ } @ARGV) {
		if (/^(\w+)=(.*)/) { push @keys, $1 if !exists $fact{$1}; $fact{$1} = $2 }
		elsif (/^\d[\d ]*$/) { reports() if @rows; @sizes = split }
		elsif ($ns{$_}) { $unit = $ns{$_} }
		elsif (/./) { row($_) }
	}
	reports();' -- "$@"
}
# said_of ROW KEY FILE... [OPTION...]: what JSON has of a row whose name needs no quotes
said_of() {
	row=$1 key=$2
	shift 2
	"$wb" --compare "$@" -f json | sed -n "s/^  {\"row\": \"$row\",.* \"$key\": \"\{0,1\}\([^\",}]*\).*/\1/p"
}
marks() { # FILE: the rows in their order, each with its mark
	"$wb" --compare "$1" -f json | sed -n 's/^  {"row": "\([^"]*\)",.* "mark": "\([^"]*\)".*/\1\2/p' | paste -sd' '
}
# is_json DESCRIPTION FILE...: JSON that perl reads
is_json() {
	what=$1
	shift
	if perl -MJSON::PP -e1 2>/dev/null; then
		is "$what" "$(perl -MJSON::PP -e 'local $/;
			for (@ARGV) { open my $f, "<", $_ or die; eval { decode_json(<$f>) } or print "$_: $@" }' "$@" 2>&1)" ""
	else
		skip "$what" "no perl with JSON::PP"
	fi
}
# read_back DESCRIPTION FORMAT...: is what is made of live.csv, and, but for CSV, of its lines sorted, what one session
# left in live.txt, live.md ...?
read_back() {
	what=$1
	shift
	{
		grep '^#\|^row,' live.csv
		grep -v '^#\|^row,' live.csv | sort -t, -k2r -k3
	} >live.sorted
	for format; do
		case $format in text) extension=txt ;; markdown) extension=md ;; *) extension=$format ;; esac
		timeout 300 "$wb" --compare live.csv -f "$format" 2>&1 | diff "live.$extension" - >cmp.out
		[ "$format" = csv ] || [ "$(grep -c '^# schema' live.csv)" -gt 1 ] ||
			timeout 300 "$wb" --compare live.sorted -f "$format" 2>&1 | diff "live.$extension" - >>cmp.out
		is "$what, $format: what is read back is what was printed at once" "$(cat cmp.out)" ""
		[ "$format" != json ] || is_json "... is JSON" live.json
	done
}
# at_once FORMATS OPTION...: of a session from X to Y, which writes them all, by $under COMMAND...; its status is left
# in $session
at_once() {
	formats=$1
	shift
	rm -f live.*
	# shellcheck disable=SC2086
	timeout 300 ${under-} "$wb" -p0 --seed=7 "$@" \
		-o live.csv -o live.txt -o live.md -o live.json -o live.svg <X >Y 2>err
	session=$?
	# shellcheck disable=SC2086
	read_back "$*" $formats
}
