#!/bin/sh
# run-all.sh on file systems that this kernel may lack, for real: in a user-mode Linux, a kernel that is a process
# (Debian's package user-mode-linux), they are made, take turns, and nothing is left.
#   A place is a line: NAME|how the heading names it|how it is mounted.
# Tried: it fails where the kernel's modules are not loaded; where serve_nfs() starts no server; where copy_file_range
# Tried: on NFS v4.2 is taken out of the table. Where linux.uml does not boot, it is skipped with its words.
. "$(dirname "$0")/tap.sh"
. "$top/tests/uml.sh"

full "run-all.sh in a user-mode Linux" || exit 0
missing=$(unbootable rpc.mountd/nfs-kernel-server rpcbind/rpcbind dmsetup/dmsetup cryptsetup/cryptsetup-bin \
	mkfs.f2fs/f2fs-tools mkfs.ext4/e2fsprogs mkfs.vfat/dosfstools)
[ -z "$missing" ] || skip_all "$missing"

mkdir tree tables
cp "$top/run-all.sh" tree/
cp "$wb" tree/write-bench
cat >inside <<'END'
#!/bin/sh
tree/run-all.sh -f nfs42,nfs3,dmcrypt,f2fs,vfat -s 256k -n 2 -o tables -- -p0 --until=close --with=cat
code=$?
grep -E ' nfs4? |nfsd|vfat|f2fs|mapper|write-bench-run' /proc/mounts >left
{ pgrep -l 'rpc[.b]|nfsd|nfsv4'; ls /mnt; ls -I control /dev/mapper; } >>left
exit $code
END
boot 900 loop nfsd nfs nfsv3 nfsv4 dm-crypt f2fs vfat
cat console out err >all
holds "run-all.sh ends with exit status 0 in a user-mode Linux" status '^0$'
[ "$(cat status)" = 0 ] || sed 's/^/#   /' all >&3
is "... and leaves no mount, no server and no file" "$(cat left)" ""
while IFS='|' read -r name heading mounted <&4; do
	holds "$name: the heading names it" "tables/$name.csv" "^# heading: (.* to )?$heading" "^# output_mount: $mounted"
	for csv in "tables/$name.csv" "tables/$name-same.csv"; do # no row fails, copies wrongly, or passes for shared
		is "${csv#*/}: rounds, outcomes, and that most are ok" "$(column round "$csv" | sort -u | xargs) $(
			column outcome "$csv" | sed "s/ E.*//" | sort | uniq -c | awk "\$1 > 40 || !/ok/ { print \$2 }" | xargs)" \
			"1 2 n/a ok"
	done
done 4<<'END'
nfs42|[Nn][Ff][Ss].*|nfs4.*vers=4[.]2
nfs3|[Nn][Ff][Ss].*|nfs .*vers=3
dmcrypt|Ext3[+]dmcrypt|ext3
f2fs|[Ff]2[Ff][Ss]|f2fs
vfat|vfat|vfat
END
is "copy_file_range copies within NFS v4.2; from tmpfs the kernel refuses" \
	"$(for csv in tables/nfs42-same.csv tables/nfs42.csv; do of copy_file_range outcome $csv; done | xargs)" \
	"ok ok n/a EXDEV n/a EXDEV"
