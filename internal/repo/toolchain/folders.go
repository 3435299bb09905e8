package toolchain

import (
	"io/fs"
	"path"
	"slices"
	"strings"
)

// mostFolders is how many folders below the top are looked at, where the top tells nothing.
const mostFolders = 8

// projects gives the folders at the top that may be projects of their own.
func (f files) projects() (folders []string) {
	entries, err := fs.ReadDir(f.fs, ".")
	if err != nil {
		return nil
	}
	for _, e := range entries {
		name := e.Name()
		if e.IsDir() && !strings.HasPrefix(name, ".") && !slices.Contains([]string{"vendor", "third_party", "node_modules", "testdata", "docs", "doc", "examples"}, name) &&
			len(folders) < mostFolders {
			folders = append(folders, name)
		}
	}
	return folders
}

// in gives the chain as it is run from the folder above its own.
func (c Chain) in(folder string) Chain {
	there := func(commands []string) (out []string) {
		for _, command := range commands {
			out = append(out, "(cd "+quoted(folder)+" && "+command+")")
		}
		return out
	}
	c.File, c.Setup, c.Check = path.Join(folder, c.File), there(c.Setup), there(c.Check)
	if c.Makes != "" {
		c.Makes = path.Join(folder, c.Makes)
	}
	return c
}

// quoted puts a name into quotes where the shell needs them.
func quoted(name string) string {
	if strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == "" {
		return name
	}
	return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
}
