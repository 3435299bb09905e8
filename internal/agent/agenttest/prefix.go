package agenttest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
)

// prefix is what the API keeps in its cache of a request. A next one that begins with something else is taken, and paid for anew.
type prefix struct {
	System   json.RawMessage `json:"system"`
	Tools    json.RawMessage `json:"tools"`
	Messages []struct {
		Role    string            `json:"role"`
		Content []json.RawMessage `json:"content"`
	} `json:"messages"`
}

// ofOurAgent knows our own agent by the client of Anthropic's SDK.
func ofOurAgent(header http.Header) bool {
	return strings.HasPrefix(header.Get("User-Agent"), "Anthropic/Go ")
}

// cacheMark says up to where a request is kept. It is no part of what is kept.
var cacheMark = regexp.MustCompile(`,"cache_control":\{[^{}]*\}|"cache_control":\{[^{}]*\},?`)

func readPrefix(body []byte) (*prefix, error) {
	var p prefix
	if err := json.Unmarshal(cacheMark.ReplaceAll(body, nil), &p); err != nil {
		return nil, fmt.Errorf("our own agent sends blocks: %w", err)
	}
	return &p, nil
}

// keeps tells what a request has changed of the last one that was answered. One message alone begins a conversation: that of a session
// whose host is gone is new.
func (p *prefix) keeps(sent *prefix) error {
	if len(p.Messages) == 1 {
		return nil
	}
	if !bytes.Equal(p.System, sent.System) {
		return changed("system", sent.System, p.System)
	}
	if !bytes.Equal(p.Tools, sent.Tools) {
		return changed("tools", sent.Tools, p.Tools)
	}
	if len(p.Messages) < len(sent.Messages) {
		return fmt.Errorf("messages have changed: %d were sent before, and %d now", len(sent.Messages), len(p.Messages))
	}
	for i, m := range sent.Messages {
		now := p.Messages[i]
		last := i == len(sent.Messages)-1 // it may have grown at its end, when its answer was lost
		if m.Role != now.Role || len(now.Content) < len(m.Content) || !last && len(now.Content) > len(m.Content) {
			return fmt.Errorf("messages.%d has changed: was of %s with %d blocks, and is of %s with %d", i, m.Role, len(m.Content), now.Role, len(now.Content))
		}
		for j, block := range m.Content {
			if !bytes.Equal(block, now.Content[j]) {
				return changed(fmt.Sprintf("messages.%d.content.%d", i, j), block, now.Content[j])
			}
		}
	}
	return nil
}

// changed shows two texts from where they begin to differ.
func changed(where string, was, is []byte) error {
	at := 0
	for at < min(len(was), len(is)) && was[at] == is[at] {
		at++
	}
	from := max(0, at-20)
	return fmt.Errorf("%s has changed: was …%.80q, and is …%.80q", where, was[from:], is[from:])
}
