package activities

import (
	"context"
	"io"

	"github.com/longshift/longshift/internal/redact"
	"github.com/longshift/longshift/internal/repo/workspace"
)

// leaks looks for secrets in everything that a push would publish: the changes and the message of each commit. It returns a fault.Leak that
// names the places of secrets, and never the secrets.
func (i *inspector) leaks(ctx context.Context, tree *workspace.Tree) error {
	messages, err := tree.Diffs.Messages(ctx)
	if err != nil {
		return err
	}
	texts := make(map[string]string, len(messages))
	for id, m := range messages {
		texts["the message of commit "+id[:min(len(id), 10)]] = m
	}
	return i.leaksOf(func(to io.Writer) error { return tree.Diffs.Outgoing(ctx, to) }, texts)
}

// leaksOf is leaks for patches as they are written, and for texts.
func (i *inspector) leaksOf(write func(patches io.Writer) error, texts map[string]string) error {
	r, w := io.Pipe()
	go func() { w.CloseWithError(write(w)) }()
	defer r.Close()
	found, err := scanLeaks(i.redact, r, texts)
	if err != nil {
		return err
	}
	return leakFault(found)
}

// leaksIn looks for secrets in texts that are published without a push.
func leaksIn(r *redact.Redactor, texts map[string]string) error {
	found, err := scanLeaks(r, nil, texts)
	if err != nil {
		return err
	}
	return leakFault(found)
}
