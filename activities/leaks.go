package activities

import (
	"context"
	"io"

	"github.com/longshift/longshift/internal/redact"
	"github.com/longshift/longshift/internal/workspace"
)

// leaks looks for secrets in all that a push would make known: every commit's changes and every message. A secret that is found
// is an error of kind fault.Leak, which names its place and never the secret.
func (i *inspector) leaks(ctx context.Context, tree *workspace.Tree) error {
	messages, err := tree.OutgoingMessages(ctx)
	if err != nil {
		return err
	}
	texts := make(map[string]string, len(messages))
	for id, m := range messages {
		texts["the message of commit "+id[:min(len(id), 10)]] = m
	}
	r, w := io.Pipe()
	go func() { w.CloseWithError(tree.Outgoing(ctx, w)) }()
	defer r.Close()
	found, err := scanLeaks(i.redact, r, texts)
	if err != nil {
		return err
	}
	return leakFault(found)
}

// leaksIn looks for secrets in texts that leave on their own.
func leaksIn(r *redact.Redactor, texts map[string]string) error {
	found, err := scanLeaks(r, nil, texts)
	if err != nil {
		return err
	}
	return leakFault(found)
}
