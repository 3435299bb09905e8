// Package listen translates what people do in chats and on forges into updates, signals and starts of workflows, and what comes
// back into a short answer. It keeps no state of its own, so any number of Ears may run for one installation: what it holds in
// memory (who is bound, who was told off, who guessed codes, what the newest events were about) may be lost. That an event which
// is delivered again means the same task is seen to by that memory in the common case only; for the rest, where another process
// takes it or this one was started anew, the age that an event may have bounds the harm. It knows no platform and no workflow's
// inside, and it may not act on anything that it could not have recorded before.
package listen

import (
	"context"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/task"
)

// Config is what an Ear needs. Client, Record and Redact are always required.
type Config struct {
	Client     Client
	Namespace  string              // of the server, for links
	People     map[string]People   // by channel
	Rooms      map[string][]string // by channel: ids of the rooms in which we answer; none named for a channel is every room
	Schedules  Schedules           // of people's cron jobs; nil when there are none here
	Repository string              // of tasks whose text names none; empty: it must be named
	Projects   Projects            // nil: nobody can choose a workspace, and none that was chosen counts
	WebURL     string              // of Temporal Web, for links; empty for none
	Record     func(ctx context.Context, a Act) error
	Issues     Issues                                           // of the forge; nil where nobody can read them
	Intakes    Looker                                           // of issues; nil for none
	Host       string                                           // of the forge that owner/name is on; github.com when empty
	Redact     func(string) string                              // takes secrets out of a text
	Log        *slog.Logger                                     // discarded when nil
	Now        func() time.Time                                 // time.Now when nil
	Pause      func(ctx context.Context, d time.Duration) error // waits; by the clock when nil
}

// People lists, by user id, who may do what on one channel. Everybody in a list may read how tasks stand.
type People struct {
	Start    []string // run tasks
	Approve  []string // approve, edit, reject, tell, resume, abandon, cancel
	Commands []string // allow and deny commands
}

// Act is one line of the record. What changes something has two: one before it is tried, whose Reason is Asked, and one that says
// what came of it. A refusal has one.
type Act struct {
	Time     time.Time
	Channel  string
	User     string // id
	Name     string // as the channel shows it; it can be chosen, so it proves nothing
	Verb     string
	Task     string // workflow id, where one was meant
	Delivery string // id of the event, or of the button
	Done     bool
	Reason   string // of a refusal or a failure; of what was done, the answer
}

// Asked is the Reason of an Act that is about to be tried.
const Asked = "asked"

// Ear hears. It is safe for concurrent use.
type Ear struct {
	c        Config
	bound    bindings
	told     quiet
	attempts *limiter // wrong codes
	arrivals *limiter // requests from forges
	away     Tally    // refusals of strangers
	crowded  Tally    // warnings of requests from forges beyond the bound
	memory   *memory
}

// New makes an Ear. It makes no call. Errors are faults of kind Input.
func New(c Config) (*Ear, error) {
	switch {
	case c.Client == nil:
		return nil, fault.New(fault.Input, "listen: the client is missing")
	case c.Record == nil:
		return nil, fault.New(fault.Input, "listen: the record is missing").WithHint("without a record nothing may be done")
	case c.Redact == nil:
		return nil, fault.New(fault.Input, "listen: the redaction is missing")
	}
	if c.Repository != "" {
		if _, err := task.ParseRepository(c.Repository); err != nil {
			return nil, fault.New(fault.Input, "listen: %w", err)
		}
	}
	if u, err := url.Parse(c.WebURL); err != nil || c.WebURL != "" && (u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil) {
		return nil, fault.New(fault.Input, "listen: the address of Temporal Web is no plain http or https URL").
			WithHint("write it like https://temporal.example.com")
	}
	for name := range c.People {
		if !slices.Contains(channels, name) {
			return nil, fault.New(fault.Input, "listen: people of %q: no such channel", name).WithHint("use %s", strings.Join(channels, ", "))
		}
	}
	for name := range c.Rooms {
		if !slices.Contains(channels, name) {
			return nil, fault.New(fault.Input, "listen: rooms of %q: no such channel", name).WithHint("use %s", strings.Join(channels, ", "))
		}
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Pause == nil {
		c.Pause = pause
	}
	return &Ear{c: c, told: quiet{until: map[string]time.Time{}}, attempts: newLimiter(mostTries, triesIn, 0),
		arrivals: newLimiter(mostArrivals, time.Minute, mostWaiting), memory: newMemory()}, nil
}

var channels = []string{channel.Slack, channel.Telegram, channel.WhatsApp, channel.Terminal}

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}
