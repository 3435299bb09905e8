package base

import "github.com/longshift/longshift/internal/policy/grammar"

// systemPrograms change the host, its accounts and its secrets. No task needs them.
func systemPrograms() []grammar.Program {
	return []grammar.Program{
		refused("it works on disks and file systems of the host", `mkfs mkfs.ext2 mkfs.ext3 mkfs.ext4 mkfs.xfs mkfs.btrfs mkfs.vfat mkfs.fat
			mkfs.ntfs mke2fs mkswap swapon swapoff fdisk sfdisk cfdisk gdisk sgdisk parted partprobe wipefs hdparm blkdiscard losetup lvm lvcreate
			lvremove vgremove pvremove mdadm cryptsetup mount umount fusermount fusermount3 mount.cifs mount.nfs e2fsck fsck tune2fs resize2fs
			debugfs dumpe2fs xfs_repair zfs zpool btrfs blockdev badblocks ddrescue dcfldd partclone eject quotaon diskutil hdiutil`),
		refused("it changes owners or special attributes of files", "chown chgrp chattr setfacl setfattr setcap chcon restorecon chflags xattr"),
		refused("it changes accounts of the host", `useradd userdel usermod groupadd groupdel groupmod adduser deluser addgroup delgroup passwd
			chpasswd gpasswd chsh chfn chage visudo vipw vigr pwconv login faillock dscl`),
		refused("it changes services and the kernel of the host", `systemctl service rc-service rc-update initctl launchctl chkconfig
			update-rc.d invoke-rc.d telinit init shutdown reboot poweroff halt kexec sysctl modprobe insmod rmmod depmod iptables ip6tables nft ufw
			firewall-cmd ebtables arptables tc ip ifconfig ifup ifdown route brctl iw iwconfig ethtool rfkill hostnamectl timedatectl localectl
			loginctl hwclock ntpdate chronyd rdate dmsetup udevadm update-grub grub-install efibootmgr setenforce semanage aa-complain aa-disable
			auditctl bpftool wall write mesg loadkeys setterm kbd_mode rtcwake pm-suspend supervisorctl pm2 runsv sv monit crond cron logrotate
			alternatives update-alternatives ldconfig defaults nvram csrutil spctl`),
		refused("Longshift prepares what is installed; say what is missing in the task", `apt apt-get aptitude apt-key add-apt-repository dpkg
			dpkg-reconfigure dpkg-deb debconf-set-selections yum dnf rpm zypper pacman yay emerge apk brew port snap flatpak pkg pkg_add opkg
			xbps-install eopkg swupd nala tdnf microdnf installer softwareupdate mas choco winget scoop`),
		refused("a task may not use keys and secrets", `gpg gpg2 gpgconf gpg-agent gpg-connect-agent gpgsm ssh-add ssh-keysign age rage
			minisign signify security secret-tool kwallet-query keyctl pinentry certbot acme.sh step mkcert keychain git-crypt kinit klist ykman
			pcsc_scan tpm2_unseal systemd-creds systemd-ask-password ejson transcrypt blackbox_cat`),
		asked("a key is made by a person", "ssh-keygen htpasswd mkpasswd"),
		refused("logs and state of the host are not the task's", `journalctl dmesg last lastb lastlog ausearch aureport coredumpctl sosreport
			utmpdump sar faillog dmidecode lshw lspci lsusb hwinfo smartctl ipmitool mcelog crash`),
		refused("it works only with a person at the terminal; change files with the Edit tool", `vi vim nvim view vimdiff rvim ex ed red emacs
			emacsclient nano pico micro joe jed mcedit ne kak helix hx code cursor subl gedit kate notepad dialog whiptail fzf sk gum vifm ranger
			nnn lf zenity select-editor sensible-editor sensible-browser sensible-pager editor xterm gnome-terminal konsole alacritty kitty reset
			stty tset bpython ipython ptpython`),
	}
}

// interpreters run code of languages without a profile.
func interpreters() []grammar.Program {
	why := "code inside a command can't be judged; put it in a script of the project"
	script := func(names, opts string) grammar.Program {
		p := judged(names, grammar.Run, opts, "data*", scripted)
		p.Style, p.Why = grammar.Posix, why
		return p
	}
	return []grammar.Program{
		script("perl", "-w -W -c -T -t -v -V ~-e ~-E ~-n ~-p ~-i* ~-I* ~-M* ~-m* ~-d* ~-x* ~-s ~-S ~-a ~-l* ~-0* ~-F* ~-C*"),
		script("lua luajit lua5.1 lua5.2 lua5.3 lua5.4", "-v -W ~-e ~-l ~-i ~-E ~-b"),
		script("Rscript", "--vanilla --no-save --no-environ --verbose ~-e"),
		script("julia",
			"-v -q,--quiet --startup-file=no|yes --color=data -t,--threads=data ~-e,--eval ~-E,--print ~-i ~-L,--load --project?=code"),
		script("prove", `-v,--verbose -r,--recurse -l,--lib -b,--blib -j,--jobs=number -q,--quiet -Q,--QUIET -f,--failures --timer -m,--merge
			-s,--shuffle --norc ~-e,--exec ~-I* ~-P* ~-M* ~--harness ~--formatter ~-a,--archive ~--rules`),
		script("bats", `-t,--tap -p,--pretty -r,--recursive -c,--count -f,--filter=data -j,--jobs=number -T,--timing
			--formatter=tap|tap13|junit|pretty -F=tap|tap13|junit|pretty --no-tempdir-cleanup -x,--trace --verbose-run
			--print-output-on-failure -o,--output=write --no-parallelize-across-files --no-parallelize-within-files --abort -v -h`),
		script("shellspec", "-f,--format=data -j,--jobs=number -q,--quick -x,--xtrace --no-banner -v"),
		asked(why, `tclsh wish R octave matlab maxima gp sage scheme guile racket sbcl clisp ocaml ghci runghc runhaskell elixir iex erl escript
			scala-cli groovysh jshell irb pry swipl prolog forth gforth gst smalltalk m4 gnuplot ipython3 jupyter osascript AppleScript
			cscript wscript raku perl6 crystal nim v vlang janet fennel bb babashka hy coffee livescript`),
		asked("commands of a database can't be checked; use the project's own scripts", `sqlite3 sqlite mysql mysqldump mysqladmin mariadb
			psql pg_dump pg_restore createdb dropdb createuser pg_ctl initdb redis-cli redis-server mongo mongosh mongod mongodump duckdb
			clickhouse clickhouse-client cqlsh influx usql litecli pgcli mycli isql sqlplus sqlcmd memcached memcstat etcdctl neo4j cypher-shell`),
	}
}

// scripted judges an interpreter that is given a script of the tree.
func scripted(m *grammar.Match) {
	at := m.Operands()
	switch {
	case m.Has("-v", "-V", "--version", "--help") && len(at) == 0:
		m.Class = grammar.Inspect
	case len(at) == 0 && (m.Rule == "prove" || m.Rule == "shellspec"):
	case len(at) == 0:
		m.StdinCode = true
	case m.Rule == "prove" || m.Rule == "bats" || m.Rule == "shellspec":
		allAre(grammar.Code)(m)
		for _, i := range at {
			m.StdinCode = m.StdinCode || m.Uses[i].Word.Is("-")
		}
	default:
		m.Uses[at[0]].Kind = grammar.Code
		if m.Uses[at[0]].Word.Is("-") {
			m.StdinCode = true
		}
	}
}
