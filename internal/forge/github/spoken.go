package github

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"

	gh "github.com/google/go-github/v66/github"

	"github.com/longshift/longshift/internal/forge"
)

// heard tells whether what somebody has written counts: they may write to the repository, are no bot and not we. What does not count is
// counted, save what we have written ourselves with a mark.
func (l *look) heard(ctx context.Context, u *gh.User, body, association string) (bool, error) {
	if l.ours(u) {
		if !forge.HasMark(body) {
			l.Ignored++
		}
		return false, nil
	}
	if u == nil || isBot(u) {
		l.Ignored++
		return false, nil
	}
	key := strings.ToLower(u.GetLogin())
	may, asked := l.writers[key]
	if !asked {
		var err error
		if may, err = l.mayWrite(ctx, u.GetLogin(), association); err != nil {
			return false, err
		}
		l.writers[key] = may
	}
	if !may {
		l.Ignored++
	}
	return may, nil
}

// mayWrite asks what somebody may do. GitHub tells that only to those who may push themselves; without, which is how a pull request comes
// from a fork, who belongs to the repository is heard, as GitHub shows it to everybody.
func (l *look) mayWrite(ctx context.Context, login, association string) (bool, error) {
	const step = "ask what a user may do"
	if !l.forked || l.mayTry(step) {
		may, err := l.MayWrite(ctx, l.repo, login)
		if !l.forked || !l.denied(step, err) {
			return may, err
		}
	}
	return slices.Contains([]string{"OWNER", "MEMBER", "COLLABORATOR"}, association), nil
}

// add adds an item, unless an answer of ours stands after its last comment.
func (l *look) add(i forge.Item, id int64) {
	i.Key = string(i.Kind) + ":" + strconv.FormatInt(id, 10)
	if last, ok := l.done[i.Key]; !ok || last < i.Last {
		l.found = append(l.found, finding{Item: i})
	}
}

// talked finds the comments in the conversation that are meant for us. Orders to the workflow are none: they would take the places of
// those who have something to say about the work.
func (l *look) talked(ctx context.Context, talk []*gh.IssueComment) error {
	us := mention(l.me, l.author)
	for _, c := range talk {
		_, command := commandIn(c.GetBody())
		text := forge.Clean(c.GetBody(), maxText)
		switch {
		case forge.IsOrder(text): // it comes by another way, and is answered there
			continue
		case !l.ours(c.GetUser()) && c.GetUser() != nil && isBot(c.GetUser()):
			l.Ignored++
			continue
		case !command && !us.MatchString(codeForm.ReplaceAllString(text, " ")):
			continue
		}
		if ok, err := l.heard(ctx, c.GetUser(), c.GetBody(), c.GetAuthorAssociation()); err != nil {
			return err
		} else if !ok {
			continue
		}
		l.add(forge.Item{
			Kind: forge.CommentItem, By: loginOf(c.GetUser()), Text: text, URL: pageURL(c.GetHTMLURL()), Last: c.GetID(), At: c.GetCreatedAt().Time,
		}, c.GetID())
	}
	return nil
}

// codeForm is code, in which a name pings nobody.
var codeForm = regexp.MustCompile("(?s)```.*?(?:```|$)|`[^`\n]*`")

// mention finds the name of one of our accounts as GitHub does.
func mention(accounts ...string) *regexp.Regexp {
	var names []string
	for _, a := range accounts {
		if a = strings.TrimSuffix(a, "[bot]"); a != "" {
			names = append(names, regexp.QuoteMeta(a))
		}
	}
	if len(names) == 0 {
		return regexp.MustCompile(`\z\A.`) // nothing
	}
	return regexp.MustCompile(`(?i)(?:^|[^\w@/.-])@(?:` + strings.Join(names, "|") + `)(?:[^\w/-]|$)`)
}
