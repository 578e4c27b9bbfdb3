#!/bin/sh
# File systems that nobody developed this on: bindfs, sshfs and ntfs-3g here, by FUSE; an SMB share, vfat, nilfs2, udf
# and ext2's own driver in a user-mode Linux. On each a session with its output, both ends, a second output, an output
# that is overwritten, new files, all rows, a report.
# Tried: it fails where no extents are taken for shared ones (ext2, SMB); where a time that a server sets late ends the
# Tried: session (SMB); where the old report is open while the new one gets its name (SMB: both are gone); where FIEMAP
# Tried: is asked of what is not written back (nilfs2: is read-only then).
if [ "$(id -u)" = 0 ] && [ -z "${OWN_MOUNTS-}" ] && unshare -m true 2>/dev/null; then
	OWN_MOUNTS=1 exec unshare -m "$0" "$@"
fi
. "$(dirname "$0")/tap.sh"
. "$top/tests/processes.sh"
. "$top/tests/uml.sh"

full "file systems that nobody developed this on" || exit 0
PATH=$PATH:/usr/sbin:/sbin
mkdir results mnt
bytes 300001 >X # no whole blocks
cp "$wb" write-bench

# sessions NAME: with ends on the file system at mnt, in a directory with X. Of each, results/NAME.SESSION.err is what
# it has said, .csv its report, .status its exit status, and whether its input and outputs are copies of X then;
# results/NAME.names are the files that are on it in the end.
cat >sessions <<'END'
#!/bin/sh
measure() { # [OPTION]...
	timeout -k 1 100 ./write-bench -n1 -p0 -v "$@" 2>"$to.err"
	echo $? >"$to.status"
}
session() { # NAME INPUT OUTPUT [OPTION]...
	session=$1 to=results/$name.$1 from=$2 out=$3
	shift 3
	case $session in
	overwritten) measure -o "$to.csv" "$@" <"$from" 1<>"$out" ;;
	report) measure -o mnt/report.csv "$@" <"$from" >"$out" && cp mnt/report.csv "$to.csv" ;;
	*) measure -o "$to.csv" "$@" <"$from" >"$out" ;;
	esac
	[ "$session" != tee ] || out="$out mnt/T"
	for copy in $from $out; do
		cmp "$copy" X >>"$to.err" 2>&1 && echo same || echo other
	done >>"$to.status"
}
name=$1
cp X mnt/X
session output X mnt/Y -w cat
session both mnt/X mnt/Y
session tee X Y --tee=mnt/T
tr a-z b-za <X >mnt/Y # a copy that is there may be the input under another name
session overwritten X mnt/Y --overwrite
session new X mnt/Y --new --until=close
session all X mnt/Y --all
echo older >mnt/report.csv
session report X Y -s 'read+write*'
if [ "$name" = smb ]; then # its server sets the time of what was written up to two seconds later
	cp X mnt/X
	session late mnt/X mnt/Y -p0.1
fi
ls mnt >"results/$name.names"
END
judge() { # NAME
	for session in output both tee overwritten new all report late; do
		wanted="0 same same"
		case $session in
		tee) wanted="0 same same same" ;;
		late) [ "$1" = smb ] || continue ;;
		new) [ "$1" != smb ] || wanted="1 same same" ;; # no file is opened again there once it has no name
		esac
		to=results/$1.$session
		is "$1, $session: exit status, and what are copies" "$(paste -sd' ' "$to.status")" "$wanted"
		[ "${wanted%% *}" = 0 ] || continue
		[ -s "$to.csv" ] || { fail "... there is a report" "$to.err" && continue; }
		is "... a row is ok, or not to be had there; what reads and writes is ok, except fallocate(2)" \
			"$(column 1,4 "$to.csv" | grep -Ev ',ok$' |
			grep -Ev '^(read\+write.*falloc|[^r]|r[^e]|reflink|read\+m).*,n/a')" ""
	done
	is "$1: no other file is left there" \
		"$(grep -v 'lost+found' "results/$1.names" | paste -sd' ')" "T X Y report.csv"
}

