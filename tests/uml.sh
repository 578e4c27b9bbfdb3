# shellcheck shell=sh
# A user-mode Linux, a kernel that is a process (Debian's package user-mode-linux): for tests of what this
# kernel may lack. To be sourced after tap.sh.
# shellcheck disable=SC2154

lacking() { # PROGRAM/PACKAGE...: the first that is not there, or nothing
	for need; do
		PATH=$PATH:/usr/sbin:/sbin command -v "${need%/*}" >/dev/null && continue
		echo "no ${need%/*}: install ${need#*/}" && return
	done
}
linux=linux.uml
# kernel SECONDS MEMORY INIT: runs it, with INIT as its first process. What it says goes to standard output. Its file
# system is this machine's (hostfs).
kernel() {
	HOME=$PWD TMPDIR=/dev/shm timeout -s KILL "$1" "$linux" "mem=$2" root=/dev/root rootfstype=hostfs \
		rootflags=/ rw quiet con=null con0=null,fd:1 "init=$3" </dev/null 2>&1 3>&-
}
# boots: does it? Tried only once. What it said is in booted.
boots() {
	[ -e booted ] || {
		cat >first <<-END
			#!/bin/sh
			mount -t proc proc /proc
			echo It boots.
			echo o >/proc/sysrq-trigger
			sleep 9
		END
		chmod +x first
		kernel 60 256M "$PWD/first" >booted
	}
	grep -q '^It boots\.' booted
}
unbootable() { # PROGRAM/PACKAGE...: what is missing to run it, and these in it, or nothing
	[ "$(id -u)" = 0 ] || { echo "not root, as which its files would belong to another user" && return; }
	case $PWD/ in
	/dev/* | /mnt/* | /proc/* | /run/* | /sys/*) echo "it has its own ${PWD%"${PWD#/*/}"}: set TMPDIR" && return ;;
	*[[:space:]]*) echo "its kernel's command line can't have a path with blanks: set TMPDIR" && return ;;
	esac
	lacking linux.uml/user-mode-linux modprobe/kmod ip/iproute2 "$@" >lacking
	[ ! -s lacking ] || { cat lacking && return; }
	boots || echo "a user-mode Linux does not boot here: $(grep -im 1 'ptrace\|panic' booted || tail -n 1 booted)"
}
# boot SECONDS MODULE...: it runs the script ./inside here, with /mnt for TMPDIR. Leaves out, err and status, and
# console, which has what the kernel has said. What has to be empty and writable there is on tmpfs. Its modules are
# where no modprobe looks for them: one of our own, for scripts and for the kernel, is given their place.
boot() {
	limit=$1 && shift
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
	kernel "$limit" 2G "$PWD/init" >console
}
