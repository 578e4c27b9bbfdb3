# shellcheck shell=sh
# Packages of another release of Debian than the machine's, unpacked, not installed. To be sourced.

# unpack_package SUITE PACKAGE DIRECTORY, by its path from /: fetches it with apt from the machine's own source, in
# which that suite replaces the source's own, and unpacks it there. What apt says is in DIRECTORY/apt.err. Without
# network, apt or such a source it fails.
unpack_package() {
	mkdir -p "$3" || return
	rm -rf "$3/apt"
	mkdir -p "$3/apt/parts" "$3/apt/state/lists/partial" "$3/apt/cache/archives/partial" && : >"$3/apt/status" ||
		return
	cat >"$3/apt/conf" <<-END
		Dir::Etc::sourcelist "/dev/null";
		Dir::Etc::sourceparts "$3/apt/parts";
		Dir::State "$3/apt/state";
		Dir::State::status "$3/apt/status";
		Dir::Cache "$3/apt/cache";
		APT::Sandbox::User "root";
		Acquire::Languages "none";
		Acquire::Check-Valid-Until "false";
		Acquire::Retries "2";
	END
	# As "Types: deb, URIs: .../debian, Suites: ..." in paragraphs, or as lines "deb .../debian SUITE main".
	cat /etc/apt/sources.list.d/*.sources 2>/dev/null |
		awk -v suite="$1" 'BEGIN { RS = ""; ORS = "\n\n" }
			/(^|\n)URIs:[^\n]*debian\/?(\n|$)/ {
				sub(/(^|\n)Suites:[^\n]*/, "\nSuites: " suite)
				gsub(/(^|\n)#[^\n]*/, "")
				print
				exit
			}' \
			>"$3/apt/parts/a.sources"
	if ! [ -s "$3/apt/parts/a.sources" ]; then
		rm "$3/apt/parts/a.sources"
		cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null |
			sed -nE "s,^deb (\[[^]]*\] )?([^ ]*debian/?) .*,deb \1\2 $1 main,p" |
				head -n 1 >"$3/apt/parts/a.list"
		[ -s "$3/apt/parts/a.list" ] || { echo "apt has no source of Debian" >"$3/apt.err" && return 1; }
	fi
	(
		cd "$3/apt" && export APT_CONFIG="$3/apt/conf" || exit
		timeout 120 apt-get -qq update && timeout 300 apt-get -qq download "$2" && dpkg -x "$2"_*.deb "$3"
	) >"$3/apt.err" 2>&1
}
