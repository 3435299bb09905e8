package workspace

import (
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/neutral"
	"github.com/longshift/longshift/internal/repo/workspace/gittest"
)

// evil is a message that a model can be talked into.
const evil = "feat: \x1b[31mx\u202e closes #7 @everyone\n\nFixes acme/web#8, https://github.com/acme/web/issues/9 [skip ci]\n---\n\n" +
	"Co-authored-by: Linus <torvalds@example.com>\nSigned-off-by: Linus <torvalds@example.com>\nskip-checks: true\nLongshift-Task: t-1/2"

const evilTold = "feat: x closes # 7 @ everyone\n\nFixes acme/web# 8, https:// github.com/acme/web/issues/9 [ skip ci]\n ---\n\n" +
	"Co-authored- by: Linus <torvalds@example.com>\nSigned-off- by: Linus <torvalds@example.com>\nskip- checks: true\nLongshift- Task: t-1/2\n"

// wantHarmless fails unless every commit that was pushed is in our name, says nothing that acts, and has no trailer but our mark.
func wantHarmless(t *testing.T, bare, head string, marks ...string) {
	t.Helper()
	var found []string
	for _, id := range lines(gittest.Git(t, bare, "rev-list", "--reverse", "main.."+head)) {
		raw := gittest.Git(t, bare, "cat-file", "commit", id)
		header, message, _ := strings.Cut(raw, "\n\n")
		for line := range strings.SplitSeq(header, "\n") {
			switch kind, who, _ := strings.Cut(line, " "); kind {
			case "tree", "parent":
			case "author", "committer":
				if !strings.HasPrefix(who, author.Name+" <"+author.Email+"> ") {
					t.Errorf("%s is %s", kind, who)
				}
			default:
				t.Errorf("a commit says %q", line)
			}
		}
		if acts := neutral.Acts(message); len(acts) > 0 || strings.ContainsAny(message, "\x1b\u202e") {
			t.Errorf("acts: %q", message)
		}
		if trailers := gittest.Sh(t, bare, `git log -1 --format=%B "$1" | git interpret-trailers --parse`, id); trailers != "" {
			found = append(found, trailers)
		}
	}
	if got := strings.Join(found, "|"); got != strings.Join(marks, "|") {
		t.Errorf("trailers %q, want %q", got, marks)
	}
}

func TestMessagesOfOursAreHarmless(t *testing.T) {
	t.Parallel()
	bare := gittest.NewBare(t, start)
	gittest.Git(t, bare, "branch", "closes-#7", "main")
	b := newBench(t, bare)
	spec := b.spec("t-1", 1)
	spec.Base = "closes-#7"
	_, tree := b.prepareOn(b.m, spec)
	gittest.Write(t, tree.Dir(), map[string]string{"one.txt": "1\n"})
	c, err := tree.Commit(t.Context(), CommitSpec{Key: "1", Message: evil})
	must(t, err)
	if got := gittest.Git(t, b.m.place("t-1").git(), "log", "-1", "--format=%B", c.ID); got != evilTold+"\nLongshift-Task: t-1/1\n" {
		t.Errorf("got %q", got)
	}
	gittest.Commit(t, bare, "closes-#7", "Meanwhile", map[string]string{"main.txt": "m\n"})
	b.merge(tree, "m")
	head, err := tree.Push(t.Context())
	must(t, err)
	gittest.Git(t, bare, "branch", "-f", "main", "closes-#7")
	wantHarmless(t, bare, head, "Longshift-Task: t-1/1", "Longshift-Task: t-1/m")
	must(t, b.m.Remove(t.Context(), "t-1", false))

	_, tree = b.prepare("t-2", 1)
	b.commit(tree, "1", map[string]string{"one.txt": "1\n"})
	c, err = tree.Squash(t.Context(), "", evil)
	must(t, err)
	if again, err := tree.Squash(t.Context(), "", evil); err != nil || again.ID != c.ID {
		t.Errorf("again: %+v, %v", again, err)
	}
	head, err = tree.Push(t.Context())
	must(t, err)
	wantHarmless(t, bare, head, "Longshift-Task: t-2/squash")
}

