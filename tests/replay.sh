# shellcheck shell=sh
# Is a report that is read back what was printed at once? To be sourced after tap.sh.
# shellcheck disable=SC2154,SC2034

# read_back DESCRIPTION FORMAT...: is what is made of live.csv what one session left in live.txt, live.md ...?
read_back() {
	what=$1
	shift
	for format; do
		case $format in text) extension=txt ;; markdown) extension=md ;; *) extension=$format ;; esac
		timeout 300 "$wb" --compare live.csv -f "$format" 2>&1 |
			sed 's/"file": "live.csv"/"file": null/' >replayed
		diff "live.$extension" replayed >cmp.out 2>&1
		is "$what, $format: what is read back is what was printed at once" "$(cat cmp.out)" ""
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
