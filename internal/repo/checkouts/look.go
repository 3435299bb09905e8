package checkouts

import (
	"io"
	"os"
	"path/filepath"
	"strings"
)

// look describes a folder as far as that needs no git.
func (f *Folder) look(root *os.Root, name string) Project {
	p := Project{Name: name, Path: filepath.Join(f.dir, name)}
	if _, err := root.Lstat(filepath.Join(name, ".git")); err == nil {
		p.Repository = isGitDir(root, filepath.Join(name, ".git"))
	} else if isGitDir(root, name) {
		p.Repository, p.Bare = true, true
	}
	if p.Repository {
		p.Branch = branch(root, gitDirOf(p, name))
	}
	return p
}

func gitDirOf(p Project, dir string) string {
	if p.Bare {
		return dir
	}
	return filepath.Join(dir, ".git")
}

// isGitDir accepts only real folders and files. The target of a link would be shown as if it were here.
func isGitDir(root *os.Root, dir string) bool {
	for _, name := range []string{"", "objects", "refs"} {
		if info, err := root.Lstat(filepath.Join(dir, name)); err != nil || !info.IsDir() {
			return false
		}
	}
	head, err := root.Lstat(filepath.Join(dir, "HEAD"))
	return err == nil && head.Mode().IsRegular()
}

// elsewhere is what HEAD names in a repository whose refs are in a reftable, which has the branch.
const elsewhere = ".invalid"

// branch reads the current branch from git's HEAD file.
func branch(root *os.Root, gitDir string) string {
	file, err := root.Open(filepath.Join(gitDir, "HEAD"))
	if err != nil {
		return ""
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, 4096))
	if err != nil {
		return ""
	}
	name, ok := strings.CutPrefix(strings.TrimSpace(string(content)), "ref: refs/heads/")
	if !ok || name == elsewhere {
		return ""
	}
	return oneLine(name)
}
