package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// TestOvershootIsOneInputAtMost makes many concurrent calls with random costs, some of which the API refuses. In any
// order, the money spent minus the dearest input and the least output must be below the ceiling.
func TestOvershootIsOneInputAtMost(t *testing.T) {
	for seed := range uint64(12) {
		random := rand.New(rand.NewPCG(seed, 7))
		ceiling := 0.5 + random.Float64()*2
		api := &randomAPI{random: random}
		u := newUpstream(t, api.answer)
		s := openSession(t, startGateway(t, u.URL, nil), ceiling)
		clients := 8 + random.IntN(24)
		var wg sync.WaitGroup
		for range clients {
			wg.Go(func() { askUntilRefused(t, s) })
		}
		wg.Wait()
		spent := s.Usage().CostUSD
		if spent+api.dearest.usd() < ceiling || !s.State().BudgetRefused {
			t.Errorf("seed %d: stopped at $%.6f of $%.6f, which pay for a useful answer", seed, spent, ceiling)
		}
		if spent-api.dearest.usd() >= ceiling {
			t.Errorf("seed %d, %d clients: spent $%.6f of $%.6f, more than one input ($%.6f) too much", seed, clients, spent, ceiling, api.dearest.usd())
		}
		if got := s.State(); got.Waiting != 0 || s.account.reserved != 0 || len(s.account.open) != 0 {
			t.Errorf("seed %d: left over: %+v", seed, got)
		}
		if !near(spent, api.total.usd()) {
			t.Errorf("seed %d: booked $%.9f, the API charged $%.9f", seed, spent, api.total.usd())
		}
	}
}

// randomAPI answers within what a request allows: one token of input per byte, and at most the requested output.
type randomAPI struct {
	mu             sync.Mutex
	random         *rand.Rand
	total, dearest nanos // of answers with their input, of an input with the least output
}

func (a *randomAPI) answer(w http.ResponseWriter, _ *http.Request, body []byte) {
	var q struct {
		Model string
		Limit int `json:"max_tokens"`
	}
	_ = json.Unmarshal(body, &q)
	a.mu.Lock()
	in, out := 1+a.random.IntN(len(body)), 1+a.random.IntN(q.Limit)
	if a.random.IntN(2) == 0 {
		in, out = len(body), q.Limit // the most expensive answer
	}
	refuse := a.random.IntN(8) == 0
	if !refuse {
		m, _ := DefaultPrices().find(q.Model)
		a.total += m.cost(counts{Input: int64(in), Output: int64(out)})
		a.dearest = max(a.dearest, m.cost(counts{Input: int64(in), Output: leastOutput}))
	}
	a.mu.Unlock()
	if refuse {
		apiError(w, 529, "overloaded_error", "Overloaded")
		return
	}
	answerStream(w, stream(q.Model, object{"input_tokens": in, "output_tokens": 1}, out, "a"))
}

func askUntilRefused(t *testing.T, s *Session) {
	models := []string{"claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-5-5"}
	for {
		resp, err := ask(t.Context(), s, question(models[rand.IntN(3)], 1+rand.IntN(30_000)))
		if err != nil {
			t.Error(err)
			return
		}
		text, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil {
			t.Error(err)
			return
		}
		if strings.Contains(string(text), "longshift_budget") {
			return
		}
	}
}

