package activities

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"sync"
	"time"

	"github.com/longshift/longshift/internal/agent/transcript"
	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/repo/workspace"
)

// Objects is the object store that hosts share.
type Objects interface {
	Put(ctx context.Context, key string, data []byte) error
	Get(ctx context.Context, key string) ([]byte, error) // wraps objectstore.ErrMissing
	Remove(ctx context.Context, prefix string) error
}

// handovers bring what running sessions of Longshift's own agent have come to away from this host, so that another goes on from there
// when this one is lost: the work tree to the task's remote, and the conversation to the object store. The conversation goes first, and
// the snapshot of the work tree names the entry that belongs to it: so the two are of the same moment, and only the attempt that has the
// task moves them.
type handovers struct {
	every     time.Duration // of one session, at least
	objects   Objects       // nil without an object store
	inspector *inspector
	now       func() time.Time

	mu   sync.Mutex
	last map[string]handover // by session
}

// handover is how far a session has been brought away.
type handover struct {
	At    time.Time `json:"at"`             // of the last try, or of the beginning of the session
	Head  string    `json:"head,omitempty"` // of the conversation that was brought away; "" for none
	Wrote bool      `json:"-"`              // the work tree may have changed since
}

// mostHandover limits how long a session waits while its work is brought away.
const mostHandover = 30 * time.Second

// point is a moment of a session, as its snapshot names it.
type point struct {
	Session string `json:"session"`
	Head    string `json:"head"` // of the conversation
}

// begin starts the session's clock: what is done within seconds is not brought away.
func (h *handovers) begin(session, dir string) {
	one := h.of(session, dir)
	h.note(session, one)
	_ = writeJSON(fileOf(dir), one) // without it the next worker would only bring more away than it has to
}

func fileOf(dir string) string { return filepath.Join(dir, "handover.json") }

// of is how far a session has been brought away. What a worker that was killed has written meanwhile is not known.
func (h *handovers) of(session, dir string) handover {
	h.mu.Lock()
	defer h.mu.Unlock()
	one, known := h.last[session]
	if !known {
		if err := readJSON(fileOf(dir), &one); errors.Is(err, fs.ErrNotExist) {
			return handover{At: h.now()}
		}
		one.Wrote = true
	}
	return one
}

func (h *handovers) note(session string, one handover) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.last == nil {
		h.last = map[string]handover{}
	}
	h.last[session] = one
}

// forget drops what is in memory for a session that has ended its ask.
func (h *handovers) forget(session string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.last, session)
}

// moment is where a session stands.
type moment struct {
	in    SessionInput
	tree  *workspace.Tree
	store transcript.Store
	dir   string // of the session on this host
	head  string
	wrote bool // by the act that has just ended
	busy  bool // a command runs in the background, which may write
	ends  bool // the ask ends here
	last  bool // it has reported: its work is committed next
}

// moment is where the session of an act stands.
func (a *Acts) moment(act Act, s Started, tree *workspace.Tree, head string) moment {
	return moment{in: s.SessionInput, tree: tree, store: a.store(act), dir: a.recordOf(act).dir, head: head, busy: a.processes.busy(act.Session)}
}

// bringAnswer has an answer leave this host before its calls are made: they may take long, and another host must know that they were begun.
func (a *Acts) bringAnswer(ctx context.Context, act Act, s Started, head string) error {
	if a.handovers.objects == nil {
		return nil
	}
	tree, err := a.of.workspaces.Open(ctx, act.TaskID, act.Fence)
	if err != nil {
		return err
	}
	defer tree.Close()
	log, err := a.log(act, s)
	if err != nil {
		return err
	}
	defer log.close()
	if problem := a.handovers.bring(ctx, a.moment(act, s, tree, head)); problem != "" {
		log.line("! %s", log.hide(problem))
	}
	return nil
}

// bring brings away what is new since the last time, when it is time to. It returns what people should know when that is not possible.
func (h *handovers) bring(ctx context.Context, m moment) (problem string) {
	was := h.of(m.in.ID, m.dir)
	readOnly := m.in.Role.ReadOnly()
	was.Wrote = (was.Wrote || m.wrote) && !readOnly
	fresh := was.Wrote || h.objects != nil && was.Head != m.head
	if m.last { // an older snapshot would stand for the work that is about to be committed
		fresh = was.Wrote && was.Head != ""
	}
	if !fresh || !m.ends && h.now().Sub(was.At) < h.every {
		h.note(m.in.ID, was)
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, mostHandover)
	defer cancel()
	was.At = h.now()
	err := h.export(ctx, m, was.Head)
	if err == nil && !m.busy { // git reads the work tree outside of any box: nothing may put links into its way meanwhile
		var pushed bool
		pushed, err = m.tree.PushSnapshot(ctx, workspace.SnapshotSpec{Note: asJSON(point{m.in.ID, m.head}), Clean: readOnly,
			Inspect: func(write func(io.Writer) error) error { return h.inspector.leaksOf(write, nil) }})
		if pushed {
			was.Head, was.Wrote = m.head, false
		}
	}
	h.note(m.in.ID, was)
	_ = writeJSON(fileOf(m.dir), was)
	if err != nil && !errors.Is(ctx.Err(), context.Canceled) { // otherwise the act ends, and its end is told
		return "a lost host would cost the work since the last time it was brought away: " + excerpt.Line(err.Error(), 400)
	}
	return ""
}
