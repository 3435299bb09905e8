package sandbox

import (
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/longshift/longshift/internal/confine/process"
)

func TestNamespaces(t *testing.T) {
	c := workIn(t)
	out := must(t, c, `for n in user mnt pid ipc uts net cgroup; do echo $n $(readlink /proc/self/ns/$n); done; hostname; id -u; id -un; id -g; echo ~`)
	for name, own := range ownNamespaces() {
		if strings.Contains(out, name+" "+own) || !strings.Contains(out, name+" ") {
			t.Errorf("%s is shared: %s", name, out)
		}
	}
	if !strings.HasSuffix(out, "localhost\n1000\nagent\n1000\n/tmp\n") {
		t.Errorf("got %s", out)
	}
	status := must(t, c, "cat /proc/self/status")
	for _, want := range []string{"CapInh:\t0000000000000000", "CapPrm:\t0000000000000000", "CapEff:\t0000000000000000",
		"CapBnd:\t0000000000000000", "CapAmb:\t0000000000000000", "NoNewPrivs:\t1", "Seccomp:\t2"} {
		if !strings.Contains(status, want) {
			t.Errorf("no %q in %s", want, status)
		}
	}
	fails(t, c, "unshare -U true", "unshare -Ur true", "unshare -m true", "unshare -n true", "unshare -p -f true", "nsenter -t 1 -a true",
		"bwrap --ro-bind / / true", "bwrap --unshare-user --bind / / true", "sudo -n true", "su -c true", "setpriv --reuid 0 true")
}

func TestNothingOfTheWorkerIsSeen(t *testing.T) {
	t.Setenv("SANDBOX_TEST_SECRET", "swordfish-in-the-environment")
	c := workIn(t)
	hold, err := os.Open("/etc/hosts") // a leaked descriptor without close-on-exec
	if err != nil {
		t.Fatal(err)
	}
	defer hold.Close()
	fd, err := unix.FcntlInt(hold.Fd(), unix.F_DUPFD, 200)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	out := must(t, c, `cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null | tr '\0' '\n'; echo; ls /proc | grep -c '^[0-9]'; ls /proc/self/fd; env`)
	if strings.Contains(out, "swordfish") || strings.Contains(out, fmt.Sprintf("%d\n", fd)) {
		t.Errorf("seen: %s", out)
	}
	if !strings.Contains(out, "HOME=/tmp") {
		t.Errorf("own environment is not seen: %s", out)
	}
	if fds := must(t, c, "ls /proc/self/fd | tr '\n' ' '"); fds != "0 1 2 3 " { // 3 is the listing's own
		t.Errorf("descriptors: %s", fds)
	}
	fails(t, c, fmt.Sprintf("kill -0 %d", os.Getpid()), fmt.Sprintf("ls /proc/%d/task/%d/root/", os.Getpid(), os.Getpid()),
		"cat /proc/1/environ", "cat /proc/1/maps", "cat /proc/1/mem", "readlink /proc/1/fd/0", "cat /proc/1/fd/0", "readlink /proc/1/exe", "ls /proc/1/cwd/", "ls /proc/1/root/", "echo x > /proc/1/mem",
		"kill -9 1 && ! kill -0 1", "kill -TERM 1", "kill -SEGV 1", "gdb -p 1 -batch", "strace -p 1", "strace true",
		"cat /proc/1/task/1/environ")
}

