# shellcheck shell=sh
# Is a report that is read back what was printed at once? To be sourced after tap.sh.
# shellcheck disable=SC2154,SC2034

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