// TestFit checks that a call gets no less output for more money, and none that is cut off too early to be of use.
func TestFit(t *testing.T) {
	for name, c := range map[string]struct {
		cached        string
		asked, useful int64
		from          float64 // dollars that pay for a useful answer, at the latest
	}{
		"a long conversation that is cached": {`,"cache_control":{"type":"ephemeral"}`, 32_000, leastOutput, 0.12},
		"one that is not":                    {"", 32_000, leastOutput, 0.60},
		"a short answer":                     {"", 500, 500, 0.45},
	} {
		body := fmt.Sprintf(`{"model":"claude-opus-5-5","max_tokens":%d,"messages":[{"role":"user","content":[{"type":"text","text":"%s"%s}]}]}`,
			c.asked, strings.Repeat("x", 400_000), c.cached)
		q, err := anthropic(nil).read(messages, []byte(body), nil, nil)
		if err == nil {
			err = boundMessage(q)
		}
		if err != nil {
			t.Fatal(err)
		}
		b := DefaultPrices().bid(q)
		before, first := int64(0), 0.0
		for left := 0.0; left < 4; left += 0.01 {
			a := account{ceiling: ceilingOf(left)}
			if left == 0 {
				a.ceiling = 0
			}
			output := a.fit(b)
			if output < before || output > 0 && output < min(c.useful, int64(a.ceiling/10/b.each)) || output > c.asked {
				t.Errorf("%s: %d tokens for $%.2f, %d for a cent less", name, output, left, before)
			}
			if before == 0 && output > 0 {
				first = left
			}
			before = output
		}
		if before != c.asked || first == 0 || first > c.from {
			t.Errorf("%s: the first answer for $%.2f, %d tokens in the end", name, first, before)
		}
	}
}

func TestBudgetRefusalIsAnAPIError(t *testing.T) {
	u := newUpstream(t, func(w http.ResponseWriter, _ *http.Request, _ []byte) {
		answerStream(w, stream("claude-opus-5-5", object{"input_tokens": 100_000}, 0))
	})
	s := openSession(t, startGateway(t, u.URL, nil), 0.25)
	if status, _ := mustAsk(t, s, question("claude-opus-5-5", 100)); status != 200 {
		t.Fatalf("first call: %d", status)
	}
	resp, err := ask(t.Context(), s, question("claude-opus-5-5", 100))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var body struct {
		Type  string
		Error struct{ Type, Message string }
	}
	if err := json.NewDecoder(resp.Body).Decode(&body); err != nil {
		t.Fatal(err)
	}
	const want = "longshift_budget: this session has used its budget of $0.25 (spent: $0.40); no further model call is let through"
	if resp.StatusCode != http.StatusPaymentRequired || body.Type != "error" || body.Error.Type != "invalid_request_error" || body.Error.Message != want {
		t.Errorf("%d %+v", resp.StatusCode, body)
	}
	if u.count() != 1 || !s.State().BudgetRefused {
		t.Errorf("%d calls upstream, state %+v", u.count(), s.State())
	}
	s.SetBudget(0.5)
	if s.State().BudgetRefused {
		t.Error("still refused with more budget")
	}
	if status, _ := mustAsk(t, s, question("claude-opus-5-5", 100)); status != 200 {
		t.Errorf("with more budget: %d", status)
	}
}

func TestZeroIsNoCeilingAndLessIsNothing(t *testing.T) {
	u := newUpstream(t, func(w http.ResponseWriter, _ *http.Request, _ []byte) {
		answerStream(w, stream("claude-opus-5-5", object{"input_tokens": 1_000_000}, 1000))
	})
	g := startGateway(t, u.URL, nil)
	s := openSession(t, g, 0)
	for range 3 {
		if status, _ := mustAsk(t, s, question("claude-opus-5-5", 1000)); status != 200 {
			t.Errorf("no ceiling: %d", status)
		}
	}
	if status, _ := mustAsk(t, openSession(t, g, -1), question("claude-opus-5-5", 1)); status != 402 {
		t.Errorf("nothing left: %d", status)
	}
}

// heldAPI answers each call when the test releases it.
func heldAPI(t *testing.T) (u *upstream, arrived chan struct{}, release chan int) {
	arrived, release = make(chan struct{}, 16), make(chan int)
	u = newUpstream(t, func(w http.ResponseWriter, r *http.Request, _ []byte) {
		arrived <- struct{}{}
		select {
		case output := <-release:
			answerStream(w, stream("claude-opus-5-5", object{"input_tokens": 1}, output))
		case <-r.Context().Done():
		}
	})
	return u, arrived, release
}

