package github

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/fault"
)

const maxCursor = 1 << 10 // bytes

// cursor is where a poll continues. Callers see it as text.
type cursor struct {
	At       time.Time `json:"at,omitzero"` // when a poll last read everything, by GitHub's clock
	Label    string    `json:"label"`       // the lists below were read for this label and this account
	Me       string    `json:"me"`
	MeTag    string    `json:"meTag,omitempty"`
	Labelled place     `json:"labelled"`
	Assigned place     `json:"assigned"`
	Comments place     `json:"comments"`
}

func readCursor(text string) (cursor, error) {
	var c cursor
	if text == "" {
		return c, nil
	}
	if err := json.Unmarshal([]byte(text), &c); err != nil || len(text) > maxCursor {
		return c, fault.New(fault.Input, "GitHub: the cursor of a poll can't be read").WithHint("begin again with an empty one")
	}
	return c, nil
}

// whoami updates the account of the cursor, because another account has other issues. It also reads GitHub's clock, before anything
// else is read.
func (p *poll) whoami(ctx context.Context) error {
	what, path := "ask whose token it is", "user"
	if p.app != nil { // no issue can be assigned to it, so the clock alone is asked for
		what, path = "read repository", "repos/"+p.owner+"/"+p.name
	}
	a, err := get[struct {
		Login string `json:"login"`
	}](ctx, p.session, what, path, p.c.MeTag)
	if err == nil || answered(err, http.StatusForbidden) {
		var bad error
		if p.at, bad = http.ParseTime(a.header.Get("Date")); bad != nil {
			return fault.New(fault.Infra, "GitHub: an answer has no date").WithHint("check the proxy in between")
		}
	}
	switch me := a.value.Login; {
	case answered(err, http.StatusForbidden): // the token of an app
		p.c.Me, p.c.MeTag = "", ""
	case err != nil:
		return err
	case !a.unchanged && !strings.EqualFold(me, p.c.Me):
		p.c.Me, p.c.MeTag, p.c.Assigned = me, a.tag, place{}
	case !a.unchanged:
		p.c.MeTag = a.tag
	}
	return nil
}
