package forgetest

import (
	"net/http"
	"path/filepath"
	"strings"
)

// SetForkDelay says how many questions for a branch of a fork that is made from now on are answered before git has anything in it.
func (g *GitHub) SetForkDelay(questions int) { g.set(func() { g.forkDelay = questions }) }

// GitDir gives the git repository behind a name, and whether the account of the token may push to it. "" is none.
func (g *GitHub) GitDir(name string) (dir string, writable bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if r := g.repo(name); r != nil {
		return r.GitDir, !r.ReadOnly && !r.Archived
	}
	return "", false
}

// fork makes a fork in the account of the token, or gives the one that is there, as GitHub does.
func (g *GitHub) fork(r *Repository, body []byte) answer {
	var in struct {
		DefaultBranchOnly bool `json:"default_branch_only"`
	}
	g.read(body, &in)
	for _, there := range g.repos {
		if strings.EqualFold(there.owner(), g.user) && g.root(there) == g.root(r) {
			return answer{status: http.StatusAccepted, body: g.fullBody(there)}
		}
	}
	name := r.Name[len(r.owner())+1:]
	if g.repo(g.user+"/"+name) != nil { // something else of theirs
		name += "-1"
	}
	f := &Repository{Name: g.user + "/" + name, Default: r.Default, ForkedFrom: r.Name, id: len(g.repos) + 1, unfilled: g.forkDelay}
	if r.GitDir == "" {
		f.Branches = map[string]string{r.Default: r.Branches[r.Default]}
	} else {
		f.GitDir = filepath.Join(g.t.TempDir(), "fork.git")
		args := []string{"clone", "--quiet", "--bare", "--config", "http.receivepack=true"}
		if in.DefaultBranchOnly {
			args = append(args, "--single-branch", "--branch", r.Default)
		}
		if _, err := r.git(append(args, r.GitDir, f.GitDir)...); err != nil {
			g.t.Errorf("fork %s: %v", r.Name, err)
		}
	}
	g.repos[strings.ToLower(f.Name)] = f
	return answer{status: http.StatusAccepted, body: g.fullBody(f)}
}

// root is the repository that all forks of one come from.
func (g *GitHub) root(r *Repository) *Repository {
	for r.ForkedFrom != "" {
		r = g.repo(r.ForkedFrom)
	}
	return r
}

// headOf gives where the head branch of a pull request is, and its commit, which the repository gets from a fork: on GitHub the two share
// what they hold.
func (g *GitHub) headOf(r *Repository, p *Pull) (*Repository, string) {
	if p.From == "" {
		p.commit = r.commit(p.Head)
		return r, p.commit
	}
	from := g.repo(p.From)
	if p.commit = from.commit(p.Head); p.commit != "" && r.GitDir != "" {
		if _, err := r.git("fetch", "--quiet", "--no-write-fetch-head", from.GitDir,
			"+refs/heads/"+p.Head+":refs/pull/head/"+p.Head); err != nil {
			g.t.Errorf("fetch %s of %s: %v", p.Head, p.From, err)
		}
	}
	return from, p.commit
}

// association says what somebody is to a repository, as everybody may see.
func (g *GitHub) association(r *Repository, login string) string {
	level, set := r.feedback().may[strings.ToLower(login)]
	switch {
	case strings.EqualFold(login, r.owner()):
		return "OWNER"
	case has(r.Collaborators, login), set && level != "none" && level != "missing":
		return "COLLABORATOR"
	}
	return "NONE"
}
