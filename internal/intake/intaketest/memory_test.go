package intaketest_test

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/intake"
	"github.com/longshift/longshift/internal/intake/intaketest"
	"github.com/longshift/longshift/task"
)

const secret = "memory-token-0123456789"

// memory is a source and its platform in one. flaw names what it does wrong.
type memory struct {
	flaw string

	mu     sync.Mutex
	pieces []*piece
	fail   intaketest.Failure
	lists  int
}

type piece struct {
	key, title, body, by string
	gone                 bool
	notes                []intake.Note
}

func (m *memory) bad(flaw string) bool { return m.flaw == flaw }

func (p *piece) sum() string { return strconv.Itoa(len(p.body)) }

func (m *memory) item(p *piece) intake.Item {
	i := intake.Item{Key: p.key, ID: "memory:" + p.key + ":" + p.sum(), Sum: p.sum(), Title: p.title}
	switch m.flaw {
	case "unstable id":
		i.ID += strconv.Itoa(m.lists)
	case "title as id":
		i.ID = p.title
	case "one sum":
		i.Sum = ""
	}
	return i
}

// trouble returns the error of the context, or of the failure that the test has set.
func (m *memory) trouble(ctx context.Context) error {
	if err := ctx.Err(); err != nil && !m.bad("ended context") {
		return err
	}
	kind := m.fail
	m.fail = ""
	switch {
	case kind == "":
		return nil
	case kind == intaketest.RateLimit && m.bad("no wait"):
		return fault.New(fault.Infra, "too many")
	case kind == intaketest.RateLimit:
		return &fault.Later{After: intaketest.Wait, Err: fault.New(fault.Infra, "too many")}
	case kind == intaketest.BadToken && m.bad("token in error"):
		return fault.New(fault.Denied, "token %s refused", secret)
	case kind == intaketest.BadToken:
		return fault.New(fault.Denied, "token refused")
	case m.bad("server error denied"):
		return fault.New(fault.Denied, "server error")
	}
	return fault.New(fault.Infra, "server error")
}

var keyForm = regexp.MustCompile(`^[a-z0-9]{1,20}$`)

func (m *memory) find(key string) (*piece, error) {
	if !keyForm.MatchString(key) && !m.bad("any key") {
		return nil, fault.New(fault.Input, "key %.20q is not one of ours", key)
	}
	for _, p := range m.pieces {
		if p.key == key && (!p.gone || m.bad("gone is there")) || m.bad("any key") {
			return p, nil
		}
	}
	return nil, fault.New(fault.NotFound, "there is no %q", key)
}

func (m *memory) List(ctx context.Context, _ intake.Query, visit func(intake.Item) bool) error {
	m.mu.Lock()
	err := m.trouble(ctx)
	m.lists++
	var items []intake.Item
	for _, p := range m.pieces {
		if m.bad("lists nothing") || p.gone || p.by != "" && !m.bad("lists claimed") {
			continue
		}
		items = append(items, m.item(p))
		if m.bad("wrong order") {
			items = append(items[len(items)-1:], items[:len(items)-1]...)
		}
	}
	if !m.bad("locked list") {
		m.mu.Unlock()
	} else {
		defer m.mu.Unlock()
	}
	for _, i := range items {
		if err != nil || !visit(i) && !m.bad("no stop") {
			return err
		}
	}
	return err
}

func (m *memory) Read(ctx context.Context, _ intake.Query, key string) (intake.Work, error) {
	if !m.bad("locked list") {
		m.mu.Lock()
	} else if !m.mu.TryLock() {
		return intake.Work{}, fault.New(fault.Infra, "locked")
	}
	defer m.mu.Unlock()
	if err := m.trouble(ctx); err != nil {
		return intake.Work{}, err
	}
	p, err := m.find(key)
	if err != nil {
		return intake.Work{}, err
	}
	if m.bad("read claims") {
		p.by = "reader"
	}
	w := intake.Work{Item: m.item(p), Task: "Do it.", Issue: &task.Issue{Title: p.title, Body: p.body}}
	if m.bad("no body") {
		w.Issue.Body = ""
	}
	return w, nil
}

// show keeps one note per task.
func (m *memory) show(p *piece, n intake.Note) {
	n.Text = strings.ReplaceAll(n.Text, "-->", "")
	for i := range p.notes {
		if p.notes[i].TaskID == n.TaskID && !m.bad("posts twice") || m.bad("one note for all") {
			p.notes[i] = n
			return
		}
	}
	p.notes = append(p.notes, n)
}

func (m *memory) write(ctx context.Context, key string, n intake.Note, then func(p *piece) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	err := m.trouble(ctx)
	if err != nil && !(m.bad("writes all the same") && ctx.Err() != nil) {
		return err
	}
	p, look := m.find(key)
	if look != nil {
		return look
	}
	if then != nil {
		if err := then(p); err != nil {
			return err
		}
	}
	m.show(p, n)
	return err
}

func (m *memory) Queue(ctx context.Context, _ intake.Query, key string, n intake.Note) error {
	return m.write(ctx, key, n, func(p *piece) error {
		if m.bad("queue claims") {
			p.by = n.TaskID
		}
		return nil
	})
}

func (m *memory) Claim(ctx context.Context, _ intake.Query, key string, n intake.Note) error {
	return m.write(ctx, key, n, func(p *piece) error {
		switch {
		case p.by != "" && p.by != n.TaskID && !m.bad("claims for all"), p.by != "" && m.bad("claims once"):
			return fault.New(fault.Conflict, "%s has it", p.by)
		case n.Sum != "" && n.Sum != p.sum() && !m.bad("any sum"):
			return fault.New(fault.Conflict, "the text is another one")
		}
		p.by = n.TaskID
		return nil
	})
}

func (m *memory) Report(ctx context.Context, _ intake.Query, key string, n intake.Note) error {
	return m.write(ctx, key, n, func(p *piece) error {
		if m.bad("report needs claim") && p.by != n.TaskID {
			return fmt.Errorf("not claimed")
		}
		p.by = ""
		return nil
	})
}