# Here, by FUSE: each is a process in the foreground, which ends with its mount.
serve() { # NAME: the file system at mnt
	case $1 in
	bindfs) exec bindfs -f stored mnt ;;
	sshfs) # in ssh(1)'s stead what it would start on the other side
		mkdir stead && printf '#!/bin/sh\nexec "%s"\n' "$sftp" >stead/ssh && chmod +x stead/ssh || return
		PATH=$PWD/stead:$PATH exec sshfs -f "here:$PWD/stored" mnt
		;;
	ntfs-3g) truncate -s 64M image && mkfs.ntfs -q -F image && exec ntfs-3g -o no_detach image mnt ;;
	esac
}
unserve() {
	[ -z "$server" ] || { umount mnt || umount -l mnt; } 2>/dev/null
	[ -z "$server" ] || within 60 "$server"
	server=
}
server=
undo=unserve
sftp=$(find /usr/lib/openssh /usr/libexec /usr/lib/ssh -name sftp-server 2>/dev/null | head -n 1)
by_fuse() { # NAME PROGRAM/PACKAGE...
	name=$1
	shift
	if ! (: <>/dev/fuse) 2>/dev/null; then missing="no /dev/fuse"; else missing=$(lacking "$@"); fi
	[ -z "$missing" ] || { skip "$name" "$missing" && return; }
	rm -rf stored image && mkdir stored
	serve "$name" </dev/null >said 2>&1 3>&- &
	server=$!
	until_there mountpoint -q mnt
	if mountpoint -q mnt; then
		sh sessions "$name" 3>&-
		judge "$name"
		# no more than the kernel knows
		type=$(sed -n "s,.* $PWD/mnt .* - \\([^ ]*\\) .*,\\1,p" /proc/self/mountinfo)
		holds "$name: the heading has its type" "results/$name.output.csv" "^# heading: (.* to )?$type(,|\$)"
	else
		fail "$name is served" said
	fi
	unserve
}
by_fuse bindfs bindfs/bindfs
by_fuse sshfs sshfs/sshfs "${sftp:-sftp-server}/openssh-sftp-server"
by_fuse ntfs-3g ntfs-3g/ntfs-3g

# In a user-mode Linux: results/NAME.skip says that it lacks a module, results/NAME.fail that it can't be mounted.
cat >inside <<'END'
#!/bin/sh
here=$PWD
mkdir /mnt/work && cp X write-bench sessions /mnt/work && cd /mnt/work && mkdir mnt results stored || exit
share() { # as a NAS is mounted
	mkdir -p /run/samba/rpc && chmod 777 stored && cat >/run/samba/conf <<-CONF
		[global]
			private dir = /run/samba
			lock directory = /run/samba
			state directory = /run/samba
			cache directory = /run/samba
			pid directory = /run/samba
			ncalrpc dir = /run/samba/rpc
			log file = /run/samba/log
			map to guest = Bad User
			guest account = root
			interfaces = lo
			bind interfaces only = yes
			smb ports = 4450
			disable netbios = yes
		[share]
			path = $PWD/stored
			guest ok = yes
			read only = no
			force user = root
	CONF
	smbd -D -s /run/samba/conf || return
	for _ in $(seq 600); do
		! mount -t cifs //127.0.0.1/share mnt -o guest,port=4450,vers=3.1.1 || return 0
		sleep 0.1
	done
	return 1
}
there() { # NAME: at mnt
	rm -f image && truncate -s 256M image || return
	case $1 in
	smb) share && return ;;
	nilfs2) mkfs.nilfs2 -q image ;;
	ext2) mkfs.ext2 -q -F image ;;
	*) "mkfs.$1" image ;;
	esac && mount -t "$1" -o loop image mnt
}
while read -r name; do
	kind=$(echo "$name" | sed s/smb/cifs/)
	modprobe -q "$kind"
	if ! grep -qw "$kind" /proc/filesystems; then
		echo "its kernel has no $kind" >"results/$name.skip"
	elif there "$name" >"results/$name.fail" 2>&1; then
		rm "results/$name.fail"
		sh sessions "$name"
		umount mnt
	fi
	cp "results/$name".* "$here/results"
done <"$here/wanted"
END
in_uml() { # NAME PROGRAM/PACKAGE...
	name=$1
	shift
	missing=$(unbootable "$@")
	if [ -z "$missing" ]; then echo "$name" >>wanted; else skip "$name in a user-mode Linux" "$missing"; fi
}
: >wanted
in_uml smb smbd/samba mount.cifs/cifs-utils
in_uml vfat mkfs.vfat/dosfstools
in_uml nilfs2 mkfs.nilfs2/nilfs-tools
in_uml udf mkfs.udf/udftools
in_uml ext2 mkfs.ext2/e2fsprogs
[ -s wanted ] || exit 0
boot 400 loop
cat console out err >said
[ "$(cat status 2>/dev/null)" = 0 ] || fail "the user-mode Linux comes to its end" said
while read -r name; do
	if [ -e "results/$name.skip" ]; then
		skip "$name in a user-mode Linux" "$(cat "results/$name.skip")"
	elif [ -e "results/$name.fail" ] || [ ! -e "results/$name.names" ]; then
		fail "$name is mounted in a user-mode Linux" "$(find results -name "$name.fail" | grep . || echo said)"
	else
		judge "$name"
	fi
done <wanted
