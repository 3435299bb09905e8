package github

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/task"
)

// vetting checks who has asked for one issue.
type vetting struct {
	*Source
	r      task.Repository
	number int
	may    map[string]bool // by lower-case login, so that each is looked up once
}

// allowed reports whether somebody has write access. An unknown author has none.
func (v *vetting) allowed(ctx context.Context, by string, bot bool) (bool, error) {
	if by == "" || bot {
		return false, nil
	}
	key := strings.ToLower(by)
	if may, known := v.may[key]; known {
		return may, nil
	}
	may, err := v.hub.MayWrite(ctx, v.r, by)
	if err != nil {
		return false, fmt.Errorf("ask what %s may do in %s: %w", by, v.r.Text, err)
	}
	v.may[key] = may
	return may, nil
}

// stranger returns the first act by somebody without write access.
func (v *vetting) stranger(ctx context.Context, acts []forge.Act) (forge.Act, bool, error) {
	for _, a := range acts {
		if may, err := v.allowed(ctx, a.By, a.Bot); err != nil || !may {
			return a, err == nil, err
		}
	}
	return forge.Act{}, false, nil
}

// judge returns why an issue must not be worked on, or "".
func (v *vetting) judge(ctx context.Context, a forge.Asked) (string, error) {
	if len(a.By) == 0 {
		return "nobody is known to have asked for the issue", nil
	}
	by, found, err := v.stranger(ctx, a.By)
	switch {
	case err != nil:
		return "", err
	case found:
		return did[by.What] + " by " + named(by) + ", " + lacks(by), nil
	}
	by, found, err = v.stranger(ctx, a.Renamed)
	switch {
	case err != nil:
		return "", err
	case found:
		return "the title was changed by " + named(by) + ", " + lacks(by) + ", after " + since(a), nil
	}
	return v.body(ctx, a, last(a.By).At)
}

// body returns why the text must not be worked on. If the forge does not say who has edited it, an author with write access is enough,
// because then only people with write access can edit it.
func (v *vetting) body(ctx context.Context, a forge.Asked, at time.Time) (string, error) {
	edits, err := v.hub.Edits(ctx, v.r, v.number, at)
	if untold := err; errors.Is(err, forge.ErrUntold) {
		if may, err := v.allowed(ctx, a.Author, false); err != nil || may {
			return "", err
		}
		v.untold.Do(func() { // warn once: every poll returns the same issues
			v.log.Warn("issues of people without write access are left alone: GitHub does not tell whether their text has changed",
				"repository", v.r.Text, "issue", v.number, "error", untold)
		})
		return "GitHub does not tell whether the text was changed after " + since(a) + ", and its author has no write access", nil
	}
	if err != nil {
		return "", fmt.Errorf("ask who has changed issue #%d of %s: %w", v.number, v.r.Text, err)
	}
	by, found, err := v.stranger(ctx, edits)
	if err != nil || !found {
		return "", err
	}
	return "the text was changed by " + named(by) + ", " + lacks(by) + ", after " + since(a), nil
}

var did = map[string]string{"label": "labelled", "assign": "assigned"}

// since describes the moment whose text counts.
func since(a forge.Asked) string {
	l := last(a.By)
	return named(l) + " " + did[l.What] + " the issue"
}

func named(a forge.Act) string {
	if a.By == "" {
		return "somebody who is not known any more"
	}
	return a.By
}

func lacks(a forge.Act) string {
	if a.Bot {
		return "which is a bot"
	}
	return "who has no write access"
}
