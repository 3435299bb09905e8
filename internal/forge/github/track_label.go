package github

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	gh "github.com/google/go-github/v66/github"

	"github.com/longshift/longshift/task"
)

// SetLabel implements forge.Marker. GitHub creates unknown labels.
func (t *tracker) SetLabel(ctx context.Context, r task.Repository, number int, label string, on bool) error {
	i, err := t.visitIssue(ctx, r, number)
	if err != nil {
		return err
	}
	if err := checkLabel(label); err != nil {
		return err
	}
	path := i.path("issues/%d/labels", number)
	call := func(method, path string, body any) func(c *gh.Client) (*gh.Response, error) {
		return func(c *gh.Client) (*gh.Response, error) {
			req, err := c.NewRequest(method, path, body)
			if err != nil {
				return nil, err
			}
			return c.Do(ctx, req, nil)
		}
	}
	if on {
		err = i.repeat(ctx, "label an issue", call(http.MethodPost, path, map[string]any{"labels": []string{label}}))
	} else {
		err = i.repeat(ctx, "take a label off an issue", call(http.MethodDelete, path+"/"+url.PathEscape(label), nil))
	}
	if !answered(err, http.StatusNotFound, http.StatusGone) {
		return err
	}
	if p := (*problem)(nil); !on && errors.As(err, &p) && p.says("label does not exist") {
		return nil
	}
	return i.missing(err)
}
