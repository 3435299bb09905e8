package reporting_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/reporting"
	"github.com/longshift/longshift/task"
)

// hello is the line by which a process that serves a session says what it has found and where it is reached.
type hello struct {
	Found    []string
	Endpoint *agent.Reports
}

// TestMain serves a session when the tests start this program for it.
func TestMain(m *testing.M) {
	if file := os.Getenv("SERVE_REPORTS"); file != "" {
		serve(file)
	}
	os.Exit(m.Run())
}

// serve serves the session of a file until the process is killed.
func serve(file string) {
	s, err := reporting.Open(reporting.Spec{Role: task.Planner, File: file, Hide: hide, Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		panic(err)
	}
	h := hello{Endpoint: s.Endpoint()}
	beginning := true
	s.Begin(reporting.About{Accepted: func(r reporting.Report) {
		if beginning {
			h.Found = append(h.Found, r.Text)
		}
	}})
	beginning = false
	text, err := json.Marshal(h)
	if err != nil {
		panic(err)
	}
	fmt.Println(string(text))
	_, _ = os.Stdin.Read(make([]byte, 1)) // ends with the test at the latest
	os.Exit(0)
}

// TestKilled kills the server before, in and after calls. No acknowledged report is lost, and none is there twice, although the agent
// repeats every call that was not acknowledged.
func TestKilled(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "reports.jsonl")
	start := func() (h hello, kill func()) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), os.Args[0])
		cmd.Env = append(os.Environ(), "SERVE_REPORTS="+file)
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(out).ReadBytes('\n')
		if err == nil {
			err = json.Unmarshal(line, &h)
		}
		if err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		return h, func() {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			in.Close()
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	var acknowledged []string
	cut, unheard := 0, 0
	for n := range 30 {
		note := fmt.Sprintf("note %d", n)
		for known := false; !known; {
			h, kill := start()
			if slices.Contains(h.Found, note) { // accepted, and killed before the agent was told
				acknowledged, known = append(acknowledged, note), true
				unheard++
			}
			if !slices.Equal(h.Found, acknowledged) {
				t.Fatalf("found %q, acknowledged were %q", h.Found, acknowledged)
			}
			c, err := connect(t.Context(), h.Endpoint)
			if err != nil {
				t.Fatal(err)
			}
			after := time.Duration(random.IntN(5_000)) * time.Microsecond // a call takes a few milliseconds
			timer := time.AfterFunc(after, kill)
			r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "note_save", Arguments: map[string]any{"text": note}})
			if timer.Stop() {
				kill()
			}
			switch {
			case err != nil:
				cut++
			case r.IsError:
				t.Fatalf("%+v", r.Content[0])
			case !known:
				acknowledged, known = append(acknowledged, note), true
			}
		}
	}
	if cut == 0 {
		t.Error("no call was cut off")
	}
	t.Logf("%d calls were cut off, %d of them accepted", cut, unheard)
}
