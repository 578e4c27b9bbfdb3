# shellcheck shell=sh
# A user-mode Linux, a kernel that is a process (Debian's package user-mode-linux, Linux 6.1): for tests of what this
# kernel may lack. To be sourced after tap.sh.
# shellcheck disable=SC2154

lacking() { # PROGRAM/PACKAGE...: the first that is not there, or nothing
	for need; do
		PATH=$PATH:/usr/sbin:/sbin have "${need%/*}" || { echo "no ${need%/*}: install ${need#*/}" && return; }
	done
}
unbootable() { # PROGRAM/PACKAGE...: what is missing to run it, and these in it, or nothing
	[ "$(id -u)" = 0 ] || { echo "not root, as which its files would belong to another user" && return; }
	case $PWD/ in
	/dev/* | /mnt/* | /proc/* | /run/* | /sys/*) echo "it has its own ${PWD%"${PWD#/*/}"}: set TMPDIR" ;;
	*[[:space:]]*) echo "its kernel's command line can't have a path with blanks: set TMPDIR" ;;
	*) lacking linux.uml/user-mode-linux modprobe/kmod ip/iproute2 "$@" ;;
	esac
}
# boot SECONDS MODULE...: it runs the script ./inside here, with /mnt for TMPDIR. Leaves out, err and status, and
# console, which has what the kernel has said. Its file system is this machine's (hostfs); what has to be empty and
# writable there is on tmpfs. Its modules are where no modprobe looks for them: one of our own, for scripts and for the
# kernel, is given their place.
boot() {
	limit=$1
	shift
	mkdir bin lib
	ln -s /usr/lib/uml/modules lib/modules
	printf '#!/bin/sh\nexec /sbin/modprobe -d "%s" "$@"\n' "$PWD" >bin/modprobe
	cat >init <<-END
		#!/bin/bash
		export PATH=$PWD/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
		export HOME=/root LC_ALL=C TMPDIR=/mnt
		mount -t proc proc /proc
		mount -t sysfs sys /sys
		mount -t devtmpfs dev /dev
		mkdir /dev/shm
		for at in /dev/shm /mnt /run /var/lib/nfs; do
			[ ! -d \$at ] || mount -t tmpfs tmpfs \$at
		done
		ln -sfn /proc/self/fd /dev/fd
		echo $PWD/bin/modprobe >/proc/sys/kernel/modprobe
		ip link set lo up
		modprobe -a $*
		cd $PWD || exit
		./inside </dev/null >out 2>err
		echo \$? >status
		sync
		echo o >/proc/sysrq-trigger
		sleep 9
	END
	chmod +x init inside bin/modprobe
	HOME=$PWD TMPDIR=/dev/shm timeout -s KILL "$limit" linux.uml mem=2G root=/dev/root rootfstype=hostfs \
		rootflags=/ rw quiet con=null con0=null,fd:1 init="$PWD/init" </dev/null >console 2>&1 3>&-
}
