package workspace

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/neutral"
)

// count returns how many files and lines a commit has changed.
func (cs *commits) count(ctx context.Context, before, id string) (Commit, error) {
	text, err := cs.bare.run(ctx, "diff-tree", "--shortstat", "-r", cs.state.or(before), id)
	c := Commit{ID: id, Created: true}
	c.Files, c.Added, c.Deleted = shortstat(text)
	return c, err
}

// commitMaker creates commits with the configured author and date, signed if they may be pushed.
type commitMaker struct {
	bare   repo
	signer *commitSigner
	now    func() time.Time
}

// dates sets the commit dates from our clock.
func (m *commitMaker) dates() []string {
	now := strconv.FormatInt(m.now().Unix(), 10) + " +0000"
	return datedAs(now, now)
}

// datedAs sets the commit dates from text in the format of --date=raw.
func datedAs(author, committer string) []string {
	return []string{"GIT_AUTHOR_DATE=@" + author, "GIT_COMMITTER_DATE=@" + committer}
}

// commitStaged commits what is staged, moves the branch, and copies git's output to out.
func (m *commitMaker) commitStaged(ctx context.Context, r repo, message string, out io.Writer) error {
	return m.signer.run(ctx, r.with(m.dates()...), message, out, "commit", "-F", "-", "--cleanup=verbatim", "--no-verify", "--no-status")
}

// commitTree creates a commit that may be pushed.
func (m *commitMaker) commitTree(ctx context.Context, tree, message string, dates []string, parents ...string) (string, error) {
	var out bytes.Buffer
	args := slices.Concat(asParents(parents), []string{"-F", "-", tree})
	err := m.signer.run(ctx, m.bare.with(dates...), message, &out, "commit-tree", args...)
	return strings.TrimSpace(out.String()), err
}

// innerCommit creates a commit that no branch holds, so that nobody has to sign it.
func (m *commitMaker) innerCommit(ctx context.Context, tree, message string, parents ...string) (string, error) {
	args := slices.Concat([]string{"commit-tree"}, asParents(parents), []string{"-F", "-", tree})
	return m.bare.with(m.dates()...).feed(ctx, message, args...)
}

func asParents(ids []string) (args []string) {
	for _, id := range ids {
		if id != "" {
			args = append(args, "-p", id)
		}
	}
	return args
}

// withTrailer cleans a commit message that a model has written and appends our trailer, if any. Git reads trailers from the last
// paragraph, so that paragraph is reserved for ours.
func withTrailer(message, mark string) string {
	text := cmp.Or(neutral.Message(message), "Work on the task")
	if mark != "" {
		text += "\n\n" + trailer + ": " + mark
	}
	return text + "\n"
}

var (
	statLine   = regexp.MustCompile(`(?m)^ \d+ files? changed.*$`)
	statNumber = regexp.MustCompile(`(\d+) (file|insertion|deletion)`)
)

// shortstat parses a line such as " 3 files changed, 5 insertions(+), 2 deletions(-)".
func shortstat(text string) (files, added, deleted int) {
	for _, m := range statNumber.FindAllStringSubmatch(statLine.FindString(text), -1) {
		n, _ := strconv.Atoi(m[1])
		switch m[2] {
		case "file":
			files = n
		case "insertion":
			added = n
		case "deletion":
			deleted = n
		}
	}
	return files, added, deleted
}
