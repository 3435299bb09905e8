// Package inbound handles what people do in chats and on forges: it makes updates, signals and starts of workflows of it, and an answer.
// An event is parsed, then decided about (who wrote it, which task is meant, what a button stands for), which only reads, then acted upon.
// Nothing is acted upon that could not be written to the audit log before. The package knows no platform and not the inside of workflows.
// Several Handlers may run for one installation, because their state may be lost: bindings, rate limits and the dedupe cache are in
// memory. An event that reaches another process, or this one after a restart, is not in the cache; the bound on its age limits the
// harm then.
package inbound

import (
	"context"
	"log/slog"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/channel"
	"github.com/longshift/longshift/internal/clock"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/inbound/render"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// Config configures a Handler. Client, Record and Redact are required.
type Config struct {
	Client     Client
	Namespace  string                                           // of the server, for links
	People     map[string]People                                // by channel
	Rooms      map[string][]string                              // by channel: ids of the rooms that are served; none is every room
	Schedules  Schedules                                        // of people's cron jobs; nil for none
	Repository string                                           // of tasks whose text names none; when it is empty the text has to name one
	Projects   Projects                                         // nil for none: nobody can choose one, and earlier choices do not count
	WebURL     string                                           // of Temporal Web, for links; empty for none
	Record     func(ctx context.Context, a Act) error           // writes to the audit log
	Issues     Issues                                           // of the forge; nil where they can't be read
	Intakes    Looker                                           // of issues; nil for none
	Host       string                                           // of the forge of owner/name; github.com when empty
	Redact     func(string) string                              // removes secrets from a text
	Log        *slog.Logger                                     // discards when nil
	Now        func() time.Time                                 // time.Now when nil
	Pause      func(ctx context.Context, d time.Duration) error // waits; by the clock when nil
}

// Handler handles events. It is safe for concurrent use.
type Handler struct {
	redact    func(string) string
	log       *slog.Logger
	bindings  *bindings
	messages  messages
	buttons   buttons
	pages     pages
	requests  forgeRequests
	actor     actor
	followers followers
	arrivals  arrivals
}

// New makes a Handler. It makes no calls. Errors are faults of kind Input.
func New(c Config) (*Handler, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Pause == nil {
		c.Pause = clock.Sleep
	}
	return c.build(), nil
}

func (c Config) check() error {
	switch {
	case c.Client == nil:
		return fault.New(fault.Input, "inbound: the client is missing")
	case c.Record == nil:
		return fault.New(fault.Input, "inbound: the record is missing").WithHint("without a record nothing may be done")
	case c.Redact == nil:
		return fault.New(fault.Input, "inbound: the redaction is missing")
	}
	if c.Repository != "" {
		if _, err := task.ParseRepository(c.Repository); err != nil {
			return fault.New(fault.Input, "inbound: %w", err)
		}
	}
	u, err := url.Parse(c.WebURL)
	if err != nil || c.WebURL != "" && (u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil) {
		return fault.New(fault.Input, "inbound: the address of Temporal Web is no plain http or https URL").
			WithHint("write it like https://temporal.example.com")
	}
	for name := range c.People {
		if !slices.Contains(channels, name) {
			return fault.New(fault.Input, "inbound: people of %q: no such channel", name).WithHint("use %s", strings.Join(channels, ", "))
		}
	}
	for name := range c.Rooms {
		if !slices.Contains(channels, name) {
			return fault.New(fault.Input, "inbound: rooms of %q: no such channel", name).WithHint("use %s", strings.Join(channels, ", "))
		}
	}
	return nil
}

var channels = []string{channel.Slack, channel.Telegram, channel.WhatsApp, channel.Terminal}

// build makes the parts of a Handler. Each gets what it uses and nothing else.
func (c Config) build() *Handler {
	md := render.Markdown{Redact: c.Redact, WebURL: c.WebURL, Namespace: c.Namespace}
	srv, cache := server{c.Client}, newRecent()
	find := finder{server: srv, pause: c.Pause, log: c.Log}
	audit := &auditLog{record: c.Record, render: md, log: c.Log, now: c.Now}
	bound := &bindings{server: srv, log: c.Log, now: c.Now}
	who := rights{people: c.People, bindings: bound}
	may := access{rights: who, rooms: c.Rooms, replies: &replyLimit{until: map[string]time.Time{}}, render: md, now: c.Now}
	commands := taskCommands{server: srv, recent: cache, render: md}
	current := currentProjects{projects: c.Projects, server: srv, recent: cache, log: c.Log}
	in := inputs{rights: who, projects: current, repository: c.Repository, render: md}
	act := actor{audit: audit, recent: cache,
		tasks:    taskWriter{client: c.Client, render: md},
		starts:   taskStarter{client: c.Client, server: srv, render: md},
		jobs:     jobWriter{schedules: c.Schedules, render: md},
		projects: projectWriter{client: c.Client, render: md},
		codes: codeWriter{audit: audit, client: c.Client, wrong: newRateLimit(maxCodes, codesEvery, 0), bindings: bound,
			render: md, now: c.Now}}
	return &Handler{redact: c.Redact, log: c.Log, bindings: bound, actor: act,
		messages: messages{access: may, codes: codes{rights: who, access: may}, recent: cache, server: srv, find: find, commands: commands,
			verbs: verbs{access: may, find: find, commands: commands, render: md, help: help(c.Repository != ""),
				show:     views{server: srv, find: find, render: md, now: c.Now},
				runs:     runs{inputs: in, issues: c.Issues, host: c.Host, redact: c.Redact},
				jobs:     jobVerbs{schedules: c.Schedules, inputs: in, render: md},
				projects: projectVerbs{access: may, projects: c.Projects, current: current, render: md, now: c.Now}}},
		buttons:   buttons{access: may, server: srv, commands: commands, render: md},
		pages:     pages{access: may, server: srv, render: md, limit: newRateLimit(1, pageEvery, 0), now: c.Now},
		requests:  forgeRequests{intakes: c.Intakes, server: srv, commands: commands, actor: act, render: md, now: c.Now},
		followers: followers{client: c.Client, server: srv, redact: c.Redact, log: c.Log},
		arrivals: arrivals{client: c.Client, limit: newRateLimit(maxArrivals, time.Minute, maxWaiting), delayed: &Counter{},
			redact: c.Redact, log: c.Log, now: c.Now}}
}

var eventForm = regexp.MustCompile(`^[A-Za-z0-9._-]{1,200}$`)

// Handle handles an event of a channel and returns the answer; an empty answer is none. An error, of kind Infra, means that the event could
// not be handled now and has to be delivered again: each event counts once, however often it is delivered.
func (h *Handler) Handle(ctx context.Context, ev channel.Event) (channel.Answer, error) {
	if !eventForm.MatchString(ev.ID) || ev.Room.Channel == "" || ev.Room.ID == "" {
		// It could not be counted once or recorded, and a second delivery would not help.
		h.log.Error("an event has no id or no room; it is dropped", "channel", ev.Room.Channel, "kind", string(ev.Kind))
		return channel.Answer{}, nil
	}
	switch ev.Kind {
	case channel.Press, channel.Form:
		d, err := h.buttons.decide(ctx, ev)
		return h.actor.finish(ctx, ev, d, err)
	case channel.Opened:
		d, err := h.pages.decide(ctx, ev)
		return h.actor.finish(ctx, ev, d, err)
	case channel.Said:
		m := parseMessage(ev, h.redact)
		d, err := h.messages.decide(ctx, m)
		a, err := h.actor.finish(ctx, m.event, d, err)
		if ev.Files && err == nil && a.Text != "" {
			a.Text += filesNotTaken
		}
		return a, err
	}
	return channel.Answer{}, fault.New(fault.Internal, "an event of the unknown kind %q", ev.Kind)
}

// filesNotTaken follows the answer to a message that came with files.
const filesNotTaken = "\n\nThe picture or file that came with it was not taken. " +
	"Pictures are given to a task on the command line: `longshift run --image FILE`."

// BoundChats returns the chats that people have bound with a code. It fails while they are not known.
func (h *Handler) BoundChats(ctx context.Context) ([]signals.Binding, error) {
	all, err := h.bindings.get(ctx)
	if err != nil {
		return nil, fault.New(fault.Infra, "ask which chats are bound: %w", err)
	}
	return all, nil
}
