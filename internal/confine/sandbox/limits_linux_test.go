package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A fork bomb exhausts the box only: the worker can still start programs.
func TestForkBomb(t *testing.T) {
	c := workIn(t)
	c.Limits = Limits{Processes: 600}
	nothingLeft(t)
	mark := newMark()
	p, err := theBox(t).Start(t.Context(), bash(c, `echo ready; f() { f "$1" | f "$1" & }; f `+mark+`; while :; do f `+mark+`; done 2>/dev/null`), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Stop)
	readLine(t, p.Stdout())
	other := workIn(t)
	for range 3 {
		begin := time.Now()
		must(t, other, "for i in 1 2 3 4 5; do /bin/true; done")
		if took := time.Since(begin); took > 20*time.Second {
			t.Errorf("the worker is starved: %s for five programs", took)
		}
		if n := len(marked(mark)); n > 610 {
			t.Errorf("%d processes", n)
		}
	}
	p.Stop()
	if left := marked(mark); len(left) > 0 {
		t.Errorf("%d left after the stop", len(left))
	}
}

func TestThreadBomb(t *testing.T) {
	c := workIn(t)
	c.Limits = Limits{Processes: 100}
	r := inside(t, c, python(c, `
import threading, time, os
n=0
try:
    while n<500:
        threading.Thread(target=time.sleep,args=(1000,),daemon=True).start(); n+=1
except RuntimeError: pass
print(n, flush=True); os._exit(0)`))
	if n, err := strconv.Atoi(strings.TrimSpace(r.Output)); err != nil || n < 20 || n > 100 {
		t.Errorf("%s: %s", r.Exit, r.Output)
	}
}

func TestMemoryBomb(t *testing.T) {
	c := workIn(t)
	c.Limits = Limits{Memory: 1 << 30}
	grab := `
x=[]
try:
    for i in range(2000): x.append(bytearray(1<<20))
    print("all of it")
except MemoryError: print("refused", len(x)<1024)`
	if r := inside(t, c, python(c, grab)); r.Output != "refused True\n" && r.Signal != "SIGKILL" {
		t.Errorf("%s: %s", r.Exit, r.Output)
	}
	r := inside(t, c, python(c, `
import mmap
try:
    m=mmap.mmap(-1,2<<30,mmap.MAP_SHARED|mmap.MAP_ANONYMOUS)
    for i in range(0,2<<30,4096): m[i]=1
    print("all of it")
except (MemoryError,OSError): print("refused")`))
	if theBox(t).groups.has("memory") && r.Output == "all of it\n" { // only a cgroup counts shared memory
		t.Errorf("%s: %s", r.Exit, r.Output)
	}
}

// Sanitizers reserve terabytes that they never use. Where a group bounds the memory of the box, a program may.
func TestMemoryIsReserved(t *testing.T) {
	if !theBox(t).groups.has("memory") {
		const why = "without a memory group the limit of each process counts what is reserved"
		if os.Getenv("CI") != "" && os.Geteuid() == 0 { // another user may have none
			t.Fatal(why)
		}
		t.Skip(why)
	}
	c := workIn(t)
	s := ownProgram(t, &c, "reserve")
	if r := inside(t, c, s); r.Output != "reserved\n" {
		t.Errorf("%s: %s", r.Exit, r.Output)
	}
}

// reserveMain reserves memory as AddressSanitizer does.
func reserveMain() {
	const shadow = 0xdfff0001000
	flags := unix.MAP_PRIVATE | unix.MAP_ANONYMOUS | unix.MAP_NORESERVE
	if _, err := unix.Mmap(-1, 0, shadow, unix.PROT_READ|unix.PROT_WRITE, flags); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("reserved")
}

func TestFileLimits(t *testing.T) {
	c := workIn(t)
	c.Limits = Limits{FileSize: 1 << 20, OpenFiles: 100}
	r := inside(t, c, bash(c, "head -c 5000000 /dev/zero > big; ulimit -n; ulimit -Hn; ulimit -n 101 2>/dev/null || echo no"))
	if !strings.HasSuffix(r.Output, "100\n100\nno\n") {
		t.Errorf("%s: %s", r.Exit, r.Output)
	}
	if info, err := os.Stat(filepath.Join(c.Work, "big")); err != nil || info.Size() != 1<<20 {
		t.Errorf("%v, %v", info, err)
	}
}

func TestProcessorTime(t *testing.T) {
	c := workIn(t)
	c.Limits = Limits{CPU: time.Second}
	if r := inside(t, c, bash(c, "while :; do :; done")); r.Signal != "SIGXCPU" && r.Signal != "SIGKILL" {
		t.Errorf("%s: %s", r.Exit, r.Output)
	}
}

func TestLimitsCannotBeRaised(t *testing.T) {
	c := workIn(t)
	memory := []string{"ulimit -d unlimited"}
	if groups := theBox(t).groups; groups.has("memory") {
		memory = nil
		for _, g := range groups {
			memory = append(memory, "echo $$ > "+g.dir+"/cgroup.procs") // out of the box's own
		}
	}
	fails(t, c, append(memory, "ulimit -u unlimited", "ulimit -f unlimited", "ulimit -t unlimited", "ulimit -c 1000",
		"nice -n -5 true 2>&1 | grep -q . && exit 1; [ $(nice -n -5 nice) -lt 10 ]", "renice -n 0 $$", "echo 0 > /proc/self/oom_score_adj")...)
	if out := must(t, c, "nice; cat /proc/self/oom_score_adj"); out != "10\n500\n" {
		t.Errorf("got %s", out)
	}
}
