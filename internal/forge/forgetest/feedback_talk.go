package forgetest

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Comment is one in the conversation of an issue or a pull request, or on a line of a pull request.
type Comment struct {
	ID      int64
	By      string // "" is an account that is gone
	Body    string
	At      time.Time // now when zero
	Edited  time.Time
	Path    string // on a line: of the file
	Line    int    // 0 is one whose line is gone
	Hunk    string
	ReplyTo int64 // on a line: the first comment of its thread
	Review  int64 // on a line: the review that it belongs to
}

// CommentOn writes a comment into the conversation, and gives its id.
func (g *GitHub) CommentOn(repo string, number int, by, body string) int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	c := &Comment{ID: g.id(), By: by, Body: body, At: g.now()}
	f := g.feedbackOn(repo)
	f.comments[number] = append(f.comments[number], c)
	return c.ID
}

// Comments gives the conversation, oldest first.
func (g *GitHub) Comments(repo string, number int) []Comment {
	g.mu.Lock()
	defer g.mu.Unlock()
	return copies(g.feedbackOn(repo).comments[number])
}

// LineComments gives the comments on lines, oldest first.
func (g *GitHub) LineComments(repo string, number int) []Comment {
	g.mu.Lock()
	defer g.mu.Unlock()
	return copies(g.feedbackOn(repo).lines[number])
}

func copies[T any](list []*T) []T {
	var all []T
	for _, c := range list {
		all = append(all, *c)
	}
	return all
}

// EditComment changes the text of a comment, in a conversation or on a line.
func (g *GitHub) EditComment(repo string, id int64, body string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	f := g.feedbackOn(repo)
	for _, lists := range []map[int][]*Comment{f.comments, f.lines} {
		for _, list := range lists {
			for _, c := range list {
				if c.ID == id {
					c.Body, c.Edited = body, g.now()
					return
				}
			}
		}
	}
	g.t.Errorf("there is no comment %d in %s", id, repo)
}

func (g *GitHub) DeleteComment(repo string, id int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	f := g.feedbackOn(repo)
	for _, lists := range []map[int][]*Comment{f.comments, f.lines} {
		for number, list := range lists {
			lists[number] = slices.DeleteFunc(list, func(c *Comment) bool { return c.ID == id })
		}
	}
}

func (g *GitHub) listConversation(repo *Repository, number int, r *http.Request) answer {
	if a, bad := repo.gone(number); bad {
		return a
	}
	since, _ := time.Parse(time.RFC3339, r.URL.Query().Get("since"))
	var list []any
	for _, c := range repo.feedback().comments[number] {
		if !c.changed().Before(since) {
			list = append(list, g.commentBody(repo, number, c))
		}
	}
	return g.page(list, r.URL)
}

func (g *GitHub) comment(repo *Repository, number int, body []byte) answer {
	var in struct{ Body string }
	g.read(body, &in)
	if a, bad := repo.gone(number); bad {
		return a
	}
	if a, bad := badComment(in.Body); bad {
		return a
	}
	c := &Comment{ID: g.id(), By: g.user, Body: in.Body, At: g.now()}
	f := repo.feedback()
	f.comments[number] = append(f.comments[number], c)
	return answer{status: http.StatusCreated, body: g.commentBody(repo, number, c)}
}

func badComment(body string) (answer, bool) {
	if strings.TrimSpace(body) == "" || utf8.RuneCountInString(body) > 65536 {
		return invalid("IssueComment", "body", "custom", "Body is missing or too long (maximum is 65536 characters)"), true
	}
	return answer{}, false
}

// patchComment edits a comment of a conversation. Those of others only a person with write access may edit; the token's account may not.
func (g *GitHub) patchComment(repo *Repository, id string, body []byte) answer {
	var in struct{ Body string }
	g.read(body, &in)
	return g.ownComment(repo.feedback().comments, id, func(number int, c *Comment) answer {
		if a, bad := badComment(in.Body); bad {
			return a
		}
		c.Body, c.Edited = in.Body, g.now()
		return answer{status: http.StatusOK, body: g.commentBody(repo, number, c)}
	})
}

func (g *GitHub) removeComment(all map[int][]*Comment, id string) answer {
	return g.ownComment(all, id, func(number int, c *Comment) answer {
		all[number] = slices.DeleteFunc(all[number], func(other *Comment) bool { return other == c })
		return answer{status: http.StatusNoContent}
	})
}

// ownComment finds a comment that the token may change.
func (g *GitHub) ownComment(all map[int][]*Comment, id string, change func(number int, c *Comment) answer) answer {
	for number, list := range all {
		for _, c := range list {
			switch {
			case strconv.FormatInt(c.ID, 10) != id:
			case !strings.EqualFold(c.By, g.user):
				return refuse(http.StatusForbidden, "Must have admin rights to Repository.")
			default:
				return change(number, c)
			}
		}
	}
	return refuse(http.StatusNotFound, "Not Found")
}

func (c *Comment) changed() time.Time {
	if c.Edited.IsZero() {
		return c.At
	}
	return c.Edited
}

// commentBody is a comment in a conversation as the description has it.
func (g *GitHub) commentBody(repo *Repository, number int, c *Comment) map[string]any {
	return g.object("issue-comment", map[string]any{
		"id": c.ID, "body": c.Body, "user": g.account(c.By), "created_at": stamp(c.At), "updated_at": stamp(c.changed()),
		"url":                fmt.Sprintf("%s/repos/%s/issues/comments/%d", g.URL, repo.Name, c.ID),
		"html_url":           fmt.Sprintf("%s/%s/issues/%d#issuecomment-%d", g.URL, repo.Name, number, c.ID),
		"issue_url":          fmt.Sprintf("%s/repos/%s/issues/%d", g.URL, repo.Name, number),
		"author_association": g.association(repo, c.By),
	})
}
