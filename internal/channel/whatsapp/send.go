package whatsapp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/httpclient"
)

const maxAnswer = 1 << 20

// send makes one request and returns the message's id.
func (w *WhatsApp) send(ctx context.Context, p payload) (id string, err error) {
	token, err := w.cfg.Token(ctx)
	if err != nil {
		return "", fault.New(fault.Denied, "the whatsapp access token can't be read: %w", err)
	}
	if token = strings.TrimSpace(token); token == "" {
		return "", fault.New(fault.Denied, "the whatsapp access token is empty")
	}
	body, err := json.Marshal(p)
	if err != nil {
		return "", fault.New(fault.Internal, "write a whatsapp message: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.api, bytes.NewReader(body))
	if err != nil {
		return "", fault.New(fault.Internal, "write a whatsapp message: %w", err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := w.http.Do(req)
	if err != nil {
		return "", noAnswer(ctx, err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return "", noAnswer(ctx, err)
	}
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return "", refusal(resp, answer, token, p)
	}
	return sent(answer)
}

// sent returns the id of an accepted message.
func sent(answer []byte) (string, error) {
	var taken struct {
		Messages []struct {
			ID string `json:"id"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(answer, &taken); err != nil {
		return "", fault.New(fault.Infra, "the answer of whatsapp can't be read: %w", err)
	}
	if len(taken.Messages) == 0 || taken.Messages[0].ID == "" {
		return "", fault.New(fault.Infra, "the answer of whatsapp names no message")
	}
	return taken.Messages[0].ID, nil
}

// noAnswer is the error for a request without an answer. It omits the URL, which does not help.
func noAnswer(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("write to whatsapp: %w", ctx.Err())
	}
	return fault.New(fault.Infra, "whatsapp can't be reached: %w", httpclient.WithoutURL(err))
}
