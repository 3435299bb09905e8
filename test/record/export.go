package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/api/temporalproto"
)

// history reads every event of a play.
func (s *stage) history(ctx context.Context, p *play) (*historypb.History, error) {
	h := &historypb.History{}
	iter := s.client.GetWorkflowHistory(ctx, p.run.GetID(), p.first, false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for iter.HasNext() {
		e, err := iter.Next()
		if err != nil {
			return nil, fmt.Errorf("read the history: %w", err)
		}
		h.Events = append(h.Events, e)
	}
	return h, nil
}

// format writes a history as `temporal workflow show --output json` does, with one event per line: small, and a change
// of a fixture shows as the events that changed.
func format(h *historypb.History) ([]byte, error) {
	var out bytes.Buffer
	out.WriteString("{\"events\":[")
	for i, e := range h.Events {
		line, err := temporalproto.CustomJSONMarshalOptions{}.Marshal(e)
		if err != nil {
			return nil, fmt.Errorf("write event %d: %w", e.EventId, err)
		}
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteByte('\n')
		if err := json.Compact(&out, line); err != nil { // the blanks of protojson differ from build to build
			return nil, fmt.Errorf("write event %d: %w", e.EventId, err)
		}
	}
	out.WriteString("\n]}\n")
	return out.Bytes(), nil
}

// write replaces a file in one step.
func write(file string, data []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(file), ".record-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(data)
	if err := errors.Join(err, tmp.Chmod(0o644), tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), file)
}
