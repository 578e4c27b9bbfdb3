#!/bin/sh
# File systems that nobody developed this on: bindfs, sshfs, ntfs-3g, exfat-fuse and gocryptfs here, by FUSE; an SMB
# share, vfat, nilfs2, udf, gfs2, minix, ext2's own driver and hostfs in a user-mode Linux. On each a session with its
# output, its input, both, a second output, an output that is overwritten, all rows, a report.
# Tried: it fails where no extents are taken for shared ones (ext2, SMB); where a time that a server sets late ends the
# Tried: session (SMB); where a low limit of memory is the remedy for what a file system does not keep (bindfs, sshfs);
# Tried: where the old report is open while the new one gets its name (SMB: both are gone); where FIEMAP is asked of
# Tried: what is not written back (nilfs2: is read-only then); where a heading takes FUSE's file systems for one.
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
session output X mnt/Y
session input mnt/X Y
session both mnt/X mnt/Y
session tee X Y --tee=mnt/T
session overwritten X mnt/Y --overwrite
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
	for session in output input both tee overwritten all report late; do
		case $session in
		tee) wanted="0 same same same" ;;
		late) [ "$1" = smb ] || continue ;;
		*) wanted="0 same same" ;;
		esac
		to=results/$1.$session
		is "$1, $session: exit status, and what are copies" "$(paste -sd' ' "$to.status")" "$wanted"
		[ -s "$to.csv" ] || { fail "... there is a report" "$to.err" && continue; }
		[ "$(head -n 1 "$to.status")" = 0 ] || fail "... what it has said" "$to.err"
		is "... a row is ok, or not to be had there" \
			"$(column 4 "$to.csv" | grep -Ev '^(ok|n/a.*)$' | sort | uniq -c)" ""
		is "... what reads and writes is ok, but for fallocate(2)" \
			"$(column 1,4 "$to.csv" | grep '^read+write' | grep -v falloc | cut -d, -f2 | sort -u)" ok
		cat "$to.csv" "$to.err" >said
		one_line said
		is "... a limit of memory is the reason of nothing" "$(grep -o '.\{0,99\}memory limit' line)" ""
	done
	holds "$1: the state of an output that is overwritten is said" "results/$1.overwritten.csv" '^# output_state: '
	is "$1: no other file is left there" \
		"$(grep -v 'lost+found' "results/$1.names" | paste -sd' ')" "T X Y report.csv"
}

# Here, by FUSE: each is a process in the foreground, which ends with its mount.
serve() { # NAME: the file system at mnt
	case $1 in
	bindfs) exec bindfs -f stored mnt ;;
	sshfs) PATH=$PWD/stead:$PATH exec sshfs -f "here:$PWD/stored" mnt ;;
	ntfs-3g) exec ntfs-3g -o no_detach image mnt ;;
	exfat-fuse) exec mount.exfat-fuse -d "$loop" mnt ;;
	gocryptfs) exec gocryptfs -q -fg -extpass 'echo secret' stored mnt ;;
	esac
}
make_for() { # NAME
	truncate -s 64M image || return
	case $1 in
	sshfs) # in ssh(1)'s stead what it would start on the other side
		mkdir stead && printf '#!/bin/sh\nexec "%s"\n' "$sftp" >stead/ssh && chmod +x stead/ssh ;;
	ntfs-3g) mkfs.ntfs -q -F image ;;
	exfat-fuse) mkfs.exfat image && loop=$(losetup -f --show image) ;;
	gocryptfs) gocryptfs -q -init -scryptn 10 -extpass 'echo secret' stored ;;
	esac
}
is_served() { # or never will be
	mountpoint -q mnt || ended "$server"
}
unserve() {
	[ -z "$server" ] || { umount mnt || umount -l mnt; } 2>/dev/null
	[ -z "$server" ] || within 60 "$server"
	[ -z "$loop" ] || losetup -d "$loop"
	server='' loop=''
}
server='' loop=''
undo=unserve
sftp=
for at in /usr/lib/openssh /usr/libexec/openssh /usr/libexec /usr/lib/ssh /usr/lib; do
	[ -n "$sftp" ] || [ ! -x $at/sftp-server ] || sftp=$at/sftp-server
done
by_fuse() { # NAME PROGRAM/PACKAGE...
	name=$1
	shift
	if [ -z "${OWN_MOUNTS-}" ]; then
		missing="not root, or no mount namespaces"
	elif ! (: <>/dev/fuse) 2>/dev/null; then
		missing="no /dev/fuse"
	else
		missing=$(lacking "$@")
	fi
	[ -z "$missing" ] || { skip "$name" "$missing" && return; }
	rm -rf stored image && mkdir stored
	make_for "$name" >said 2>&1 || { fail "$name is made" said && return; }
	serve "$name" </dev/null >said 2>&1 3>&- &
	server=$!
	until_there is_served
	if mountpoint -q mnt; then
		sh sessions "$name" 3>&-
		judge "$name"
		is "$name: a server's CPU time is not the caller's" "$(cat results/"$name".[!r]*.csv | grep -c '^# cpu_whole')" 0
		type='(NTFS by |exFAT by )?FUSE' # and no more than the kernel knows
		! grep -q " $PWD/mnt .* - fuse\.$name " /proc/self/mountinfo || type="FUSE \\($name\\)"
		holds "$name: the heading has its type" "results/$name.output.csv" "^# heading: (.* to )?$type(,|\$)"
	else
		fail "$name is served" said
	fi
	unserve
}
by_fuse bindfs bindfs/bindfs
by_fuse sshfs sshfs/sshfs "${sftp:-sftp-server}/openssh-sftp-server"
by_fuse ntfs-3g ntfs-3g/ntfs-3g
by_fuse exfat-fuse mount.exfat-fuse/exfat-fuse mkfs.exfat/exfatprogs losetup/mount
by_fuse gocryptfs gocryptfs/gocryptfs

# In a user-mode Linux: results/NAME.skip says that it lacks a module, results/NAME.fail that it can't be mounted.
cat >inside <<'END'
#!/bin/sh
here=$PWD
mkdir hosted /mnt/work && cp X write-bench sessions /mnt/work && cd /mnt/work && mkdir mnt results stored || exit
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
	hostfs) mount --bind "$here/hosted" mnt && return ;;
	nilfs2) mkfs.nilfs2 -q image ;;
	gfs2) mkfs.gfs2 -q -O -p lock_nolock -j 1 -J 8 image ;;
	minix) mkfs.minix -3 image ;;
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
in_uml gfs2 mkfs.gfs2/gfs2-utils
in_uml minix mkfs.minix/util-linux
in_uml ext2 mkfs.ext2/e2fsprogs
in_uml hostfs
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
if [ -e results/smb.both.csv ]; then # copy_file_range(2), from the share to the share
	is "smb: what the server copies is a copy" \
		"$(column 1,4 results/smb.both.csv | grep '^copy_file_range,')" copy_file_range,ok
	cat results/smb.both.csv results/smb.both.err | sed 's/serverino//' >said
	one_line said
	grep -Eq 'copy_file_range[^.]*server|server[^.]*copy_file_range' line
	is "... with a note that it was the server" $? 0
fi
