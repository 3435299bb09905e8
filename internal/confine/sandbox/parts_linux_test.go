package sandbox

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/confine/process"
)

// workerMain acts as a worker that will be killed: it starts a box with the given script and waits.
func workerMain() {
	b, err := New(context.Background(), Config{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		fmt.Println(err)
		return
	}
	c := Spec{Work: os.Getenv("SANDBOX_TEST_WORK")}
	c.Protected = []string{c.Work + "/held/deep"}
	p, err := b.Start(context.Background(), bash(c, os.Getenv("SANDBOX_TEST_SCRIPT")), c)
	if err != nil {
		fmt.Println(err)
		return
	}
	io.Copy(os.Stdout, p.Stdout())
	p.Wait()
}

// probeWithoutMain acts as a worker on a host that lacks what SANDBOX_TEST_LACKS names.
func probeWithoutMain() {
	if err := lack(os.Getenv("SANDBOX_TEST_LACKS")); err != nil {
		fmt.Println("lack:", err)
		return
	}
	weak := map[Layer]bool{}
	for layer := range strings.FieldsSeq(os.Getenv("SANDBOX_TEST_WEAKEN")) {
		weak[Layer(layer)] = true
	}
	b, err := New(context.Background(), Config{Weaken: weak, Bwrap: os.Getenv("SANDBOX_TEST_BWRAP")})
	if err != nil {
		printFault(err)
		return
	}
	for _, s := range b.Layers() {
		fmt.Println(s.Layer, s.Stands, s.Detail)
	}
	work, err := os.MkdirTemp("", "work-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(work)
	c := Spec{Work: work}
	s := bash(c, "echo ran; grep -E 'Seccomp:|NoNewPrivs|CapEff' /proc/self/status; exit 3")
	r, err := b.Run(context.Background(), s, process.Limits{Wall: time.Minute}, c)
	fmt.Println(r.Output, r.Code, err)
}

// readLine reads one line without its newline.
func readLine(t testing.TB, r io.Reader) string {
	t.Helper()
	var line strings.Builder
	for b := make([]byte, 1); ; {
		if _, err := r.Read(b); err != nil {
			t.Fatalf("after %q: %v", line.String(), err)
		}
		if b[0] == '\n' {
			return line.String()
		}
		line.WriteByte(b[0])
	}
}
