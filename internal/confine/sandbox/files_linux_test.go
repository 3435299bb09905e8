package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

func TestWorktreeIsWritten(t *testing.T) {
	c := workIn(t)
	nothingLeft(t)
	must(t, c, `mkdir a && echo text > a/b && ln a/b c && ln -s a d && mkfifo e && mv a f && rm c && truncate -s 2 f/b && chmod 700 f`)
	got := tree(t, c.Work)
	for _, want := range []string{"f drwx------", `f/b -rw-r--r-- "te"`, "d Lrwxrwxrwx -> a", "e prw-r--r--"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	info, err := os.Lstat(filepath.Join(c.Work, "f/b"))
	if st, ok := info.Sys().(*syscall.Stat_t); err != nil || !ok || int(st.Uid) != os.Geteuid() || int(st.Gid) != os.Getegid() {
		t.Errorf("owned by %+v, %v", st, err)
	}
}

func TestRootIsReadOnly(t *testing.T) {
	c := workIn(t)
	var before []string
	knobs := []string{"/proc/sys/kernel/hostname", "/proc/sys/kernel/core_pattern", "/proc/sys/vm/swappiness", "/proc/sys/kernel/domainname"}
	for _, k := range knobs {
		b, _ := os.ReadFile(k)
		before = append(before, string(b))
	}
	info, err := os.Stat("/etc/hosts")
	if err != nil {
		t.Fatal(err)
	}
	dirs := []string{"/", "/etc", "/usr", "/usr/bin", "/var", "/var/lib", "/home", "/root", "/opt", "/srv", "/dev", "/proc", "/sys",
		"/run", "/run/longshift", "/sys/fs/cgroup", "/var/cache", "/mnt"}
	var lines []string
	for _, d := range dirs {
		lines = append(lines, "echo x > "+d+"/longshift-attack", "mkdir "+d+"/longshift-attack.d", "ln -s /x "+d+"/longshift-attack.l")
	}
	for i, k := range knobs { // writes the current value, so that a successful attack does no harm
		lines = append(lines, "printf %s '"+strings.TrimSpace(before[i])+"' > "+k)
	}
	lines = append(lines,
		"chmod 777 /etc/hosts", "touch /etc/hosts", "chown 1000 /etc/hosts", "rm /etc/hosts", "mv /etc/hosts /etc/hosts2",
		"echo x >> /etc/hosts", "truncate -s 0 /etc/hosts", "ln /etc/hosts here",
		"ln -s /etc/longshift-attack link && echo x > link", "cd /etc && echo x > longshift-attack",
		"echo x > /proc/self/root/etc/longshift-attack", "echo x > /proc/1/root/etc/longshift-attack",
		"echo -500 > /proc/self/oom_score_adj", "echo 0 > /proc/self/oom_score_adj", "echo x > /proc/self/uid_map",
		"mknod dev b 254 0", "mknod dev c 1 1", "mount -t tmpfs x .", "mount --bind /etc .", "umount /etc/passwd", "umount -l /run",
		"mount -o remount,rw /", "chroot . /bin/true", "pivot_root . .", "head -c 1 /dev/vda",
		"echo x > /dev/kmsg", "cat /dev/vda", "cat /dev/mem", "cat /proc/kcore | head -c 1 | grep -q .",
		"echo x > /sys/kernel/uevent_helper", "echo c > /proc/sysrq-trigger",
		"echo $$ > /sys/fs/cgroup/cgroup.procs", "echo $$ > /sys/fs/cgroup/pids/cgroup.procs")
	fails(t, c, lines...)
	for i, k := range knobs {
		if b, _ := os.ReadFile(k); string(b) != before[i] {
			t.Errorf("%s was %q, is %q", k, before[i], b)
		}
	}
	for _, d := range dirs {
		if list, _ := filepath.Glob(filepath.Join(d, "longshift-attack*")); len(list) > 0 {
			t.Errorf("on the host: %v", list)
		}
	}
	if now, err := os.Stat("/etc/hosts"); err != nil || now.ModTime() != info.ModTime() || now.Mode() != info.Mode() {
		t.Errorf("/etc/hosts has changed: %v", err)
	}
}

func TestPrivateFolders(t *testing.T) {
	c := workIn(t)
	c.Limits.Memory = 1 << 30 // limits the tmpfs folders to a share of it
	for _, dir := range privates() {
		f, err := os.CreateTemp(dir, "longshift-host-")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close(); os.Remove(f.Name()) })
		name := filepath.Join(dir, "longshift-guest")
		out := must(t, c, "ls "+dir+"; echo text > "+name+" && cat "+name)
		if strings.Contains(out, "longshift-host-") || !strings.HasSuffix(out, "text\n") {
			t.Errorf("%s: %s", dir, out)
		}
		if _, err := os.Lstat(name); !os.IsNotExist(err) {
			t.Errorf("%s is on the host: %v", name, err)
		}
		fails(t, c, "cat "+name, "head -c 20G /dev/zero > "+dir+"/fill")
	}
}

// The folder with the sockets of boxes is covered wherever it is.
func TestTemporaryFolderIsCovered(t *testing.T) {
	dir := elsewhere(t)
	t.Setenv("TMPDIR", dir)
	c := workIn(t)
	if out := must(t, c, "ls -A "+dir+"; echo end"); strings.Contains(out, boxPrefix) {
		t.Errorf("a box sees %q", out)
	}
}

