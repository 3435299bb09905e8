package slacktest

import (
	"encoding/json"
	"fmt"
)

// views are the forms and homes that the app has opened for people.
type views struct {
	*shared
	triggers map[string]string // users by trigger
	modals   []*Modal
	homes    map[string]Home // by user
}

type Modal struct {
	ID, CallbackID, PrivateMetadata string
	Label                           string // of its only field
	BlockID, ActionID               string // of that field

	user string
	open bool
}

func (vs *views) openView(p params) (map[string]any, string) {
	user, known := vs.triggers[p.need("trigger_id")]
	if !known {
		return nil, "expired_trigger_id"
	}
	delete(vs.triggers, p.values["trigger_id"])
	var v struct {
		Type     string     `json:"type"`
		Title    textObject `json:"title"`
		Submit   textObject `json:"submit"`
		Callback string     `json:"callback_id"`
		Private  string     `json:"private_metadata"`
		Blocks   []block    `json:"blocks"`
	}
	if err := json.Unmarshal([]byte(p.need("view")), &v); err != nil {
		vs.t.Errorf("view: %v", err)
	}
	switch {
	case v.Type != "modal", v.Title.Type != "plain_text", v.Title.Text == "", chars(v.Title.Text) > 24,
		v.Submit.Text == "", chars(v.Submit.Text) > 24, len(v.Private) > 3000, len(v.Callback) > 255, len(v.Blocks) != 1:
		vs.t.Errorf("view %+v", v)
		return nil, "invalid_arguments"
	}
	b := v.Blocks[0]
	if b.Type != "input" || b.Label.Text == "" || b.Label.Type != "plain_text" || chars(b.Label.Text) > 2000 || b.BlockID == "" ||
		b.Element.Type != "plain_text_input" || !b.Element.Multiline || b.Element.ActionID == "" || b.Element.MaxLength > 3000 {
		vs.t.Errorf("field %+v", b)
		return nil, "invalid_arguments"
	}
	m := &Modal{ID: fmt.Sprintf("V%d", len(vs.modals)+1), CallbackID: v.Callback, PrivateMetadata: v.Private, Label: b.Label.Text,
		BlockID: b.BlockID, ActionID: b.Element.ActionID, user: user, open: true}
	vs.modals = append(vs.modals, m)
	vs.changed.note()
	return map[string]any{"view": map[string]any{"id": m.ID}}, ""
}

// View reports whether a user has an open form, and the label of its field. With several forms the newest counts.
func (vs *views) View(user string) (open bool, label string) {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	if m := vs.modal(user); m != nil {
		return true, m.Label
	}
	return false, ""
}

func (vs *views) modal(user string) *Modal {
	for i := len(vs.modals) - 1; i >= 0; i-- {
		if m := vs.modals[i]; m.user == user && m.open {
			return m
		}
	}
	return nil
}

// take waits for a form, and closes it as submitting does.
func (vs *views) take(user string) (Modal, bool) {
	var taken Modal
	ok := vs.changed.wait(func() bool {
		vs.mu.Lock()
		defer vs.mu.Unlock()
		m := vs.modal(user)
		if m == nil {
			return false
		}
		m.open = false
		taken = *m
		return true
	})
	return taken, ok
}

func (vs *views) reopen(id string) {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	for _, m := range vs.modals {
		if m.ID == id {
			m.open = true
		}
	}
	vs.changed.note()
}