// askAsync posts a message and returns the status when the answer is whole, or 0.
func askAsync(ctx context.Context, s *Session, maxTokens int) chan int {
	done := make(chan int, 1)
	go func() {
		resp, err := ask(ctx, s, question("claude-opus-5-5", maxTokens))
		if err != nil {
			done <- 0
			return
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		done <- resp.StatusCode
	}()
	return done
}

func TestCallWaitsWhileAnotherMightUseUpTheBudget(t *testing.T) {
	u, arrived, release := heldAPI(t)
	s := openSession(t, startGateway(t, u.URL, nil), 1)
	first := askAsync(t.Context(), s, 100_000) // $2 at worst
	<-arrived
	second, third := askAsync(t.Context(), s, 100_000), askAsync(t.Context(), s, 100_000)
	eventually(t, "two calls wait", func() bool { return s.State().Waiting == 2 })
	if u.count() != 1 {
		t.Fatalf("%d calls upstream", u.count())
	}
	release <- 10 // far less than the worst: the next one may go, the last one still waits
	if status := <-first; status != 200 {
		t.Errorf("first: %d", status)
	}
	<-arrived
	if st := s.State(); st.Waiting != 1 || st.BudgetRefused {
		t.Errorf("state %+v", st)
	}
	release <- 60_000 // $1.20: the budget is gone
	if a, b := <-second, <-third; a+b != 602 {
		t.Errorf("second and third: %d, %d; want one 200 and one 402", a, b)
	}
}

func TestMoreBudgetLetsWaitingCallsGo(t *testing.T) {
	u, arrived, release := heldAPI(t)
	s := openSession(t, startGateway(t, u.URL, nil), 1)
	first := askAsync(t.Context(), s, 100_000)
	<-arrived
	second := askAsync(t.Context(), s, 100_000)
	eventually(t, "a call waits", func() bool { return s.State().Waiting == 1 })
	s.SetBudget(100)
	<-arrived
	release <- 1
	release <- 1
	if a, b := <-first, <-second; a != 200 || b != 200 {
		t.Errorf("%d, %d", a, b)
	}
}

func TestWaitEndsWithItsClientOrItsSession(t *testing.T) {
	u, arrived, release := heldAPI(t)
	s := openSession(t, startGateway(t, u.URL, nil), 1)
	first := askAsync(t.Context(), s, 100_000)
	<-arrived
	ctx, leave := context.WithCancel(t.Context())
	second := askAsync(ctx, s, 100_000)
	eventually(t, "a call waits", func() bool { return s.State().Waiting == 1 })
	leave()
	eventually(t, "its wait is over", func() bool { return s.State().Waiting == 0 })
	if status := <-second; status != 0 {
		t.Errorf("second: %d", status)
	}
	third := askAsync(t.Context(), s, 100_000)
	eventually(t, "another call waits", func() bool { return s.State().Waiting == 1 })
	closed := make(chan struct{})
	go func() { s.Close(); close(closed) }()
	if status := <-third; status != 404 {
		t.Errorf("third: %d", status)
	}
	release <- 5 // a call in flight may still end well
	if status := <-first; status != 200 {
		t.Errorf("first: %d", status)
	}
	<-closed
	if got := s.Usage(); got.Output != 5 || got.Calls != 1 {
		t.Errorf("usage %+v", got)
	}
}

func TestNothingIsSentThatCanNotBeWrittenDown(t *testing.T) {
	u := newUpstream(t, func(w http.ResponseWriter, _ *http.Request, _ []byte) { w.WriteHeader(500) })
	g := startGateway(t, u.URL, nil)
	path := filepath.Join(t.TempDir(), "ledger.jsonl")
	s, err := g.Open(Spec{ID: "s1", Ledger: path})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	writable := s.account.ledger.file
	s.account.ledger.file = readOnly(t, path)
	status, text := mustAsk(t, s, question("claude-opus-5-5", 1))
	if status != 503 || !strings.Contains(text, "longshift_ledger") || s.State().LedgerError == "" || u.count() != 0 {
		t.Errorf("%d %s, %d calls upstream", status, text, u.count())
	}
	_ = s.account.ledger.file.Close()
	s.account.ledger.file = writable
	if status, _ := mustAsk(t, s, question("claude-opus-5-5", 1)); status != 500 || s.State().LedgerError != "" {
		t.Errorf("when it can be written again: %d, %q", status, s.State().LedgerError)
	}
}