// PATH often names folders of one that is readable as a whole. Each mount makes bubblewrap read the table of all of them.
func TestReadableBelowReadable(t *testing.T) {
	base := realPath(t, t.TempDir())
	put(t, base, "home/tools/bin/go", "home/tools/hidden/bin/go", "home/work/file")
	path := func(name string) string { return filepath.Join(base, name) }
	c := Spec{Work: path("home/work"), ReadOnly: true, Hidden: []string{path("home/tools/hidden")},
		Readable: []string{path("home/tools/bin"), path("home/tools"), path("home/tools/hidden/bin")}}
	p, err := newPlaceholders().plan(c)
	if err != nil {
		t.Fatal(err)
	}
	defer p.release()
	var got []string
	for _, m := range p.mounts {
		if below, ok := strings.CutPrefix(m.path, base+"/"); ok {
			got = append(got, below)
		}
	}
	if want := []string{"home/tools", "home/tools/hidden", "home/tools/hidden/bin", "home/work"}; !slices.Equal(got, want) {
		t.Errorf("mounts %q, want %q", got, want)
	}
}

func TestHiddenAndReadable(t *testing.T) {
	base := realPath(t, t.TempDir())
	put(t, base, "data/secret", "data/sub/deep", "data/objects/pack", "data/work/file", "data/cache/old", "token", "plain", "data/objects/inner")
	c := Spec{
		Work: filepath.Join(base, "data/work"), Readable: []string{base, filepath.Join(base, "data/objects")},
		Writable: []string{filepath.Join(base, "data/cache")},
		Hidden: []string{filepath.Join(base, "data"), filepath.Join(base, "token"), filepath.Join(base, "data/objects/inner"),
			filepath.Join(base, "none"), filepath.Join(base, "data/sub")},
	}
	out := must(t, c, "cat ../objects/pack ../cache/old ../../plain file; ls -a ..; echo new > ../cache/new")
	want := "content of data/objects/pack\ncontent of data/cache/old\ncontent of plain\ncontent of data/work/file\n.\n..\ncache\nobjects\nwork\n"
	if out != want {
		t.Errorf("got %q, want %q", out, want)
	}
	fails(t, c, "cat ../secret", "cat ../sub/deep", "cat ../../token", "cat ../objects/inner", "echo x > ../new", "echo x > ../objects/new",
		"echo x > ../../token", "mv ../objects ../o", "mv ../cache ../c", "rm ../objects/inner", "rmdir ../cache", "cat ../../none")
	if b, err := os.ReadFile(filepath.Join(base, "data/cache/new")); string(b) != "new\n" {
		t.Errorf("cache holds %q, %v", b, err)
	}
	if b, err := os.ReadFile(filepath.Join(base, "token")); string(b) != "content of token\n" {
		t.Errorf("token holds %q, %v", b, err)
	}
}

func TestReadOnlyWorktree(t *testing.T) {
	c := workIn(t)
	put(t, c.Work, "file", "dir/file", ".git/config")
	unchanged(t, c.Work)
	c.ReadOnly, c.Protected = true, []string{filepath.Join(c.Work, ".git"), filepath.Join(c.Work, "dir/none")}
	if out := must(t, c, "cat file"); out != "content of file\n" {
		t.Error(out)
	}
	fails(t, c, "echo x > new", "echo x >> file", "rm file", "mv dir d", "mkdir new", "touch file", "chmod 777 file", "echo x > dir/new",
		"ln file f2", "truncate -s 0 file", "rm -rf .", "echo x > .git/config", "mv .git g", "echo x > "+c.Work+"/new")
}

func TestOddNames(t *testing.T) {
	base := realPath(t, t.TempDir())
	for _, name := range []string{"with space", "new\nline", "quote'\"`$x", "--bind", "\xff\xfe", "ünï", "-", "tab\t\\", "%d%s"} {
		c := Spec{Work: filepath.Join(base, name), Writable: []string{filepath.Join(base, name+".cache")}}
		put(t, c.Work, ".git/config", "sub "+name+"/keep")
		put(t, c.Writable[0], "x")
		c.Protected = []string{filepath.Join(c.Work, ".git"), filepath.Join(c.Work, "sub "+name, "keep"), filepath.Join(c.Work, "none "+name)}
		s := bash(c, `printf %s "$1" > arg && echo "$PWD" > "$2/pwd" && ! echo x > .git/config && ! echo x > "none $1" && ! echo x > "sub $1/keep"`)
		s.Args = append(s.Args, "bash", name, c.Writable[0])
		if r := inside(t, c, s); !r.Success() {
			t.Errorf("%q: %s: %s", name, r.Exit, r.Output)
		}
		if b, err := os.ReadFile(filepath.Join(c.Work, "arg")); string(b) != name {
			t.Errorf("%q: argument came as %q, %v", name, b, err)
		}
		if b, err := os.ReadFile(filepath.Join(c.Writable[0], "pwd")); string(b) != c.Work+"\n" {
			t.Errorf("%q: worktree is %q, %v", name, b, err)
		}
		if list, _ := filepath.Glob(filepath.Join(base, "*", "none*")); len(list) > 0 {
			t.Errorf("%q: left in the worktree: %q", name, list)
		}
	}
}
