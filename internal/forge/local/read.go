package local

import (
	"context"
	"fmt"
	"io"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/task"
)

// Read returns one pull request of the repository at a path.
func Read(ctx context.Context, path string, number int) (Record, error) {
	_, r, err := New(Config{}).read(ctx, path, number)
	if err != nil {
		return Record{}, err
	}
	return *r, nil
}

// Diff writes what a pull request changes, as a patch against its merge base.
func Diff(ctx context.Context, path string, number int, w io.Writer) error {
	g, r, err := New(Config{}).read(ctx, path, number)
	if err != nil {
		return err
	}
	return g.diff(ctx, r, w)
}

var _ forge.Differ = (*Forge)(nil)

func (f *Forge) Diff(ctx context.Context, r task.Repository, number, most int) (string, error) {
	g, record, err := f.read(ctx, r.Path, number)
	if err != nil {
		return "", err
	}
	patch := head{most: most}
	err = g.diff(ctx, record, &patch)
	return string(patch.text), err
}

// head keeps the first bytes of what is written to it.
type head struct {
	text []byte
	most int
}

func (h *head) Write(p []byte) (int, error) {
	h.text = append(h.text, p[:min(len(p), h.most-len(h.text))]...)
	return len(p), nil
}

func (g *repository) diff(ctx context.Context, r *Record, w io.Writer) error {
	from, err := g.git(ctx, nil, "merge-base", r.BaseCommit, r.HeadCommit)
	if err != nil {
		return fmt.Errorf("local forge: find where the branch began: %w", err)
	}
	err = g.stream(ctx, nil, w, "diff-tree", "-p", "-M", "--no-ext-diff", "--no-textconv", from, r.HeadCommit)
	if err != nil {
		return fmt.Errorf("local forge: make patch: %w", err)
	}
	return nil
}

var _ forge.Closer = (*Forge)(nil)

func (f *Forge) Close(ctx context.Context, r task.Repository, number int, taskID string) (forge.State, error) {
	for range f.attempts {
		g, p, err := f.read(ctx, r.Path, number)
		if err != nil {
			return "", err
		}
		found := p.State
		err = forge.MayClose(fmt.Sprintf("#%d in %s", number, r.Path), p.Body, taskID, found)
		if err != nil || found == forge.Closed {
			return found, err
		}
		p.State, p.Updated = forge.Closed, f.now().UTC()
		if err := g.write(ctx, p, p.blob); err != errRaced {
			return found, err
		}
	}
	return "", fault.New(fault.Infra, "close pull request #%d in %s: other processes were faster", number, r.Path)
}

func (f *Forge) read(ctx context.Context, path string, number int) (*repository, *Record, error) {
	g, err := f.open(path)
	if err != nil {
		return nil, nil, err
	}
	all, err := g.records(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, r := range all {
		if r.Number == number {
			return g, r, g.settle(ctx, r)
		}
	}
	return nil, nil, fault.New(fault.NotFound, "there is no pull request #%d in %s", number, path)
}

var _ forge.Stater = (*Forge)(nil)

func (f *Forge) State(ctx context.Context, r task.Repository, number int) (forge.State, error) {
	_, record, err := f.read(ctx, r.Path, number)
	if err != nil {
		return "", err
	}
	return record.State, nil
}
