package base

import "github.com/longshift/longshift/internal/policy/grammar"

// wrapperPrograms run the command that follows. Those that change nothing else are judged by that command.
func wrapperPrograms() []grammar.Program {
	through := func(names, opts, args string, judge func(*grammar.Match)) grammar.Program {
		p := judged(names, grammar.Inspect, opts, args, judge)
		p.Style = grammar.Posix
		p.Why = "it changes how the command is found or run"
		return p
	}
	return []grammar.Program{
		through("timeout gtimeout", "-s,--signal=data -k,--kill-after=data --preserve-status --foreground -v,--verbose", "data command", nil),
		through("nice", "-# -n,--adjustment=data", "command?", nil),
		through("nohup", "", "command", nil),
		through("stdbuf gstdbuf", "-i,--input=data -o,--output=data -e,--error=data", "command", nil),
		through("time gtime", "-p,--portability -v,--verbose -f,--format=data -o,--output=write -a,--append -q,--quiet", "command", nil),
		through("ionice", "-c,--class=data -n,--classdata=number -t,--ignore", "command?", nil),
		through("unbuffer", "-p", "command", nil),
		through("caffeinate", "-d -i -m -s -u -t=number", "command?", nil),
		through("env genv", `-i,--ignore-environment -u,--unset=data -C,--chdir=dir -v,--debug !-S,--split-string !--argv0 !-P !--block-signal
			!--default-signal !--ignore-signal -0,--null`, "assign* command?", bareEnv),
		through("xargs gxargs", `-0,--null -a,--arg-file=read -d,--delimiter=data -E=data -e?=data --eof?=data -I=data -i?=data --replace?=data
			-L=number -l?=number --max-lines?=number -n,--max-args=number -P,--max-procs=number -r,--no-run-if-empty -s,--max-chars=number
			--show-limits -t,--verbose -x,--exit ~-o,--open-tty ~-p,--interactive !--process-slot-var`, "command?", func(m *grammar.Match) {
			for _, u := range m.Uses {
				if u.Kind == grammar.Command {
					shellInside(m, append([]grammar.Word{u.Word}, u.Rest...))
				}
			}
		}),
		asked("it waits for a person or runs without end; run the command itself",
			"watch entr watchexec watchman inotifywait fswatch reflex chokidar"),
		asked("it changes how a command runs; run the command itself", `setsid chrt taskset numactl cgexec setarch linux32 linux64 i386 xvfb-run
			dbus-run-session fakeroot faketime parallel rush ts sponge chronic ifne vipe pee softlimit prlimit choom uclampset hyperfine poop
			dotenvx envchain chpst s6-setuidgid gosu su-exec`),
		refused("it gives a command other rights or another root, or detaches it from the task", `sudo su doas pkexec runuser setpriv capsh
			proot chroot unshare nsenter bwrap firejail systemd-run systemd-nspawn machinectl start-stop-daemon daemonize daemon dtach screen tmux
			tmate abduco zellij byobu at atd batch crontab anacron newgrp sg sudoedit run0 calife super`),
		refused("it hides the command that it runs; run the command itself", `script scriptreplay rlwrap expect autoexpect empty pty flock lckdo
			setlock ssh-agent dbus-launch xdotool xdg-open open start run-parts shc`),
	}
}

// bareEnv asks about env without a command: it prints the environment.
func bareEnv(m *grammar.Match) {
	for _, u := range m.Uses {
		if u.Kind == grammar.Command {
			return
		}
	}
	if !m.Has("--help", "--version") {
		m.Ask(".dump", "this prints the whole environment; name the variable: echo \"$NAME\"")
	}
}
