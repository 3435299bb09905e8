package activities

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/longshift/longshift/internal/agent"
)

// player is an agent that a test scripts. It records the sessions that it was asked to run.
type player struct {
	play func(ctx context.Context, s agent.Session, emit func(agent.Event)) (agent.Outcome, error)

	mu    sync.Mutex
	asked []agent.Session
}

func (p *player) Run(ctx context.Context, s agent.Session, emit func(agent.Event)) (agent.Outcome, error) {
	p.mu.Lock()
	p.asked = append(p.asked, s)
	p.mu.Unlock()
	return p.play(ctx, s, emit)
}

// sessions returns the sessions that the agent was asked to run so far.
func (p *player) sessions() []agent.Session {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.asked)
}

// says makes an agent that says one text and completes.
func says(text string) *player {
	return &player{play: func(_ context.Context, _ agent.Session, emit func(agent.Event)) (agent.Outcome, error) {
		emit(agent.Event{Kind: agent.Started, Text: "1.0"})
		emit(agent.Event{Kind: agent.Text, Text: text})
		return agent.Outcome{Kind: agent.Completed, Text: text, Turns: 1}, nil
	}}
}

// outcome makes an agent that says nothing and ends with an outcome.
func outcome(out agent.Outcome) *player {
	return &player{play: func(context.Context, agent.Session, func(agent.Event)) (agent.Outcome, error) { return out, nil }}
}

// answers makes an agent that gives a plan or a review in its outcome.
func answers(json string) *player {
	return outcome(agent.Outcome{Kind: agent.Completed, Answer: []byte(json), Turns: 1})
}

// calls makes an agent that calls tools to report by, each with its arguments. It fails when one is refused.
func calls(toolsAndArguments ...string) *player {
	return &player{play: func(ctx context.Context, s agent.Session, _ func(agent.Event)) (agent.Outcome, error) {
		err := callTools(ctx, s.Reports, toolsAndArguments...)
		return agent.Outcome{Kind: agent.Completed, Turns: 1}, err
	}}
}

func callTools(ctx context.Context, r *agent.Reports, toolsAndArguments ...string) error {
	c, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(ctx, &mcp.StreamableClientTransport{
		Endpoint: r.URL, HTTPClient: &http.Client{Transport: bearer(r.Token)}, DisableStandaloneSSE: true}, nil)
	if err != nil {
		return err
	}
	defer c.Close()
	for call := range slices.Chunk(toolsAndArguments, 2) {
		got, err := c.CallTool(ctx, &mcp.CallToolParams{Name: call[0], Arguments: json.RawMessage(call[1])})
		if err != nil {
			return err
		}
		if got.IsError {
			return fmt.Errorf("%s: %+v", call[0], got.Content[0])
		}
	}
	return nil
}

// bearer shows a token with each request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// ends makes an agent that ends without having done its work.
func ends(kind agent.OutcomeKind, text string) *player {
	return outcome(agent.Outcome{Kind: kind, Text: text})
}

// warmer is a player that can be prestarted. It keeps the contract of a real agent: a process that waits for a session is ended by Cool or
// used by Run, and a session never has two.
type warmer struct {
	player
	refuse error                    // error of Warm
	slow   map[string]chan struct{} // sessions whose Warm takes until then

	mu     sync.Mutex
	warm   map[string]agent.Session // by session id
	warmed int
	peak   int // largest number that waited at the same time
	cooled int
	wrong  []string
}

func newWarmer(p *player) *warmer {
	w := &warmer{warm: map[string]agent.Session{}}
	if p != nil {
		w.play = p.play
	}
	return w
}

func (w *warmer) Warm(_ context.Context, s agent.Session) error {
	if until := w.slow[s.ID]; until != nil {
		<-until
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.warmed++
	if w.refuse != nil {
		return w.refuse
	}
	if _, ok := w.warm[s.ID]; ok {
		w.wrong = append(w.wrong, fmt.Sprintf("session %s was warmed twice", s.ID))
	}
	w.warm[s.ID] = s
	w.peak = max(w.peak, len(w.warm))
	return nil
}

func (w *warmer) Cool(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, ok := w.warm[id]; ok {
		w.cooled++
		delete(w.warm, id)
	}
}

func (w *warmer) Run(ctx context.Context, s agent.Session, emit func(agent.Event)) (agent.Outcome, error) {
	w.mu.Lock()
	delete(w.warm, s.ID)
	w.mu.Unlock()
	return w.player.Run(ctx, s, emit)
}

// waits returns the session that a process waits for.
func (w *warmer) waits(id string) (agent.Session, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s, ok := w.warm[id]
	return s, ok
}

// counts returns how often Warm was called, how often Cool ended a process, and what went wrong.
func (w *warmer) counts() (warmed, cooled int, wrong []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.warmed, w.cooled, slices.Clone(w.wrong)
}

// most returns how many processes waited at the same time at most.
func (w *warmer) most() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.peak
}
