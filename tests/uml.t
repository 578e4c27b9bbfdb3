#!/bin/sh
# File systems that this kernel may lack, for real: in a user-mode Linux, a kernel that is a process (Debian's package
# user-mode-linux), run-all.sh makes NFS v4.2, NFS v3, ext3 on dm-crypt, F2FS and vfat, which then take turns.
# Tried: it fails where the kernel's modules are not loaded; where serve_nfs() starts no server; where copy_file_range
# Tried: on NFS v4.2 is taken out of the table. Where linux.uml ends with "ptrace set fp regs failed", it is skipped
# Tried: with these words.
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
{
	grep -E ' nfs4? |nfsd|vfat|f2fs|mapper|write-bench-run' /proc/mounts
	pgrep -l 'rpc[.b]|nfsd|nfsv4'
	ls /mnt
	ls -I control /dev/mapper
} >left
exit $code
END
boot 900 loop nfsd nfs nfsv3 nfsv4 dm-crypt f2fs vfat
cat console out err >all
is "run-all.sh ends with exit status 0 in a user-mode Linux" "$(cat status 2>/dev/null)" 0
[ "$(cat status 2>/dev/null)" = 0 ] || fail "... what it has said" all
is "... and leaves no mount, no server and no file" "$(cat left)" ""
for name in nfs42 nfs3 dmcrypt f2fs vfat; do
	for csv in $name $name-same; do
		csv=tables/$csv.csv
		[ -s "$csv" ] || { fail "$csv is there"; continue; }
		is "$csv: no row fails or copies wrongly" \
			"$(column outcome "$csv" | grep -E '^(failed|mismatch)' | sort | uniq -c)" ""
		[ "$(column outcome "$csv" | grep -cx ok)" -gt 40 ]
		is "... and most are measured" $? 0
		is "... of two passes" "$(column round "$csv" | sort -u | paste -sd' ')" "1 2"
		is "... none passes for shared" "$(grep -c ',shared' "$csv")" 0
	done
	case $name in nfs*) heading='[Nn][Ff][Ss].*' ;; dmcrypt) heading='Ext3[+]dmcrypt' ;; *) heading=$name ;; esac
	case $name in f2fs) heading='[Ff]2[Ff][Ss]' ;; esac
	holds "$name: the heading names it" tables/$name.csv "^# heading: (.* to )?$heading"
	holds "... and the page links it" tables/README.md "/$name.txt" "/$name-same.txt"
done
holds "NFS is mounted as v4.2" tables/nfs42.csv '^# output_mount: nfs4.*vers=4\.2'
holds "... and as v3" tables/nfs3.csv '^# output_mount: nfs .*vers=3'
is "copy_file_range copies from NFS v4.2 to NFS v4.2; from tmpfs the kernel refuses" \
	"$(sed -n 's/^copy_file_range,[12],[0-9]*,\([^,]*\),.*/\1/p' tables/nfs42-same.csv tables/nfs42.csv |
		paste -sd' ')" "ok ok n/a EXDEV n/a EXDEV"