// Ordinary tools must work in a box.
func TestOrdinaryWork(t *testing.T) {
	c := workIn(t)
	for name, script := range map[string]string{
		"git": `export GIT_CONFIG_GLOBAL=/dev/null; git init -q r && cd r && echo x > f && git add f && git -c user.name=a -c user.email=a@b commit -qm m &&
			git switch -qc b && git mv f g && git -c user.name=a -c user.email=a@b commit -qam m2 && git -c user.name=a -c user.email=a@b rebase -q HEAD~1 && git gc -q && git worktree add -q ../w HEAD~1 && git log --oneline | wc -l | grep -qx 2`,
		"pipes":           `seq 1 1000 | sort -R | sort -n | tail -1 | grep -qx 1000 && diff <(echo a) <(echo a)`,
		"background":      `sleep 0.01 & wait $! && (sleep 0.01 &) && true`,
		"own session":     `setsid bash -c 'echo a' | grep -q a && timeout 5 true && nohup true >/dev/null 2>&1`,
		"shared memory":   `python3 -c 'from multiprocessing import shared_memory as s; m=s.SharedMemory(create=True,size=10); m.close(); m.unlink()'`,
		"semaphores":      `python3 -c 'import multiprocessing as m; p=m.Pool(2); assert p.map(abs,[-1,-2])==[1,2]'`,
		"threads":         `python3 -c 'import threading as t; x=[t.Thread(target=print) for _ in range(20)]; [i.start() for i in x]; [i.join() for i in x]'`,
		"terminal":        `python3 -c 'import pty,os; pid,fd=pty.fork(); os._exit(0) if pid==0 else os.waitpid(pid,0)'`,
		"devices":         `echo x > /dev/null && head -c 4 /dev/urandom | wc -c | grep -qx 4 && head -c 4 /dev/zero | wc -c | grep -qx 4 && ! echo x > /dev/full && echo x > /dev/stderr && [ -e /dev/fd/0 ]`,
		"user list":       `python3 -c 'import getpass,os,pwd; assert pwd.getpwuid(os.getuid()).pw_dir=="/tmp"; assert os.path.expanduser("~")=="/tmp"'`,
		"own name":        `python3 -c 'import socket; socket.getaddrinfo(socket.gethostname(),None)'`,
		"tcp":             `python3 -c 'import socket as s; a=s.create_server(("127.0.0.1",0)); b=s.create_connection(a.getsockname()); a.accept()[0].send(b"x"); assert b.recv(1)==b"x"'`,
		"tcp6":            `python3 -c 'import socket as s; a=s.create_server(("::1",0),family=s.AF_INET6); b=s.create_connection(a.getsockname()[:2]); a.accept()'`,
		"udp":             `python3 -c 'import socket as s; a=s.socket(s.AF_INET,s.SOCK_DGRAM); a.bind(("127.0.0.1",0)); b=s.socket(s.AF_INET,s.SOCK_DGRAM); b.sendto(b"x",a.getsockname()); assert a.recv(1)==b"x"'`,
		"unix":            `python3 -c 'import socket as s; a=s.socket(s.AF_UNIX); a.bind("./u"); a.listen(); b=s.socket(s.AF_UNIX); b.connect("./u"); a.accept(); c=s.socket(s.AF_UNIX); c.bind("\0abs"); s.socketpair()'`,
		"interfaces":      `python3 -c 'import socket as s; assert s.if_nameindex()==[(1,"lo")]'`,
		"exec":            `cp /bin/true t && ./t && printf '#!/bin/sh\nexit 0\n' > s && chmod +x s && ./s`,
		"times and links": `touch -d yesterday f && ln f g && cp -a f h && tar cf t.tar f g && tar xf t.tar && find . -newer f | grep -q .`,
		"locks":           `flock lock true && python3 -c 'import fcntl; fcntl.lockf(open("l","w"),fcntl.LOCK_EX)'`,
		"watching":        `python3 -c 'import ctypes; l=ctypes.CDLL(None); f=l.inotify_init1(0); assert f>=0 and l.inotify_add_watch(f,b".",2)>=0'`,
	} {
		if r := inside(t, c, bash(c, script)); !r.Success() {
			t.Errorf("%s: %s: %s", name, r.Exit, r.Output)
		}
	}
	if _, err := exec.LookPath("node"); err == nil {
		must(t, c, `node -e 'const os=require("os"),h=require("http"); os.networkInterfaces(); os.userInfo(); new (require("worker_threads").Worker)("1",{eval:true}); const s=h.createServer((q,r)=>r.end("ok")).listen(0,()=>h.get({port:s.address().port},r=>r.on("data",d=>{if(d!="ok")process.exit(1);s.close()}).on("end",()=>process.exit(0))))'`)
	}
	if path, err := exec.LookPath("go"); err == nil {
		cache, err := exec.Command(path, "env", "GOCACHE").Output()
		dir := strings.TrimSpace(string(cache))
		if err != nil || os.MkdirAll(dir, 0o755) != nil {
			dir = t.TempDir() // a user without a home
		}
		c.Writable = []string{realPath(t, dir)}
		must(t, c, "export GOCACHE='"+dir+`' GOPATH=$PWD/go GOFLAGS=-mod=mod GOTOOLCHAIN=local; mkdir m && cd m && `+path+` mod init m >/dev/null 2>&1 &&
			printf 'package main\nimport ("net";"os/exec")\nfunc main() { l,err:=net.Listen("tcp","localhost:0"); if err!=nil {panic(err)}; l.Close(); if _,err:=net.InterfaceAddrs(); err!=nil {panic(err)}; if err:=exec.Command("true").Run(); err!=nil {panic(err)} }\n' > m.go && `+path+` build -o x . && ./x`)
	}
}

// Landlock must prevent writes even without the namespaces.
func TestLandlockAlone(t *testing.T) {
	theBox(t)
	b, err := New(t.Context(), Config{Log: slog.New(slog.DiscardHandler), Weaken: map[Layer]bool{LayerNamespaces: true, LayerNetwork: true}})
	if err != nil {
		t.Fatal(err)
	}
	c := workIn(t)
	wd := elsewhere(t)
	if err := os.Mkdir(filepath.Join(wd, "testdata"), 0o700); err != nil {
		t.Fatal(err)
	}
	victim := filepath.Join(wd, "landlock-"+randomName())
	if err := os.WriteFile(victim, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Remove(victim) })
	script := `echo x > here && cat /etc/hosts >/dev/null || echo "ordinary work fails"
cd "$1"
for f in new testdata/new ../new /etc/longshift-attack /var/tmp/longshift-attack /proc/self/comm; do
	(echo x >> "$f") 2>/dev/null && echo "wrote $f"
	(mkdir "$f.d" || ln -s x "$f.l" || mkfifo "$f.f" || truncate -s 0 "$f" || rm "$f" || mv "$f" "$f.m") 2>/dev/null && echo "changed $f"
done
(mv "$3" "$2/" || ln "$3" "$2/hard" || rm "$3" || mv "$2/here" here) 2>/dev/null && echo "moved"
kill -0 $PPID 2>/dev/null && echo "signalled"
cat /proc/$PPID/environ >/dev/null 2>&1 && echo "read"
exit 0`
	s := bash(c, script)
	s.Args = append(s.Args, "bash", wd, c.Work, victim)
	r, err := b.Run(t.Context(), s, process.Limits{Wall: time.Minute}, c)
	out := strings.ReplaceAll(r.Output, "wrote /var/tmp/longshift-attack\n", "") // programs may write to /var/tmp
	out = strings.ReplaceAll(out, "changed /var/tmp/longshift-attack\n", "")
	for _, name := range []string{"", ".d"} {
		os.Remove("/var/tmp/longshift-attack" + name)
	}
	if err != nil || !r.Success() || out != "" {
		t.Errorf("%s, %v: %s", r.Exit, err, out)
	}
}
