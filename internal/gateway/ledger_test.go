package gateway

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

func readOnly(t *testing.T, path string) *os.File {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestReopenedSessionGoesOn(t *testing.T) {
	u := newUpstream(t, func(w http.ResponseWriter, _ *http.Request, _ []byte) {
		answerStream(w, stream("claude-opus-5-5", object{"input_tokens": 10_000}, 500))
	})
	path := filepath.Join(t.TempDir(), "deep", "ledger.jsonl")
	want := task.Usage{}
	for attempt := range 3 {
		g := startGateway(t, u.URL, nil)
		s, err := g.Open(Spec{ID: "s1", BudgetUSD: 0.125, Ledger: path})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, s.Usage()); d != "" {
			t.Errorf("attempt %d begins with: %s", attempt, d)
		}
		status, _ := mustAsk(t, s, question("claude-opus-5-5", 1000))
		if attempt == 2 { // $0.10 are spent: the last call exceeds the ceiling, one more is refused
			if again, _ := mustAsk(t, s, question("claude-opus-5-5", 1000)); status != 200 || again != 402 {
				t.Errorf("at the ceiling: %d, then %d", status, again)
			}
		}
		want = want.Add(task.Usage{Input: 10_000, Output: 500, CostUSD: 0.05, Calls: 1})
		if d := cmp.Diff(want, s.Close(), cmp.Comparer(near)); d != "" {
			t.Errorf("attempt %d ends with: %s", attempt, d)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// TestNextSessionHasTheToken: an agent's process that goes on with another session has the token it was started with, which is worth nothing
// in between. Each session has a ledger and a budget of its own.
func TestNextSessionHasTheToken(t *testing.T) {
	u := newUpstream(t, func(w http.ResponseWriter, _ *http.Request, _ []byte) {
		answerStream(w, stream("claude-opus-5-5", object{"input_tokens": 10_000}, 500))
	})
	g := startGateway(t, u.URL, nil)
	first := openSession(t, g, 0.05)
	ledger := filepath.Join(t.TempDir(), "ledger.jsonl")
	if _, err := g.Open(Spec{ID: "second", Ledger: ledger, Token: first.Token()}); fault.KindOf(err) != fault.Internal {
		t.Errorf("a token for two sessions: %v", err)
	}
	for want, status := range []int{200, 402} {
		if got, text := mustAsk(t, first, question("claude-opus-5-5", 1000)); got != status {
			t.Errorf("call %d: %d, %s", want, got, text)
		}
	}
	first.Finish()
	if used := first.Close(); used.Calls != 1 {
		t.Errorf("the first has used %+v", used)
	}
	if got, _ := mustAsk(t, first, question("claude-opus-5-5", 1000)); got != 404 {
		t.Errorf("between the sessions: %d", got)
	}
	second, err := g.Open(Spec{ID: "second", BudgetUSD: 0.05, Ledger: ledger, Token: first.Token()})
	if err != nil {
		t.Fatal(err)
	}
	if second.BaseURL() != first.BaseURL() || second.Token() != first.Token() {
		t.Errorf("%s after %s", second.BaseURL(), first.BaseURL())
	}
	if got, text := mustAsk(t, first, question("claude-opus-5-5", 1000)); got != 200 {
		t.Errorf("with the token of the first: %d, %s", got, text)
	}
	if used := second.Close(); used.Calls != 1 {
		t.Errorf("the second has used %+v", used)
	}
}

// TestKilledProcessLeavesItsCallInTheLedger kills a process in the middle of a call.
func TestKilledProcessLeavesItsCallInTheLedger(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.jsonl")
	if os.Getenv("GATEWAY_LEDGER") != "" {
		callUntilKilled(t, os.Getenv("GATEWAY_LEDGER"))
		return
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), "GATEWAY_LEDGER="+path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || line != "in flight\n" {
		t.Fatalf("child said %q: %v", line, err)
	}
	g := startGateway(t, "", nil)
	spec := Spec{ID: "s1", Ledger: path}
	if _, err := g.Open(spec); fault.KindOf(err) != fault.Conflict || !strings.Contains(err.Error(), "in use") {
		t.Errorf("while the process lives: %v", err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	s, err := g.Open(spec)
	if err != nil {
		t.Fatal(err)
	}
	got := s.Close()
	// One call was answered, with 1000 tokens of input and 10 of output; the other is estimated from a request of about
	// 100 bytes, and from an answer of 20,000.
	if got.Calls != 2 || got.Input <= 1000 || got.Input > 1050 || got.Output < 10+noteEvery/guessBytes || got.Output > 10+20_000/guessBytes ||
		got.CostUSD <= 0.0042+20e-6*noteEvery/guessBytes {
		t.Errorf("usage %+v", got)
	}
	text, err := os.ReadFile(path)
	if err != nil || strings.Count(string(text), `"flags":["lost"]`) != 1 {
		t.Errorf("%v\n%s", err, text)
	}
	s, err = g.Open(spec)
	if err != nil {
		t.Fatal(err)
	}
	if again := s.Close(); again != got {
		t.Errorf("opened once more: %+v, want %+v", again, got)
	}
}

// callUntilKilled runs in the child: a call that ends, then one whose answer never does.
func callUntilKilled(t *testing.T, path string) {
	calls := 0
	u := newUpstream(t, func(w http.ResponseWriter, r *http.Request, _ []byte) {
		if calls++; calls == 1 {
			answerStream(w, stream("claude-opus-5-5", object{"input_tokens": 1000}, 10))
			return
		}
		texts := slices.Repeat([]string{strings.Repeat("x", 200)}, 100)
		events := stream("claude-opus-5-5", object{"input_tokens": 1000}, 0, texts...)
		answerStream(w, events[:len(events)-3])
		<-r.Context().Done()
	})
	s, err := startGateway(t, u.URL, nil).Open(Spec{ID: "s1", Ledger: path})
	if err != nil {
		t.Fatal(err)
	}
	for n := range 2 {
		resp, err := ask(context.Background(), s, question("claude-opus-5-5", 10_000))
		if err == nil {
			_, _ = io.CopyN(io.Discard, resp.Body, 20_000) // the first is shorter
			if n == 1 {
				fmt.Println("in flight")
			}
			_, _ = io.Copy(io.Discard, resp.Body)
			_ = resp.Body.Close()
		}
	}
}

func TestLedgerIsForOneSession(t *testing.T) {
	g := startGateway(t, "", nil)
	path := filepath.Join(t.TempDir(), "ledger.jsonl")
	s, err := g.Open(Spec{ID: "a", Ledger: path})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.Open(Spec{ID: "a", Ledger: path}); fault.KindOf(err) != fault.Conflict || fault.HintOf(err) == "" {
		t.Errorf("opened twice: %v", err)
	}
	s.Close()
	if _, err := g.Open(Spec{ID: "b", Ledger: path}); fault.KindOf(err) != fault.Conflict || !strings.Contains(err.Error(), "session a") {
		t.Errorf("opened for another session: %v", err)
	}
}

func TestDamagedLedgers(t *testing.T) {
	const open = `{"type":"open","time":"2026-11-20T08:00:00Z","session":"s"}` + "\n"
	const reserve = `{"type":"reserve","time":"2026-11-20T08:00:00Z","call":7,"model":"m","worst":900,"tokens":20,"guess":80}` + "\n"
	const settle = `{"type":"settle","time":"2026-11-20T08:00:00Z","call":7,"model":"m","input":30,"cost":120,"billed":true}` + "\n"
	for name, c := range map[string]struct {
		text  string
		spent nanos // less than 0: the ledger can't be opened
		last  uint64
	}{
		"empty":                   {"", 0, 0},
		"whole":                   {open + reserve + settle, 120, 7},
		"settled twice":           {open + reserve + settle + settle, 120, 7},
		"open reservation":        {open + reserve, 80, 7},
		"torn settlement":         {open + reserve + settle[:40], 80, 7},
		"torn reservation":        {open + reserve[:40], 0, 0},
		"zeros after a power cut": {open + reserve + settle + strings.Repeat("\x00", 200), 120, 7},
		"zeros and an end":        {open + reserve + "\x00\x00\n", 80, 7},
		"garbage in the middle":   {open + "garbage\n" + reserve, -1, 0},
		"unknown lines":           {open + `{"type":"later"}` + "\n" + reserve + settle, 120, 7},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "ledger.jsonl")
			if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			l, p, err := openLedger(path, "s", time.Now)
			if c.spent < 0 {
				if err == nil || !strings.Contains(err.Error(), path+", line 2") || fault.HintOf(err) == "" {
					t.Errorf("%v", err)
				}
				if after, _ := os.ReadFile(path); string(after) != c.text {
					t.Errorf("the file was changed:\n%s", after)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if p.cost != c.spent || l.last != c.last {
				t.Errorf("spent %d, last call %d; want %d, %d", p.cost, l.last, c.spent, c.last)
			}
			if n, err := l.reserve(bid{}); n != c.last+1 || err != nil {
				t.Errorf("next call %d, %v", n, err)
			}
			if err := l.close(); err != nil {
				t.Fatal(err)
			}
			if l, p, err = openLedger(path, "s", time.Now); err != nil || p.cost != c.spent {
				t.Fatalf("opened again: spent %d, %v", p.cost, err)
			}
			_ = l.close()
		})
	}
}

func TestSettlementThatCouldNotBeWrittenIsNotLost(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.jsonl")
	l, _, err := openLedger(path, "s", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	n, err := l.reserve(bid{model: "m", guess: 5})
	if err != nil {
		t.Fatal(err)
	}
	writable := l.file
	l.file = readOnly(t, path)
	if err := l.settle(n, settlement{cost: 77, billed: true}); err == nil {
		t.Fatal("written to a file that can't be")
	}
	_ = l.file.Close()
	l.file = writable
	if _, err := l.reserve(bid{}); err != nil {
		t.Fatal(err)
	}
	_ = l.close()
	l, p, err := openLedger(path, "s", time.Now)
	if err != nil || p.cost != 77 {
		t.Errorf("spent %d, %v", p.cost, err)
	}
	_ = l.close()
}
