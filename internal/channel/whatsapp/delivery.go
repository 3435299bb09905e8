package whatsapp

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/longshift/longshift/internal/channel"
)

var errMalformed = errors.New("malformed delivery")

// delivery is a webhook request. The content of a change depends on its field.
type delivery struct {
	Object string `json:"object"`
	Entry  []struct {
		Changes []struct {
			Field string          `json:"field"`
			Value json.RawMessage `json:"value"`
		} `json:"changes"`
	} `json:"entry"`
}

// change is what happened on one phone number.
type change struct {
	Metadata struct {
		PhoneNumberID string `json:"phone_number_id"`
	} `json:"metadata"`
	Contacts []contact         `json:"contacts"`
	Messages []json.RawMessage `json:"messages"` // decoded one by one, so that an invalid one does not affect the others
	Statuses []json.RawMessage `json:"statuses"`
}

type contact struct {
	ID      string `json:"wa_id"`
	Hidden  string `json:"user_id"`
	Profile struct {
		Name string `json:"name"`
	} `json:"profile"`
}

type message struct {
	From       string `json:"from"`
	FromHidden string `json:"from_user_id"` // instead of From, when the person hides the number
	Group      string `json:"group_id"`
	ID         string `json:"id"`
	Timestamp  string `json:"timestamp"` // seconds since 1970
	Type       string `json:"type"`
	Context    struct {
		ID        string `json:"id"`
		Forwarded bool   `json:"forwarded"`            // somebody else wrote it
		Often     bool   `json:"frequently_forwarded"` // forwarded many times; Forwarded may be missing then
	} `json:"context"`
	Text struct {
		Body string `json:"body"`
	} `json:"text"`
	Interactive struct {
		Type   string `json:"type"`
		Button struct {
			ID string `json:"id"`
		} `json:"button_reply"`
	} `json:"interactive"`
}

type status struct {
	Status string `json:"status"`
	Key    string `json:"biz_opaque_callback_data"`
	Errors []struct {
		Code int `json:"code"`
	} `json:"errors"`
}

// receive handles each message of a delivery, even after one has failed, and returns the answers. An error means that the platform
// should deliver it again.
func (w *WhatsApp) receive(ctx context.Context, body []byte, handle channel.Handle) (answers []pending, err error) {
	var d delivery
	if err := json.Unmarshal(body, &d); err != nil || d.Object != "whatsapp_business_account" {
		return nil, errMalformed
	}
	var changes []change
	for _, e := range d.Entry {
		for _, c := range e.Changes {
			if c.Field != "messages" {
				continue
			}
			var v change
			if err := json.Unmarshal(c.Value, &v); err != nil {
				return nil, errMalformed
			}
			changes = append(changes, v)
		}
	}
	var errs []error
	for _, c := range changes {
		if c.Metadata.PhoneNumberID != w.cfg.PhoneNumberID {
			w.log.InfoContext(ctx, "a whatsapp delivery for another number was left alone", "phone_number_id", c.Metadata.PhoneNumberID)
			continue
		}
		w.failures(ctx, c.Statuses)
		for _, raw := range c.Messages {
			p, err := w.handle(ctx, raw, c.Contacts, handle)
			if err != nil {
				errs = append(errs, err)
				continue
			}
			answers = append(answers, p)
		}
	}
	return answers, errors.Join(errs...)
}

// failures logs which sent messages did not arrive. Other statuses are ignored.
func (w *WhatsApp) failures(ctx context.Context, all []json.RawMessage) {
	for _, raw := range all {
		var s status
		if err := json.Unmarshal(raw, &s); err != nil || s.Status != "failed" {
			continue
		}
		code, hint := 0, ""
		if len(s.Errors) > 0 {
			code = s.Errors[0].Code
			hint = meanings[code].hint
		}
		w.log.WarnContext(ctx, "a message was not delivered by whatsapp", "key", s.Key, "code", code, "hint", hint)
	}
}

// handle converts a message to an event and handles it. The answer may be empty.
func (w *WhatsApp) handle(ctx context.Context, raw json.RawMessage, people []contact, handle channel.Handle) (pending, error) {
	var m message
	if err := json.Unmarshal(raw, &m); err != nil {
		w.log.WarnContext(ctx, "a whatsapp message that can't be read was left out")
		return pending{}, nil
	}
	e, ok := w.event(ctx, m, people)
	if !ok {
		return pending{}, nil
	}
	if e.Kind == "" {
		return pending{m.ID, e, w.explain(ctx, m, e)}, nil
	}
	a, err := handle(ctx, e)
	return pending{m.ID, e, a}, err
}
