package sandbox

import (
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/confine/process"
)

// setIDTries are ways to create a set-id file, one per line. Each leaves a file of its own.
const setIDTries = `
import ctypes, os, shutil, stat, struct, subprocess
libc = ctypes.CDLL(None, use_errno=True)
os.umask(0)
def call(*args):
    if libc.syscall(*args) < 0: raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
def fresh(name):
    shutil.copy("/bin/true", name); return name
def flags(path): return os.open(path, os.O_RDONLY)
HERE, BITS = -100, (0o4755, 0o2755, 0o6711)
def run(*args): subprocess.run(args, check=True, stderr=subprocess.DEVNULL)
def tmpfile(mode):
    fd = os.open(".", os.O_TMPFILE | os.O_WRONLY, mode)
    os.link("/proc/self/fd/%d" % fd, "tmpfile%o" % mode, src_dir_fd=fd, follow_symlinks=True)
def attr(mode):
    os.setxattr(fresh("attr%o" % mode), "security.capability", struct.pack("<IIIII", 0x02000001, 0xffffffff, 0, 0, 0))
ways = dict(
    chmod=lambda m: os.chmod(fresh("chmod%o" % m), m),
    fchmod=lambda m: os.fchmod(flags(fresh("fchmod%o" % m)), m),
    fchmodat=lambda m: call(268 if X86 else 53, HERE, fresh("fchmodat%o" % m).encode(), m, 0),
    fchmodat2=lambda m: call(452, HERE, fresh("fchmodat2%o" % m).encode(), m, 0),
    through_proc=lambda m: os.chmod("/proc/self/fd/%d" % flags(fresh("proc%o" % m)), m),
    open=lambda m: os.open("open%o" % m, os.O_CREAT | os.O_WRONLY, m),
    old_open=lambda m: call(2, ("old%o" % m).encode(), os.O_CREAT | os.O_WRONLY, m) if X86 else 1/0,
    creat=lambda m: call(85, ("creat%o" % m).encode(), m) if X86 else 1/0,
    openat2=lambda m: call(437, HERE, ("openat2%o" % m).encode(), struct.pack("<QQQ", os.O_CREAT | os.O_WRONLY, m, 0), 24),
    tmpfile=tmpfile,
    mknod=lambda m: call(133, ("mknod%o" % m).encode(), stat.S_IFREG | m, 0) if X86 else 1/0,
    mknodat=lambda m: os.mknod("mknodat%o" % m, stat.S_IFREG | m, dir_fd=os.open(".", os.O_RDONLY)),
    tool=lambda m: run("chmod", "%o" % m, fresh("tool%o" % m)),
    install=lambda m: run("install", "-m", "%o" % m, "/bin/true", "install%o" % m),
    copy=lambda m: run("cp", "--preserve=mode", "given/setid", "copy%o" % m),
    unpack=lambda m: run("tar", "-xpf", "given/setid.tar", "--transform=s/$/%o/" % m),
    upper_half=lambda m: call(91 if X86 else 52, ctypes.c_long(flags(fresh("upper%o" % m))), ctypes.c_long(1 << 32 | m)),
    folder=lambda m: os.chmod("given/folder", m),
    capability=attr,
)
for name, way in ways.items():
    for m in BITS:
        try: way(m)
        except Exception: continue
        print("went through: %s %o" % (name, m))
fd = os.open("plain", os.O_CREAT | os.O_WRONLY | os.O_EXCL, 0o755); os.fchmod(fd, 0o1777); os.mkdir("sticky", 0o1777)
call(257 if X86 else 56, HERE, b"plain", os.O_RDONLY, 0o4755) # heeded only when a file is made
print("end")
`

// No program in a box can leave a set-id file or a file with capabilities on the host.
func TestNoSetIDOnTheHost(t *testing.T) {
	whole := theBox(t)
	x86 := "X86 = " + map[bool]string{true: "True", false: "False"}[runtime.GOARCH == "amd64"]
	without, err := New(t.Context(), Config{Log: slog.New(slog.DiscardHandler), Weaken: map[Layer]bool{LayerNamespaces: true, LayerNetwork: true}})
	if err != nil {
		t.Fatal(err)
	}
	for name, box := range map[string]*Box{"whole": whole, "without namespaces": without} {
		c := workIn(t)
		given := filepath.Join(c.Work, "given")
		put(t, given, "setid", "folder/")
		must(t, c, "tar -cf given/setid.tar --mode=u+s -C given --transform=s/setid/unpack/ setid")
		outside := filepath.Join(realPath(t, t.TempDir()), "outside") // existing files are read and copied
		put(t, outside, "setid")
		if err := os.Chmod(filepath.Join(outside, "setid"), 0o755|fs.ModeSetuid|fs.ModeSetgid); err != nil {
			t.Fatal(err)
		}
		c.Readable = append(c.Readable, outside)
		script := strings.ReplaceAll(setIDTries, "given/setid\"", outside+"/setid\"")
		r, err := box.Run(t.Context(), python(c, x86+script), process.Limits{Wall: time.Minute}, c)
		if err != nil || !strings.HasSuffix(r.Output, "end\n") {
			t.Fatalf("%s: %v, %s: %s", name, err, r.Exit, r.Output)
		}
		for line := range strings.Lines(r.Output) {
			if strings.HasPrefix(line, "went through: ") {
				t.Errorf("%s: %s", name, line)
			}
		}
		files := 0
		err = filepath.WalkDir(c.Work, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			files++
			if info, err := d.Info(); err != nil || info.Mode()&(fs.ModeSetuid|fs.ModeSetgid) != 0 {
				t.Errorf("%s: %s lies on the host as %s, %v", name, path, info.Mode(), err)
			}
			return nil
		})
		if err != nil || files < 20 {
			t.Errorf("%s: %d files, %v", name, files, err)
		}
	}
}

// Copying folders with an inherited group works.
func TestFoldersThatHandDownTheirGroup(t *testing.T) {
	c := workIn(t)
	if err := os.Chmod(c.Work, 0o755|fs.ModeSetgid); err != nil {
		t.Fatal(err)
	}
	must(t, c, "mkdir a && test -g a && cp -a a b && test -g b")
	fails(t, c, "cp /bin/true x && chmod u+s x", "cp /bin/true y && chmod 6755 y")
}
