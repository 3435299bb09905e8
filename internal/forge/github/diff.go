package github

import (
	"context"
	"io"
	"net/http"

	gh "github.com/google/go-github/v66/github"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/task"
)

var _ forge.Differ = (*Forge)(nil)

// Diff reads the patch without the library's own call for it, which has no bound.
func (f *Forge) Diff(ctx context.Context, r task.Repository, number, most int) (patch string, err error) {
	s, err := f.visit(ctx, r)
	if err != nil {
		return "", err
	}
	err = s.repeat(ctx, "read the diff", func(c *gh.Client) (*gh.Response, error) {
		req, err := c.NewRequest(http.MethodGet, s.path("pulls/%d", number), nil)
		if err != nil {
			return nil, err
		}
		req.Header.Set("Accept", "application/vnd.github.diff")
		resp, err := c.BareDo(ctx, req)
		if err != nil {
			return resp, err
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(io.LimitReader(resp.Body, int64(most)))
		patch = string(text)
		return resp, err
	})
	switch {
	case answered(err, http.StatusNotFound, http.StatusGone):
		return "", fault.New(fault.NotFound, "GitHub: pull request %s/%s#%d is not there: %w", s.owner, s.name, number, err)
	case answered(err, http.StatusNotAcceptable):
		return "", fault.New(fault.Input, "GitHub: the diff of %s/%s#%d is too large: %w", s.owner, s.name, number, err)
	}
	return patch, err
}
