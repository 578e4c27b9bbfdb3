# shellcheck shell=sh
# Is a report that is read back what was printed at once? To be sourced after tap.sh.
# shellcheck disable=SC2154

at_once() { # FORMAT OPTION...: of X; one session writes both
	format=$1
	shift
	case $format in text) extension=txt ;; markdown) extension=md ;; *) extension=$format ;; esac
	rm -f live.*
	[ "$format" = csv ] || set -- "$@" -o "live.$extension"
	timeout 300 "$wb" -p0 --seed=7 "$@" -o live.csv <X >Y 2>err
	timeout 300 "$wb" --compare live.csv -f "$format" >replayed 2>&1
	diff "live.$extension" replayed >cmp.out 2>&1
	is "$*, $format: what is read back is what was printed at once" "$(cat cmp.out)" ""
}
