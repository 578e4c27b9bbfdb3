#!/bin/sh
# File systems that nobody developed this on, in a user-mode Linux: sessions times places.
#   A session is a line: NAME|exit status, and whether input and outputs are the same copies then|INPUT|OUTPUT|OPTIONS.
#   A place is a line: NAME|its type|a command that makes ./image, or serves it at mnt|PROGRAM/PACKAGE... that it needs.
# Tried: it fails where no extents are taken for shared ones (ext2, SMB); where a time that a server sets late ends the
# Tried: session (SMB); where the old report is open while the new one gets its name (SMB: both are gone); where FIEMAP
# Tried: is asked of what is not written back (nilfs2: is read-only then).
. "$(dirname "$0")/tap.sh"
. "$top/tests/uml.sh"

full "file systems that nobody developed this on" || exit 0
sftp=$(find /usr/lib/openssh /usr/libexec /usr/lib/ssh -name sftp-server 2>/dev/null | head -n 1)
bytes 300001 >X # no whole blocks
cp "$wb" write-bench
mkdir results stead
printf '#!/bin/sh\nexec "%s"\n' "$sftp" >stead/ssh # in ssh(1)'s stead what it would start on the other side
chmod +x stead/ssh
cat >sessions <<'END'
output|0 same same|X|mnt/Y|-w cat --all
both|0 same same|mnt/X|mnt/Y|
tee|0 same same same|X|Y|--tee=mnt/T
overwritten|0 same same|X|mnt/Z|--overwrite
new|0 same same|X|mnt/Y|--new --until=close
report|0 same same|X|Y|-s read+write* -o mnt/report.csv
late|0 same same|mnt/X|mnt/Y|-p0.1 -s sendfile,splice,read+write*
END
cat >places <<'END'
bindfs|fuse|bindfs stored mnt|bindfs/bindfs
sshfs|fuse.sshfs|PATH=$here/stead:$PATH sshfs "here:$PWD/stored" mnt|sshfs/sshfs
ntfs-3g|fuse|mkfs.ntfs -q -F image && ntfs-3g image mnt|ntfs-3g/ntfs-3g
smb|cifs|share|smbd/samba mount.cifs/cifs-utils
vfat|vfat|mkfs.vfat image|mkfs.vfat/dosfstools
nilfs2|nilfs2|mkfs.nilfs2 -q image|mkfs.nilfs2/nilfs-tools
udf|udf|mkfs.udf image|mkfs.udf/udftools
ext2|ext2|mkfs.ext2 -q -F image|mkfs.ext2/e2fsprogs
END
# Of each session results/NAME.SESSION has what became of it, .csv its report, .err what it has said; results/NAME.names
# are the files that are there in the end, results/NAME.said what was said where it can't be mounted.
cat >inside <<'END'
#!/bin/sh
here=$PWD
mkdir /mnt/work && cp X write-bench sessions places /mnt/work && cd /mnt/work && mkdir mnt stored || exit
share() { # as a NAS is mounted
	for at in /var/lib/samba /var/cache/samba /var/log/samba; do mount -t tmpfs tmpfs $at || return; done
	mkdir -p /run/samba /var/lib/samba/private && chmod 777 stored
	printf '%s\n' '[global]' 'map to guest = Bad User' 'guest account = root' 'smb ports = 4450' \
		'disable netbios = yes' '[share]' "path = $PWD/stored" 'guest ok = yes' 'read only = no' \
		'force user = root' >/run/samba/conf
	smbd -D -s /run/samba/conf
	for _ in $(seq 600); do
		! mount -t cifs //127.0.0.1/share mnt -o guest,port=4450,vers=3.1.1 || return 0
		sleep 0.1
	done
}
while IFS='|' read -r name type make _; do
	rm -rf stored image && mkdir stored && truncate -s 256M image
	{
		modprobe -q "${type%%.*}"
		eval "$make"
		mountpoint -q mnt || mount -t "$type" -o loop image mnt
	} >"$here/results/$name.said" 2>&1 </dev/null
	mountpoint -q mnt || continue
	while IFS='|' read -r session _ from out options; do
		to=$here/results/$name.$session
		cp X mnt/X
		tr a-z b-za <X >"$out" # a copy that is there may be the input under another name
		[ "$session" = overwritten ] || : >"$out"
		echo older >mnt/report.csv
		set -f
		timeout -k 1 100 ./write-bench -n1 -p0 -v -o "$to.csv" $options <"$from" 1<>"$out" 2>"$to.err"
		echo $? >"$to"
		[ "$session" != report ] || cp mnt/report.csv "$to.csv"
		[ "$session" != tee ] || out="$out mnt/T"
		for copy in $from $out; do
			cmp "$copy" X >>"$to.err" 2>&1 && echo same || echo other
		done >>"$to"
	done <sessions
	ls mnt >"$here/results/$name.names"
	umount mnt
done <places
END
missing=$(unbootable)
[ -z "$missing" ] || skip_all "$missing"
boot 900 loop
cat console out err >said
while IFS='|' read -r name _ _ needs <&4; do
	# shellcheck disable=SC2086
	missing=$(lacking $needs)
	[ -z "$missing" ] || { skip "$name" "$missing" && continue; }
	cat "results/$name.said" >>said
	[ -e "results/$name.names" ] || { fail "$name: is mounted in a user-mode Linux" said && continue; }
	while IFS='|' read -r session wanted _ <&5; do
		[ "$name $session" != "smb new" ] || wanted="1 same same" # no file is opened again there once it has no name
		to=results/$name.$session
		is "$name, $session: exit status, and what are copies" "$(paste -sd ' ' "$to")" "$wanted"
		[ "${wanted%% *}" != 0 ] || is "... a row is ok, or not to be had there; what reads and writes is ok" \
			"$([ -s "$to.csv" ] || cat "$to.err"; column 1,4 "$to.csv" | grep -Ev ',ok$' |
			grep -Ev '^(read\+write.*falloc|[^r]|r[^e]|reflink|read\+m).*,n/a')" ""
	done 5<sessions
	is "$name: no other file is left there" "$(grep -v 'lost+found' "results/$name.names" | xargs)" "T X Y Z report.csv"
done 4<places
