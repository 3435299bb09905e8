package sandbox

import (
	"context"
	"io"
	"log/slog"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/confine/process"
)

// benchmark compares a start with the same start without a box, alternating, so that both see the same load.
func benchmark(b *testing.B, box *Box, start func(box *Box) error) {
	b.Helper()
	var plain, boxed time.Duration
	for b.Loop() {
		begin := time.Now()
		if err := start(nil); err != nil {
			b.Fatal(err)
		}
		middle := time.Now()
		if err := start(box); err != nil {
			b.Fatal(err)
		}
		plain, boxed = plain+middle.Sub(begin), boxed+time.Since(middle)
	}
	n := float64(b.N) * float64(time.Millisecond)
	b.ReportMetric(float64(plain)/n, "plain-ms")
	b.ReportMetric(float64(boxed)/n, "boxed-ms")
	b.ReportMetric(float64(boxed-plain)/n, "more-ms")
	b.ReportMetric(float64(boxed)/float64(plain), "ratio")
}

// layerings are the whole box, and boxes without each layer.
func layerings() map[string][]Layer {
	return map[string][]Layer{
		"all": nil, "no-landlock": {LayerLandlock}, "no-seccomp": {LayerSeccomp}, "no-limits": {LayerLimits}, "no-network": {LayerNetwork},
		"no-namespaces": {LayerNamespaces, LayerNetwork}, "init-only": AllLayers(),
	}
}

func boxWithout(b *testing.B, layers []Layer) *Box {
	b.Helper()
	weak := map[Layer]bool{}
	for _, l := range layers {
		weak[l] = true
	}
	box, err := New(context.Background(), Config{Weaken: weak, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	return box
}

// The cost of a setup or check command: bash, until everything it has started has ended.
func BenchmarkCommand(b *testing.B) {
	for name, layers := range layerings() {
		b.Run(name, func(b *testing.B) {
			c := workIn(b)
			put(b, c.Work, ".git/config")
			c.Protected, c.Hidden = []string{c.Work + "/.git"}, []string{"/root", "/home"}
			s := bash(c, "true")
			benchmark(b, boxWithout(b, layers), func(box *Box) (err error) {
				if box == nil {
					_, err = process.Run(b.Context(), s, process.Limits{})
				} else {
					_, err = box.Run(b.Context(), s, process.Limits{}, c)
				}
				return err
			})
		})
	}
}

// The cost of bubblewrap alone, to compare with.
func BenchmarkBareBubblewrap(b *testing.B) {
	c := workIn(b)
	s, bare := bash(c, "true"), bash(c, "true")
	bare.Args = append([]string{"--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--bind", c.Work, c.Work,
		"--unshare-all", "--die-with-parent", "--cap-drop", "ALL", s.Path}, s.Args...)
	bare.Path = "bwrap"
	benchmark(b, theBox(b), func(box *Box) error {
		spec := s
		if box != nil {
			spec = bare
		}
		r, err := process.Run(b.Context(), spec, process.Limits{})
		if err == nil && !r.Success() {
			b.Fatal(r.Output)
		}
		return err
	})
}

// The cost of starting an agent, until its first line of output, with a forwarded port and a home.
func BenchmarkAgentStart(b *testing.B) {
	for name, layers := range layerings() {
		b.Run(name, func(b *testing.B) {
			c := workIn(b)
			put(b, c.Work, ".git/config")
			c.Protected, c.Writable = []string{c.Work + "/.git", c.Work + "/.mcp.json"}, []string{realPath(b, b.TempDir())}
			box := boxWithout(b, layers)
			if !box.weak[LayerNetwork] {
				c.Reach = []Reach{{Port: 18080, Dial: dialEcho}}
			}
			s := bash(c, "echo ready; read x")
			s.StdinPipe = true
			benchmark(b, box, func(box *Box) error {
				start := process.Start
				if box != nil {
					start = func(ctx context.Context, s process.Spec) (*process.Process, error) { return box.Start(ctx, s, c) }
				}
				p, err := start(b.Context(), s)
				if err != nil {
					return err
				}
				if _, err := io.ReadFull(p.Stdout(), make([]byte, 6)); err != nil {
					return err
				}
				p.Stdin().Close()
				p.Wait()
				return nil
			})
		})
	}
}

// The one-time cost of starting a worker.
func BenchmarkProbe(b *testing.B) {
	for b.Loop() {
		boxWithout(b, nil)
	}
}
