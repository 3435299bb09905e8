package forgetest

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"os/exec"
	"slices"
	"strings"
)

type Repository struct {
	Name          string            // owner/name
	GitDir        string            // git repository on disk in which branches and commits are looked up
	Branches      map[string]string // branch to commit, when there is no GitDir
	Default       string            // default branch; main when empty
	Archived      bool
	ReadOnly      bool     // the account of the token may not push
	ForkedFrom    string   // full name of what it is a fork of
	NoDrafts      bool     // as private repositories of the free plan
	Collaborators []string // who may review
	Teams         []string // slugs of teams that may review
	Merges        bool     // whether a pull request can be merged is found out by git, at once; needs a GitDir

	id        int
	pulls     []*Pull
	said      *feedback
	issues    []*issue
	reactions map[int64][]string // to comments, by their ids
	unfilled  int                // questions for a branch until git has something in it
}

func (g *GitHub) AddRepository(r Repository) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if r.Default == "" {
		r.Default = "main"
	}
	r.id = len(g.repos) + 1
	g.repos[strings.ToLower(r.Name)] = &r
}

// SetBranch sets a branch of a repository that has no GitDir.
func (g *GitHub) SetBranch(repo, branch, commit string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	r := g.repo(repo)
	if r.Branches == nil {
		r.Branches = map[string]string{}
	}
	r.Branches[branch] = commit
}

// Rename gives a repository another name. Calls to the old one are redirected by id from then on, as GitHub does.
func (g *GitHub) Rename(from, to string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	r := g.repo(from)
	delete(g.repos, strings.ToLower(from))
	r.Name = to
	g.repos[strings.ToLower(to)] = r
	g.moved[strings.ToLower(from)] = to
}

// Remove takes a repository away, as its owner can. Its old names lead nowhere then.
func (g *GitHub) Remove(repo string) {
	g.set(func() {
		delete(g.repos, strings.ToLower(repo))
		maps.DeleteFunc(g.moved, func(_, to string) bool { return strings.EqualFold(to, repo) })
	})
}

// Archive makes a repository one that can only be read.
func (g *GitHub) Archive(repo string, yes bool) { g.set(func() { g.repo(repo).Archived = yes }) }

// SetReadOnly takes the right to push from the account of the token, or gives it back.
func (g *GitHub) SetReadOnly(repo string, yes bool) { g.set(func() { g.repo(repo).ReadOnly = yes }) }

// repo finds a repository; g.mu must be held.
func (g *GitHub) repo(name string) *Repository { return g.repos[strings.ToLower(name)] }

// redirect answers calls to an old name, and turns an address by id into one by name.
func (g *GitHub) redirect(r *http.Request, path *string) (answer, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	parts := strings.SplitN(strings.TrimPrefix(*path, "/"), "/", 4)
	if parts[0] == "repositories" && len(parts) > 1 {
		for _, repo := range g.repos {
			if fmt.Sprint(repo.id) == parts[1] {
				*path = "/repos/" + repo.Name + strings.TrimPrefix(*path, "/repositories/"+parts[1])
			}
		}
		return answer{}, false
	}
	if parts[0] != "repos" || len(parts) < 3 {
		return answer{}, false
	}
	to, ok := g.moved[strings.ToLower(parts[1]+"/"+parts[2])]
	if !ok {
		return answer{}, false
	}
	status := http.StatusMovedPermanently
	if r.Method != http.MethodGet {
		status = http.StatusTemporaryRedirect
	}
	rest := strings.TrimPrefix(*path, "/"+strings.Join(parts[:3], "/"))
	target := fmt.Sprintf("%s/repositories/%d%s", strings.TrimSuffix(r.URL.EscapedPath(), *path), g.repo(to).id, rest)
	if r.URL.RawQuery != "" {
		target += "?" + r.URL.RawQuery
	}
	a := refuse(status, "Moved Permanently")
	a.header = http.Header{"Location": {"http://" + r.Host + target}}
	return a, true
}

// commit gives the commit of a branch, or "".
func (r *Repository) commit(branch string) string {
	if r.GitDir == "" {
		return r.Branches[branch]
	}
	out, err := r.git("rev-parse", "--verify", "--quiet", "refs/heads/"+branch+"^{commit}")
	if err != nil {
		return ""
	}
	return out
}

// matching gives the refs whose names begin with a text.
func (g *GitHub) matching(r *Repository, prefix string) answer {
	names := slices.Sorted(maps.Keys(r.Branches))
	if r.GitDir != "" {
		out, err := r.git("for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads")
		if err != nil {
			g.t.Errorf("list branches: %v", err)
		}
		names = strings.Fields(out)
	}
	list := []any{}
	for _, name := range names {
		if ref := "heads/" + name; strings.HasPrefix(ref, prefix) {
			list = append(list, g.object("git-ref", map[string]any{
				"ref": "refs/" + ref, "url": g.URL + "/repos/" + r.Name + "/git/refs/" + ref,
				"object": map[string]any{"type": "commit", "sha": r.commit(name), "url": g.URL + "/repos/" + r.Name + "/git/commits/" + r.commit(name)},
			}))
		}
	}
	return answer{status: http.StatusOK, body: list}
}

// mergeable tells whether two branches can be merged, nil where nobody has said and git is not asked.
func (r *Repository) mergeable(p *Pull) *bool {
	if !r.Merges || p.Mergeable != nil {
		return p.Mergeable
	}
	_, err := r.git("merge-tree", "--write-tree", "refs/heads/"+p.Base, p.commit)
	can := err == nil
	return &can
}

// ahead tells whether a commit has some behind it that a branch lacks.
func (r *Repository) ahead(base, commit string) bool {
	if r.GitDir == "" {
		return r.Branches[base] != commit
	}
	out, err := r.git("rev-list", "--count", "refs/heads/"+base+".."+commit)
	return err == nil && out != "0"
}

func (r *Repository) git(args ...string) (string, error) {
	cmd := exec.Command("git", append([]string{"--git-dir=" + r.GitDir, "-c", "core.hooksPath=/dev/null"}, args...)...)
	cmd.Env = gitEnv()
	out, err := cmd.Output()
	return string(bytes.TrimSpace(out)), err
}
