package cli

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"go.temporal.io/sdk/client"

	"github.com/longshift/longshift/internal/cli/clitest"
	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/tasks"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

func TestRowsFitTheTerminal(t *testing.T) {
	c := newConsole(t)
	p := term.NewPrinter(term.Streams{Out: &c.Out, Err: &c.Errs, OutTTY: true, Width: func() int { return 80 }})
	rows := []tasks.Row{{ID: strings.Repeat("long-", 30), Repository: "acme/web", Phase: task.Planning, Started: time.Now()}}
	if err := printRows(p, rows, time.Now(), ""); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(c.Out.String()) {
		if n := term.Cells(strings.TrimSuffix(line, "\n")); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

// What can be done without is left out where the terminal is narrow; a pipe gets all of it.
func TestRowsOfANarrowTerminal(t *testing.T) {
	rows := []tasks.Row{{ID: "web-1", Repository: "acme/web", Phase: task.Planning, Started: time.Now(), PullRequest: "https://example.com/1"}}
	for columns, want := range map[int]bool{60: false, 119: false, 120: true, 0: true} {
		c := newConsole(t)
		p := term.NewPrinter(term.Streams{Out: &c.Out, Err: &c.Errs, OutTTY: columns > 0, Width: func() int { return columns }})
		if err := printRows(p, rows, time.Now(), ""); err != nil {
			t.Fatal(err)
		}
		out := c.Out.String()
		if got := strings.Contains(out, "REPOSITORY") && strings.Contains(out, "acme/web"); got != want || !strings.Contains(out, "web-1") {
			t.Errorf("%d columns:\n%s", columns, out)
		}
	}
}

// BenchmarkOf1000 is the budget "longshift status on 1 000 tasks: at most 1 s", and the same for list.
func BenchmarkOf1000(b *testing.B) {
	address, data := useServer(b)
	vars := []string{"TEMPORAL_ADDRESS=" + address, "TEMPORAL_NAMESPACE=" + namespaceIdle, "LONGSHIFT_DATA=" + data, "HOME=/", "USER=ann"}
	f := newFactory(term.Streams{}, environ.Environ{Vars: vars}, testWiring())
	defer f.close()
	c, err := f.server.Connect(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	startMany(b, f, c, 1000)
	for _, args := range [][]string{{"status"}, {"list", "--all"}} {
		b.Run(args[0], func(b *testing.B) {
			for b.Loop() {
				var out, errs clitest.Buffer
				if code := Main(b.Context(), args, term.Streams{Out: &out, Err: &errs}, environ.Environ{Vars: vars}, testWiring()); code != fault.ExitOK {
					b.Fatal(errs.String())
				}
				if n := strings.Count(out.String(), "many-"); n != 1000 {
					b.Fatalf("%d tasks", n)
				}
			}
		})
	}
	b.Run("raw", func(b *testing.B) { // what the server itself takes for the same question
		for b.Loop() {
			n := 0
			if err := f.tasks.Each(b.Context(), c, tasks.AllTasks, 1000, func(tasks.Row) bool { n++; return true }); err != nil || n != 1000 {
				b.Fatalf("%d tasks: %v", n, err)
			}
		}
	})
}

// startMany starts tasks that nobody works on, unless they are there.
func startMany(b *testing.B, f *factory, c client.Client, n int) {
	found := 0
	count := func() {
		found = 0
		if err := f.tasks.Each(b.Context(), c, tasks.RunningTasks, 1000, func(r tasks.Row) bool { found++; return true }); err != nil {
			b.Fatal(err)
		}
	}
	if count(); found >= n {
		return
	}
	ids := make(chan int)
	var group sync.WaitGroup
	for range 16 {
		group.Go(func() {
			for i := range ids {
				if _, err := f.tasks.Start(context.Background(), c, fmt.Sprintf("many-%04d", i), task.Input{Repository: "acme/web", Task: "wait"}); err != nil {
					b.Error(err)
				}
			}
		})
	}
	for i := range n {
		ids <- i
	}
	close(ids)
	group.Wait()
	for count(); found < n; count() {
		<-time.After(100 * time.Millisecond)
	}
}
