package linear

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/Khan/genqlient/graphql"

	"github.com/longshift/longshift/internal/httpclient"
)

const maxAnswer = 8 << 20 // bytes; a page of 100 issues has about 50 kB

// MakeRequest implements graphql.Client with a single attempt. Errors are problems or that of ctx.
func (s *session) MakeRequest(ctx context.Context, req *graphql.Request, resp *graphql.Response) error {
	body, err := json.Marshal(req)
	if err != nil {
		return fmt.Errorf("write the request: %w", err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("make the request: %w", err)
	}
	r.Header.Set("Authorization", authorization(s.key))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json")
	r.Header.Set("User-Agent", "longshift")
	answer, err := s.http.Do(r)
	if err != nil {
		return s.lost(ctx, 0, err)
	}
	defer answer.Body.Close()
	s.date = httpclient.Now(answer.Header, s.now())
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1))
	if err != nil {
		return s.lost(ctx, answer.StatusCode, err)
	}
	if len(text) > maxAnswer {
		return &problem{status: answer.StatusCode, message: "the answer has no end", passing: true}
	}
	var got struct {
		Data   json.RawMessage `json:"data"`
		Errors []complaint     `json:"errors"`
	}
	err = json.Unmarshal(text, &got)
	switch {
	case err != nil || len(got.Errors) > 0 || answer.StatusCode != http.StatusOK:
		return s.understand(answer, got.Errors)
	case len(got.Data) == 0 || string(got.Data) == "null":
		return &problem{status: answer.StatusCode, message: "the answer is empty", passing: true}
	}
	if err := json.Unmarshal(got.Data, resp.Data); err != nil {
		return &problem{status: answer.StatusCode, message: s.scrub("the answer can't be used: " + err.Error()), passing: true}
	}
	return nil
}

// lost is the error for a response that was missing or incomplete. An error of ctx is returned as it is.
func (s *session) lost(ctx context.Context, status int, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return &problem{status: status, message: s.scrub(err.Error()), passing: true}
}
