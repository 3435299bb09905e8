package linear

import (
	"context"
	"crypto/sha256"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
)

// A task's note is a comment, and its claim is a reaction to that comment. We choose the ids of both, and Linear accepts an id only once.
// So a repeated request can't create a second one, and of two tasks that claim at once, one is refused. The text holds no hidden markers,
// because Linear would show them.
const (
	noteIDs  = 4  // per task: an id can't be reused after its comment was deleted
	claimIDs = 16 // per issue: work that was put back may be claimed again
)

// noteID is the id of a task's note; n counts deleted ones.
func noteID(issue, taskID string, n int) string { return id("note", issue, taskID, strconv.Itoa(n)) }

// claimID is the id of an issue's n-th claim, whichever task makes it. It contains the issue's id, so it is unique in Linear.
func claimID(issue string, n int) string { return id("claim", issue, strconv.Itoa(n)) }

// id is a UUID of version 4, the only version that Linear accepts, derived from the parts.
func id(parts ...string) string {
	sum := sha256.Sum256([]byte("longshift\x00" + strings.Join(parts, "\x00")))
	u := uuid.UUID(sum[:16])
	u[6] = u[6]&0x0f | 0x40
	u[8] = u[8]&0x3f | 0x80
	return u.String()
}

// marks are the note and the claims on an issue.
type marks struct {
	note   string // id of the task's comment; empty for none
	body   string // text of that comment
	claims []claim
}

// claim is a claim of an issue, on the note of its task.
type claim struct {
	n    int
	note string
	at   time.Time
}

// last returns the newest claim, which is the one that counts.
func (m *marks) last() (claim, bool) {
	if len(m.claims) == 0 {
		return claim{n: -1}, false
	}
	return slices.MaxFunc(m.claims, func(a, b claim) int { return a.n - b.n }), true
}

// find returns the claim with a number.
func (m *marks) find(n int) (claim, bool) {
	i := slices.IndexFunc(m.claims, func(c claim) bool { return c.n == n })
	if i < 0 {
		return claim{}, false
	}
	return m.claims[i], true
}

// ours reports whether a claim is on a note of the task.
func ours(c claim, issue, taskID string) bool {
	return slices.Contains(noteIDsOf(issue, taskID), c.note)
}

func noteIDsOf(issue, taskID string) (all []string) {
	for n := range noteIDs {
		all = append(all, noteID(issue, taskID, n))
	}
	return all
}

// marks reads the note and the claims on an issue.
func (s *session) marks(ctx context.Context, issue, taskID string) (*marks, error) {
	notes, claims := noteIDsOf(issue, taskID), []string(nil)
	for n := range claimIDs {
		claims = append(claims, claimID(issue, n))
	}
	got, err := read(ctx, s, "read our comments", func() (*readMarksResponse, error) { return readMarks(ctx, s, issue, notes, claims) })
	if err != nil {
		return nil, err
	}
	m, newest := &marks{}, -1
	for _, c := range got.Issue.Comments.Nodes {
		if n := slices.Index(notes, c.Id); n > newest {
			newest, m.note, m.body = n, c.Id, c.Body
		}
		for _, r := range c.Reactions {
			if n := slices.Index(claims, r.Id); n >= 0 {
				m.claims = append(m.claims, claim{n: n, note: c.Id, at: r.CreatedAt})
			}
		}
	}
	return m, nil
}
