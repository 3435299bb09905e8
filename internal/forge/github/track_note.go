package github

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	gh "github.com/google/go-github/v66/github"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/task"
)

var (
	noteForm  = regexp.MustCompile(`^<!-- longshift:note=(\S+) -->$`)
	stateForm = regexp.MustCompile(`^<!-- longshift:state=([a-z]{1,20}) -->$`)
	stateWord = regexp.MustCompile(`^[a-z]{0,20}$`)
)

const maxNote = 8_000 // bytes

// SetNote implements forge.Marker. Like Comment, it looks for its mark before it writes, and again after that. Marks count only in comments
// of the token's account. Of two comments with one mark it updates the older one.
func (t *tracker) SetNote(ctx context.Context, r task.Repository, number int, n forge.Note) error {
	if n.Key == "" || number <= 0 || !stateWord.MatchString(n.State) {
		return fault.New(fault.Internal, "a note needs a number and a key, and at most a word as its state")
	}
	i, err := t.visitIssue(ctx, r, number)
	if err != nil {
		return err
	}
	own := comments{i}
	for try := 1; ; try++ {
		old, err := own.find(ctx, n.Key)
		if err != nil {
			return err
		}
		body, err := noteBody(n, old.GetBody())
		if err != nil {
			return err
		}
		if old != nil && unixLines(old.GetBody()) == body {
			return nil
		}
		if old != nil {
			err := own.edit(ctx, old.GetID(), body)
			if answered(err, http.StatusNotFound, http.StatusGone) && try < 3 { // deleted since find
				continue
			}
			return err
		}
		if again, err := own.write(ctx, n.Key, body); !again {
			return err
		}
	}
}

// noteBody returns the text of a note. Fields that the note leaves empty are taken from the old text.
func noteBody(n forge.Note, old string) (string, error) {
	text, state := plainNote(old), n.State
	if n.Text != "" {
		text = excerpt.Clip(plainNote(n.Text), maxNote)
	}
	if state == "" {
		_, state = marks(old)
	}
	if strings.TrimSpace(text) == "" {
		return "", fault.New(fault.Internal, "a note needs a text")
	}
	body := strings.TrimSpace(text) + "\n\n" + noteMark(n.Key)
	if state != "" {
		body += "\n<!-- longshift:state=" + state + " -->"
	}
	return body, nil
}

// marks reads key and state from the hidden lines of a note. The last ones count, because they are ours.
func marks(body string) (key, state string) {
	for l := range strings.Lines(body) {
		l = strings.TrimSpace(l)
		if m := noteForm.FindStringSubmatch(l); m != nil {
			if k, err := url.PathUnescape(m[1]); err == nil {
				key = k
			}
		}
		if m := stateForm.FindStringSubmatch(l); m != nil {
			state = m[1]
		}
	}
	return key, state
}

// plainNote returns a note without its hidden lines.
func plainNote(body string) string {
	var b strings.Builder
	for l := range strings.Lines(unixLines(body)) {
		if t := strings.TrimSpace(l); !noteForm.MatchString(t) && !stateForm.MatchString(t) {
			b.WriteString(l)
		}
	}
	return b.String()
}

// Notes implements forge.Marker. It includes what Comment has written.
func (t *tracker) Notes(ctx context.Context, r task.Repository, number int) ([]forge.Note, error) {
	i, err := t.visitIssue(ctx, r, number)
	if err != nil {
		return nil, err
	}
	var all []forge.Note
	err = comments{i}.each(ctx, func(c *gh.IssueComment) bool {
		if key, state := marks(c.GetBody()); key != "" {
			all = append(all, forge.Note{Key: strings.Clone(key), State: strings.Clone(state), ID: c.GetID(), Changed: c.GetUpdatedAt().UTC()})
		}
		return true
	})
	return all, err
}
