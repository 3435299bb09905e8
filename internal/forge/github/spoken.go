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

// counts tells whether something that a user has written counts: they may write to the repository, and are neither a bot nor our own
// account. What does not count adds to Ignored, except for our own comments with a mark.
func (l *snapshot) counts(ctx context.Context, u *gh.User, body, association string) (bool, error) {
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

// mayWrite asks GitHub whether a user may write. Only tokens that may push can ask that. Without, as for a pull request from a fork,
// members and collaborators count, whom GitHub shows to everybody.
func (l *snapshot) mayWrite(ctx context.Context, login, association string) (bool, error) {
	const step = "ask what a user may do"
	if !l.forked || l.mayTry(step) {
		may, err := l.MayWrite(ctx, l.repo, login)
		if !l.forked || !l.denied(step, err) {
			return may, err
		}
	}
	return slices.Contains([]string{"OWNER", "MEMBER", "COLLABORATOR"}, association), nil
}

// add adds an item, unless an answer exists that is newer than its last comment.
func (l *snapshot) add(i forge.Item, id int64) {
	i.Key = string(i.Kind) + ":" + strconv.FormatInt(id, 10)
	if last, ok := l.done[i.Key]; !ok || last < i.Last {
		l.found = append(l.found, finding{Item: i})
	}
}

// commented adds the comments of the conversation that address Longshift. Commands are left out: they would take the place of comments
// about the work.
func (l *snapshot) commented(ctx context.Context, talk []*gh.IssueComment) error {
	us := mention(l.me, l.author)
	for _, c := range talk {
		_, command := commandIn(c.GetBody())
		text := forge.Clean(c.GetBody(), maxText)
		switch {
		case forge.IsOrder(text): // arrives as an event, and is answered there
			continue
		case !l.ours(c.GetUser()) && c.GetUser() != nil && isBot(c.GetUser()):
			l.Ignored++
			continue
		case !command && !us.MatchString(codeForm.ReplaceAllString(text, " ")):
			continue
		}
		if ok, err := l.counts(ctx, c.GetUser(), c.GetBody(), c.GetAuthorAssociation()); err != nil {
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

// codeForm matches code, in which a name notifies nobody.
var codeForm = regexp.MustCompile("(?s)```.*?(?:```|$)|`[^`\n]*`")

// mention matches a mention of one of the accounts, by the rules of GitHub.
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
