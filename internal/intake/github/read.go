package github

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/longshift/longshift/internal/forge"
	"github.com/longshift/longshift/internal/intake"
)

// Read implements intake.Source. The people that count are those who have set the label and the assignee, not the author: they must have
// write access now and must not be bots. They have asked for the text at that time. If somebody else has changed it since, the issue is
// not worked on.
func (s *Source) Read(ctx context.Context, q intake.Query, key string) (intake.Work, error) {
	number, err := numberOf(key)
	if err != nil {
		return intake.Work{}, err
	}
	asked, err := s.query(q)
	if err != nil {
		return intake.Work{}, err
	}
	a, err := s.hub.Asked(ctx, q.Repository, number, asked)
	if err != nil {
		return intake.Work{}, fmt.Errorf("read issue #%d of %s: %w", number, q.Repository.Text, err)
	}
	w := intake.Work{
		Item: intake.Item{Key: key, ID: s.id(q, number), Sum: forge.IssueSum(a.Issue.Title, a.Issue.Body), Title: a.Issue.Title, URL: a.Issue.URL,
			Created: a.Created, Changed: a.Updated},
		Task: "Resolve issue #" + strconv.Itoa(number) + ".", Issue: &a.Issue,
	}
	switch {
	case !a.Open:
		w.No = "the issue is closed"
	case !a.Fits:
		w.No = "the issue is not asked for any more: " + want(q)
	default:
		w.By = last(a.By).By
		v := vetting{Source: s, r: q.Repository, number: number, may: map[string]bool{}}
		if w.No, err = v.judge(ctx, a); err != nil {
			return intake.Work{}, err
		}
		if w.No == "" && s.isClaimed(a) {
			w.No = fmt.Sprintf("the issue is claimed: it has the label %q", s.claim)
		}
	}
	return w, nil
}

func want(q intake.Query) string {
	var parts []string
	if q.Label != "" {
		parts = append(parts, fmt.Sprintf("it needs the label %q", q.Label))
	}
	if q.Assignee != "" {
		parts = append(parts, fmt.Sprintf("it needs the assignee %q", q.Assignee))
	}
	return strings.Join(parts, ", and ")
}

func (s *Source) isClaimed(a forge.Asked) bool {
	return slices.ContainsFunc(a.Labels, func(l string) bool { return strings.EqualFold(l, s.claim) })
}

func last(acts []forge.Act) forge.Act {
	return slices.MaxFunc(acts, func(a, b forge.Act) int { return a.At.Compare(b.At) })
}
