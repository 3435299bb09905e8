package activities

import (
	"context"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/confine/egress"
	"github.com/longshift/longshift/internal/confine/sandbox"
	"github.com/longshift/longshift/internal/repo/toolcache"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
)

// BenchmarkCaches measures what a task waits for its dependencies, with the real registries: from nothing (and the time in which its
// caches become the base), with the very folder of another task as if they shared it, and with a copy of the base.
func BenchmarkCaches(b *testing.B) {
	for name, project := range map[string]struct {
		files   map[string]string
		lock    []string // makes the lock file
		command string
	}{
		"go": {map[string]string{"go.mod": "module example.com/app\n\ngo 1.26\n\nrequire (\n\tgithub.com/spf13/cobra v1.10.2\n\tgolang.org/x/tools v0.40.0\n\tgolang.org/x/text v0.32.0\n)\n",
			"app.go": "package app\n\nimport (\n\t_ \"github.com/spf13/cobra\"\n\t_ \"golang.org/x/text/collate\"\n\t_ \"golang.org/x/tools/go/packages\"\n)\n"},
			[]string{"go", "mod", "tidy"}, "go vet ./..."},
		"npm": {map[string]string{"package.json": `{"name":"app","version":"1.0.0","devDependencies":{"eslint":"9.39.1","express":"5.1.0","mocha":"11.7.4","typescript":"5.9.3"}}`},
			[]string{"npm", "install", "--package-lock-only", "--no-audit", "--no-fund"}, "npm ci --no-audit --no-fund"},
	} {
		b.Run(name, func(b *testing.B) {
			checkout := gittest.NewCheckout(b, project.files)
			cmd := exec.CommandContext(b.Context(), project.lock[0], project.lock[1:]...)
			cmd.Dir = checkout
			if out, err := cmd.CombinedOutput(); err != nil {
				b.Fatalf("%v: %s", err, out)
			}
			gittest.Git(b, checkout, "add", "--all")
			gittest.Git(b, checkout, "commit", "--quiet", "--message=Lock")
			first := online(b, checkout)
			var cold, shared, own time.Duration
			for b.Loop() {
				must(b, os.RemoveAll(filepath.Join(first.Data, "caches")))
				cold += first.takes(project.command)
				own += first.next().takes(project.command)
				second := first.next()
				must(b, os.MkdirAll(filepath.Dir(cachesOf(second.Data, second.ref.TaskID)), 0o700))
				must(b, os.Rename(cachesOf(first.Data, first.ref.TaskID), cachesOf(second.Data, second.ref.TaskID)))
				shared += second.takes(project.command)
				first = first.next()
			}
			n := float64(b.N)
			b.ReportMetric(cold.Seconds()/n, "cold-s")
			b.ReportMetric(shared.Seconds()/n, "shared-s")
			b.ReportMetric(own.Seconds()/n, "own-s")
			b.ReportMetric(own.Seconds()/shared.Seconds(), "own/shared")
			b.ReportMetric(cold.Seconds()/own.Seconds(), "cold/own")
			files, bytes := size(b, filepath.Join(first.Data, "caches"))
			b.ReportMetric(float64(files), "files")
			b.ReportMetric(float64(bytes)/1e6, "MB")
		})
	}
}

// online is a task whose programs reach the registries of Go and npm, also where those are mirrored in the own network.
func online(b *testing.B, remote string) cacheTask {
	b.Helper()
	h := newBench(b, nil)
	h.remote = remote
	box, err := sandbox.New(b.Context(), sandbox.Config{Log: slog.New(slog.DiscardHandler)})
	must(b, err)
	var rules []egress.Rule
	for _, host := range []string{"proxy.golang.org", "sum.golang.org", "registry.npmjs.org"} {
		rule, err := egress.ParseRule(host + " internal")
		must(b, err)
		rules = append(rules, rule)
	}
	proxy, err := egress.New(egress.Config{Rules: rules, Setting: "the benchmark", Log: slog.New(slog.DiscardHandler)})
	must(b, err)
	b.Cleanup(func() { _ = proxy.Close() })
	h.Confine = Confinement{Box: box, Mounts: true, Egress: func(ctx context.Context) (net.Conn, error) {
		ours, theirs := net.Pipe()
		go proxy.ServeConn(context.WithoutCancel(ctx), theirs, &egress.Account{})
		return ours, nil
	}}
	h.CommandEnv = func(d Dirs) []string {
		env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + d.Home, "GOTOOLCHAIN=local", "GOFLAGS=-modcacherw", "HTTPS_PROXY=http://127.0.0.1:3128",
			"NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt"}
		for name, folder := range toolcache.Variables {
			env = append(env, name+"="+filepath.Join(d.Cache, folder))
		}
		return env
	}
	h.start()
	h.prepare()
	return cacheTask{h}
}

// takes tells how long the command takes from the moment that the task asks for it.
func (c cacheTask) takes(command string) time.Duration {
	c.t.Helper()
	start := time.Now()
	if out := c.check(command, func(in *CommandInput) { in.Wall = time.Hour }); !out.Passed() {
		c.t.Fatalf("%s: exit %d: %s", command, out.ExitCode, out.Tail)
	}
	return time.Since(start)
}

func size(b *testing.B, dir string) (files int, bytes int64) {
	must(b, filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			files, bytes = files+1, bytes+info.Size()
		}
		return err
	}))
	return files, bytes
}
