package github

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	gh "github.com/google/go-github/v66/github"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/task"
)

// bodyEdits asks who has edited an issue's body. The REST API does not know, so this is the only GraphQL query. GitHub returns the
// newest edits first, but does not promise it.
const bodyEdits = `query($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    issue(number: $number) {
      lastEditedAt
      editor { __typename login }
      userContentEdits(first: 100, after: $after) {
        nodes { editedAt editor { __typename login } }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
}`

const editPages = 5 // of 100 edits

// editor is the author of an edit, nil for a deleted account. In GraphQL the names of bots do not end with "[bot]".
type editor struct {
	Type  string `json:"__typename"`
	Login string `json:"login"`
}

func (e *editor) act(at time.Time) forge.Act {
	if e == nil || !loginForm.MatchString(e.Login) {
		return forge.Act{What: "edit", At: at.UTC()}
	}
	return forge.Act{What: "edit", By: e.Login, Bot: e.Type != "User", At: at.UTC()}
}

type graphAnswer struct {
	Data struct {
		Repository *struct {
			Issue *struct {
				LastEditedAt     *time.Time `json:"lastEditedAt"`
				Editor           *editor    `json:"editor"`
				UserContentEdits *struct {
					Nodes []*struct {
						EditedAt time.Time `json:"editedAt"`
						Editor   *editor   `json:"editor"`
					} `json:"nodes"`
					PageInfo struct {
						HasNextPage bool    `json:"hasNextPage"`
						EndCursor   *string `json:"endCursor"`
					} `json:"pageInfo"`
				} `json:"userContentEdits"`
			} `json:"issue"`
		} `json:"repository"`
	} `json:"data"`
	Errors []struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	} `json:"errors"`
}

func (t *tracker) Edits(ctx context.Context, r task.Repository, number int, since time.Time) ([]forge.Act, error) {
	i, err := t.visitIssue(ctx, r, number)
	if err != nil {
		return nil, err
	}
	return i.editsSince(ctx, since)
}

// editsSince returns who has edited the body since a moment, or in the same second.
func (i issue) editsSince(ctx context.Context, since time.Time) ([]forge.Act, error) {
	since = since.Truncate(time.Second)
	var acts []forge.Act
	vars := map[string]any{"owner": i.owner, "name": i.name, "number": i.number}
	for range editPages {
		a, err := i.edits(ctx, vars)
		if err != nil {
			return nil, err
		}
		edited := a.Data.Repository.Issue
		if edited.LastEditedAt != nil && !edited.LastEditedAt.Before(since) && len(acts) == 0 {
			acts = append(acts, edited.Editor.act(*edited.LastEditedAt))
		}
		if edited.UserContentEdits == nil {
			return acts, nil
		}
		for _, e := range edited.UserContentEdits.Nodes {
			if e != nil && !e.EditedAt.Before(since) {
				acts = append(acts, e.Editor.act(e.EditedAt))
			}
		}
		if page := edited.UserContentEdits.PageInfo; !page.HasNextPage || page.EndCursor == nil {
			return acts, nil
		} else {
			vars["after"] = *page.EndCursor
		}
	}
	return nil, fmt.Errorf("GitHub: %s/%s#%d has more than %d edits: %w", i.owner, i.name, i.number, editPages*100, forge.ErrUntold)
}

// edits reads one page of edits. An answer without the issue is an error.
func (i issue) edits(ctx context.Context, vars map[string]any) (*graphAnswer, error) {
	path := "graphql"
	if i.base != nil && strings.HasSuffix(i.base.Path, "/api/v3/") {
		path = "../graphql"
	}
	var a *graphAnswer
	var header http.Header
	err := i.repeat(ctx, "list edits of an issue", func(c *gh.Client) (*gh.Response, error) {
		a = new(graphAnswer)
		req, err := c.NewRequest(http.MethodPost, path, map[string]any{"query": bodyEdits, "variables": vars})
		if err != nil {
			return nil, err
		}
		resp, err := c.Do(ctx, req, a)
		if resp != nil && resp.Response != nil {
			header = resp.Header
		}
		return resp, err
	})
	switch {
	case answered(err, http.StatusNotFound, http.StatusMethodNotAllowed):
		return nil, fmt.Errorf("GitHub: there is no GraphQL: %w", forge.ErrUntold)
	case err != nil:
		return nil, err
	}
	if len(a.Errors) > 0 {
		e := a.Errors[0]
		p := &problem{status: http.StatusOK, message: e.Message}
		switch e.Type {
		case "RATE_LIMITED":
			if p.passing, p.graph = true, true; !p.timed(&http.Response{Header: header}, i.now()) {
				p.wait = firstStrike
			}
		case "NOT_FOUND":
			return nil, i.missing(p)
		case "FORBIDDEN", "INSUFFICIENT_SCOPES":
			p.status = http.StatusForbidden
		default: // such as "Something went wrong": GitHub's own faults have no type
			p.passing = true
		}
		return nil, i.fault("list edits of an issue", p)
	}
	if a.Data.Repository == nil || a.Data.Repository.Issue == nil {
		return nil, i.missing(fault.New(fault.NotFound, "GraphQL gives no issue"))
	}
	return a, nil
}
