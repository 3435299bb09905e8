package workspace

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/disk"
	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/repo/git"
)

// symptom matches an error message of git, ssh, curl or a forge to a kind of fault.
type symptom struct {
	kind  fault.Kind
	hint  string
	about string // what the message says; "" for the error's own text
	words []string
}

// incomplete matches a local repository that lacks some of its own objects. The same message from a remote server is a transient fault.
var incomplete = symptom{fault.Input, "run `git fsck` there, or name a complete clone or the address that it was cloned from",
	"repository %s is damaged, or not all of it is there", []string{"repository corruption on the remote side", "promisor remote"}}

// symptoms are tried in order; the first match decides.
var symptoms = []symptom{
	{fault.Denied, "give the token or app the permission Workflows: write (a classic token: the scope workflow), or take the change out of the branch",
		"%s takes no change of a workflow file from this login", []string{"without `workflow` scope", "without `workflows` permission"}},
	{fault.NotFound, "check the name, and that the token may see the repository", "repository %s is not there", []string{
		"repository not found", "' not found", "does not appear to be a git repository", "returned error: 404", "returned error: 410",
		"could not be found or you don't have permission", "project not found", "not a git repository",
	}},
	{fault.NotFound, "name the repository by its new address", "repository %s has moved", []string{
		"returned error: 301", "returned error: 302", "returned error: 307", "returned error: 308",
	}},
	{fault.Denied, "check another branch out there, or work on a bare repository", "%s has the branch checked out", []string{
		"branch is currently checked out", "refusing to update checked out branch", "refusing to delete the current branch",
	}},
	{fault.Denied, "make the user of the worker the owner of the folder", "%s belongs to another user", []string{
		"dubious ownership",
	}},
	{fault.Denied, "give the worker a token or key that may read and push there", "%s does not let us in", []string{
		"authentication failed", "could not read username", "could not read password", "terminal prompts disabled",
		"returned error: 401", "returned error: 403", "permission denied (", "invalid credentials", "access denied",
		"permission to ", "not allowed to push", "read-only deploy key", "key is marked as read only", "write access to repository not granted",
	}},
	{fault.Changed, "rename or remove the branch that is in the way, then resume the task",
		"%s has a branch whose name leaves no room for this one", []string{"; cannot create 'refs/"}},
	{fault.Denied, "look at the rules for branches and pushes there", "%s has refused the push by a rule of its own", []string{
		"hook declined", "protected branch", "denying ref deletion", "push declined", "repository rule violations",
		"deny updating a hidden ref",
	}},
	{fault.Denied, "add the server's key to the known hosts of the worker", "the server of %s is not known", []string{
		"host key verification failed", "server certificate verification failed", "self-signed certificate", "self signed certificate",
	}},
	{fault.Input, "push a first commit there", "%s is empty and of another object format than SHA-1, or has changed its format", []string{
		"repository's hash algorithm", "mismatched algorithms",
	}},
	{fault.Infra, "", "%s can't be reached", []string{
		"could not resolve", "failed to connect", "couldn't connect", "connection refused", "connection reset", "connection timed out",
		"operation timed out", "network is unreachable", "no route to host", "operation too slow", "early eof", "empty reply",
		"unexpected disconnect", "hung up unexpectedly", "rpc failed", "transfer closed", "returned error: 5", "returned error: 429",
		"returned error: 408", "temporary failure in name resolution",
	}},
}

// classify turns a failed call to a remote into a fault. Without a matching symptom it is an infrastructure fault, because it happened
// between this host and another machine. Git prints on stderr what went wrong, but on stdout, in out, why the remote has refused a ref.
func classify(err error, rem remote, out, stderr string) error {
	if _, ok := errors.AsType[*fault.Error](err); ok {
		return err
	}
	why := refusals(out).why()
	if why != "" {
		err = fmt.Errorf("%s: %w", excerpt.Line(why, 500), err)
	}
	text := strings.ToLower(stderr + "\n" + why)
	tried := symptoms
	if rem.path {
		tried = append([]symptom{incomplete}, symptoms...)
	}
	for _, s := range tried {
		for _, w := range s.words {
			if strings.Contains(text, w) {
				return fault.New(s.kind, s.about+": %w", rem.name, err).WithHint("%s", s.hint)
			}
		}
	}
	return fault.New(fault.Infra, "the call to %s failed: %w", rem.name, err)
}

// refusal is a line of `git push --porcelain` about a rejected ref.
type refusal struct{ ref, reason string }

type refusalList []refusal

var refused = regexp.MustCompile(`(?m)^!\t[^\t]*:([^\t]+)\t\[[^\]]*\]\s*(?:\((.*)\))?`)

func refusals(porcelain string) refusalList {
	var out refusalList
	for _, m := range refused.FindAllStringSubmatch(porcelain, -1) {
		out = append(out, refusal{m[1], m[2]})
	}
	return out
}

// moved tells whether the ref was not at the expected commit.
func (r refusal) moved() bool {
	return r.says("stale info", "fetch first", "non-fast-forward", "remote ref updated", "already exists", "failed to update ref",
		"incorrect old value", "reference already", "failed to lock", "cannot lock ref")
}

// dragged tells whether the ref was refused because another ref of the same push was, or because one has moved.
func (r refusal) dragged() bool {
	return r.says("atomic transaction failed", "atomic push failed", "atomic push failure")
}

func (r refusal) says(words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(r.reason, w) })
}

// why returns the first reason of the remote's own, "" when refs have moved or there is none.
func (list refusalList) why() string {
	for _, r := range list {
		if r.reason != "" && !r.moved() && !r.dragged() {
			return r.reason
		}
	}
	return ""
}

// stale reports whether a push was rejected because a ref was not at the expected commit.
func (list refusalList) stale() bool {
	return slices.ContainsFunc(list, refusal.moved) || list.why() == "" &&
		slices.ContainsFunc(list, func(r refusal) bool { return r.says("atomic transaction failed") })
}

// judge returns the fault that a failed git command stands for, where its output shows it.
func (r repo) judge(err error) error {
	var e *git.Error
	if !errors.As(err, &e) {
		return err
	}
	if unfit.MatchString(e.Stderr) {
		return fault.New(fault.Work, "%w; see .gitattributes, and how the file is encoded", err)
	}
	if closed.MatchString(e.Stderr) {
		return fault.New(fault.Work, "a file can't be read: %w", err).
			WithHint("make it readable (chmod) or remove it; .gitignore can leave out a new one")
	}
	return disk.Fault(err, r.runner.data)
}

// unfit matches git's errors about a file whose content it can't convert. Only a change to the file or to .gitattributes resolves them.
var unfit = regexp.MustCompile(`(?m)^(fatal|error): (failed to encode '|encoding '.* and back is not the same` +
	`|BOM is (prohibited|required) in '|true/false are no valid working-tree-encodings)`)

// closed matches git's errors about a file that it may not read. Its errors about its own folders read otherwise.
var closed = regexp.MustCompile(`(?m)^error: (open|lstat|readlink)\(".*"\): Permission denied$`)