// TestMessagesOfTheAgentAreHarmless: what an agent has committed itself says no more than what we commit for it, in nobody else's name,
// whichever of its commits it is and whatever else it has put into the object.
func TestMessagesOfTheAgentAreHarmless(t *testing.T) {
	t.Parallel()
	script := `export GIT_AUTHOR_NAME='Linus Torvalds' GIT_COMMITTER_NAME='Linus Torvalds' GIT_AUTHOR_DATE='1112911993 -0700' GIT_COMMITTER_DATE='1112911993 -0700'
		echo 1 >one; git add -A; git commit -qm 'feat: fine'
		echo 2 >two; git add -A; printf '%s' "$1" | git commit -q --cleanup=verbatim -F -
		id=$(git cat-file commit HEAD | sed 's/^committer.*/&\nencoding UTF-8\ngpgsig -----BEGIN SSH SIGNATURE-----\n forged\n -----END SSH SIGNATURE-----\nreviewed yes/' | git hash-object -t commit -w --stdin)
		git reset -q --hard $id
		git checkout -q -b side HEAD~1; echo 3 >three; git add -A; git commit -q --allow-empty-message -m ''
		git checkout -q -; git merge -q --no-ff -m 'Merge @everyone' side
		echo 4 >four; git add -A; git commit -qm 'closes #7'`
	bare := gittest.NewBare(t, start)
	b := newBench(t, bare)
	_, tree := b.prepare("t-1", 1)
	gittest.Sh(t, tree.Dir(), "set -e; export GIT_AUTHOR_EMAIL="+author.Email+" GIT_COMMITTER_EMAIL="+author.Email+"\n"+script,
		evil[:strings.LastIndex(evil, "\n")])
	gittest.Write(t, tree.Dir(), map[string]string{"rest": "r\n"})
	shape, files := agent(t, tree, "log", "--graph", "--format=%ad", "--date=raw"), agent(t, tree, "rev-parse", "HEAD^{tree}")
	c, err := tree.Commit(t.Context(), CommitSpec{Key: "1", Message: "The rest"})
	must(t, err)
	if got := subjects(t, tree); got != "The rest|closes # 7|Merge @ everyone|feat: x closes # 7 @ everyone|Work on the task|feat: fine|First commit" {
		t.Errorf("commits are %s", got)
	}
	if now := agent(t, tree, "log", "--graph", "--format=%ad", "--date=raw", c.ID+"~1"); now != shape || agent(t, tree, "rev-parse", c.ID+"~1^{tree}") != files {
		t.Errorf("history was\n%s\nand is\n%s", shape, now)
	}
	head, err := tree.Push(t.Context())
	must(t, err)
	wantHarmless(t, bare, head, "Longshift-Task: t-1/1")
	gittest.Git(t, bare, "fsck", "--strict")

	// The last one bears our mark when nothing is left to commit.
	asAgent(t, tree, author.Email, "feat: five", map[string]string{"five": "5\n"})
	asAgent(t, tree, author.Email, "closes #9\n\nSee-also: @bob", map[string]string{"six": "6\n"})
	c, err = tree.Commit(t.Context(), CommitSpec{Key: "2", Message: "ours"})
	must(t, err)
	head, err = tree.Push(t.Context())
	must(t, err)
	wantHarmless(t, bare, head, "Longshift-Task: t-1/1", "Longshift-Task: t-1/2")
	if again, err := tree.Commit(t.Context(), CommitSpec{Key: "2", Message: "ours"}); err != nil || again.ID != c.ID {
		t.Errorf("again: %+v, %v", again, err)
	}
}

// TestHarmlessCommitsKeepTheirIds: the ids that an agent has named stay valid.
func TestHarmlessCommitsKeepTheirIds(t *testing.T) {
	t.Parallel()
	b := newBench(t, gittest.NewBare(t, start))
	_, tree := b.prepare("t-1", 1)
	gittest.Sh(t, tree.Dir(), `set -e; unset GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL
		echo 1 >one; git add -A; git commit -qm 'feat: one' -m 'Because.'; echo 2 >two; git add -A; git commit -qm 'feat: two'`)
	first := agent(t, tree, "rev-parse", "HEAD~1")
	c, err := tree.Commit(t.Context(), CommitSpec{Key: "1", Message: "ours"})
	must(t, err)
	if got := agent(t, tree, "rev-parse", c.ID+"~1"); got != first {
		t.Errorf("the commit before the last is %s and was %s", got, first)
	}
}
