package tools

import (
	"io"
	"os"
	"strings"
)

const ignoreRules = 1000 // of one .gitignore file

// rule is a line of a .gitignore file. Unlike git, the tools know neither .git/info/exclude nor the excludes of the user, nor classes such
// as [[:alpha:]], and leave out ignored files that git tracks.
type rule struct {
	dir               string // of the file
	parts             []string
	keep, onlyFolders bool
}

// ignoreFile reads the rules of a folder, whose path they are relative to. A file that can't be read, or is too large for one, has none.
func ignoreFile(in *os.Root, dir string) []rule {
	f, info, err := openIn(in, ".gitignore")
	if err != nil {
		return nil
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, ignoreBytes))
	if err != nil || info.Size() > ignoreBytes {
		return nil
	}
	var rules []rule
	for line := range strings.SplitSeq(string(content), "\n") {
		if r, ok := parseRule(dir, strings.TrimSuffix(line, "\r")); ok && len(rules) < ignoreRules {
			rules = append(rules, r)
		}
	}
	return rules
}

// rulesOf reads the rules of the folder at a path.
func (t *Tree) rulesOf(dir string) []rule {
	in, err := t.descend(dir)
	if err != nil {
		return nil
	}
	defer in.Close()
	return ignoreFile(in, dir)
}

func parseRule(dir, line string) (r rule, ok bool) {
	for strings.HasSuffix(line, " ") && !strings.HasSuffix(line, `\ `) {
		line = line[:len(line)-1]
	}
	if line == "" || line[0] == '#' {
		return r, false
	}
	r.dir = dir
	line, r.keep = strings.CutPrefix(line, "!")
	line, r.onlyFolders = strings.CutSuffix(line, "/")
	if line == "" {
		return r, false
	}
	r.parts = globParts(strings.TrimPrefix(line, "/"))
	if !strings.Contains(line, "/") {
		r.parts = append([]string{"**"}, r.parts...)
	}
	return r, valid(r.parts)
}

// ignored lets the last rule that matches decide. What is in an ignored folder is ignored too, because the walk does not enter it.
func ignored(rules []rule, name string, isDir bool) bool {
	for i := len(rules) - 1; i >= 0; i-- {
		r := rules[i]
		if r.onlyFolders && !isDir {
			continue
		}
		rel := name
		if r.dir != "." {
			rel = strings.TrimPrefix(name, r.dir+"/")
		}
		if matchParts(r.parts, strings.Split(rel, "/")) {
			return !r.keep
		}
	}
	return false
}
