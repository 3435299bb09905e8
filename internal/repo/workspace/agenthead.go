package workspace

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
)

// readSmall reads a file of at most 1 MiB. Git's own files that we read are never larger.
func readSmall(root *os.Root, name string) (string, error) {
	if info, err := root.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return "", errors.Join(err, fs.ErrNotExist)
	}
	f, err := root.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, 1<<20))
	return string(data), err
}

// head returns the commit that the agent's HEAD resolves to, "" when its files can't be understood.
func (g *agentGit) head() string {
	root, err := os.OpenRoot(g.place.work())
	if err != nil {
		return ""
	}
	defer root.Close()
	text, err := readSmall(root, ".git/HEAD")
	if err != nil {
		return ""
	}
	text = strings.TrimSpace(text)
	name, symbolic := strings.CutPrefix(text, "ref: ")
	if !symbolic {
		return onlyID(text)
	}
	if !fs.ValidPath(name) || !strings.HasPrefix(name, "refs/") {
		return ""
	}
	if text, err = readSmall(root, path.Join(".git", name)); err == nil {
		return onlyID(strings.TrimSpace(text))
	}
	packed, _ := readSmall(root, ".git/packed-refs")
	for _, line := range lines(packed) {
		if id, ref, ok := strings.Cut(line, " "); ok && ref == name {
			return onlyID(id)
		}
	}
	return ""
}

func onlyID(text string) string {
	if isID(text) {
		return text
	}
	return ""
}
