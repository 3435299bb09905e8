package github

import (
	"context"
	"slices"

	gh "github.com/google/go-github/v66/github"

	"github.com/longshift/longshift/internal/forge"
)

// threads adds the review threads in which somebody who counts has had the last word.
func (l *snapshot) threads(ctx context.Context, lines []*gh.PullRequestComment) error {
	var order []int64
	words := map[int64][]*gh.PullRequestComment{} // comments that count, by the first one of the thread
	for _, c := range lines {
		ok, err := l.counts(ctx, c.GetUser(), c.GetBody(), c.GetAuthorAssociation())
		if err != nil {
			return err
		}
		if !ok || forge.Clean(c.GetBody(), maxText) == "" {
			continue
		}
		root := c.GetInReplyTo()
		if root == 0 {
			root = c.GetID()
		}
		if words[root] == nil {
			order = append(order, root)
		}
		words[root] = append(words[root], c)
	}
	for _, root := range order {
		said := words[root]
		slices.SortStableFunc(said, func(a, b *gh.PullRequestComment) int { return a.GetCreatedAt().Compare(b.GetCreatedAt().Time) })
		last := said[len(said)-1]
		line := last.GetLine()
		if line == 0 {
			line = last.GetOriginalLine() // the line was removed or has moved
		}
		l.add(forge.Item{
			Kind: forge.ThreadItem, By: loginOf(last.GetUser()), Path: forge.CleanLine(last.GetPath(), maxName), Line: line,
			Text: lastWords(said), Hunk: forge.CleanEnd(last.GetDiffHunk(), maxHunk), URL: pageURL(last.GetHTMLURL()), Last: last.GetID(),
			At: last.GetCreatedAt().Time,
		}, root)
	}
	return nil
}

// lastWords returns the newest comments of a thread with their authors, as many as fit.
func lastWords(said []*gh.PullRequestComment) string {
	const cut = "(earlier comments are left out)\n\n"
	text := ""
	for i, c := range slices.Backward(said) {
		who := loginOf(c.GetUser()) + ": "
		word := who + forge.Clean(c.GetBody(), maxText-len(who)-len(cut))
		if text != "" {
			word += "\n\n"
		}
		if len(cut)+len(word)+len(text) > maxText && i < len(said)-1 {
			return cut + text
		}
		text = word + text
	}
	return text
}
