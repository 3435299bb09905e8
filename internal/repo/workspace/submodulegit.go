package workspace

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/longshift/longshift/internal/disk"
	"github.com/longshift/longshift/internal/remove"
)

// The agent's git directory of a submodule lies where git would put it, in the work tree's .git, and is read-only: a commit made there
// would be lost. We choose its name, so that no name in .gitmodules can lead elsewhere.

func (s submodule) gitDir() string { return ".git/modules/" + s.key() }

// writeGit writes the agent's git directory of a submodule if it has changed. Equal files are not touched, because a sandbox may have
// them mounted.
func (t *submoduleTree) writeGit(root *os.Root, s submodule) error {
	want, written, err := t.gitFiles(s)
	if err != nil {
		return err
	}
	if !realFolders(root, s.gitDir()) || !holds(root, s.gitDir(), want) {
		if err := root.RemoveAll(s.gitDir()); err != nil {
			return err
		}
		for _, name := range slices.Sorted(maps.Keys(want)) {
			if err := root.MkdirAll(path.Dir(path.Join(s.gitDir(), name)), 0o755); err != nil {
				return disk.Fault(err, t.place.work())
			}
			if err := root.WriteFile(path.Join(s.gitDir(), name), want[name], 0o644); err != nil {
				return disk.Fault(err, t.place.work())
			}
		}
		if err := root.Chtimes(path.Join(s.gitDir(), "index"), time.Time{}, written); err != nil {
			return err
		}
	}
	file, text := path.Join(s.Path, ".git"), "gitdir: "+s.up()+s.gitDir()+"\n"
	if now, err := readSmall(root, file); err == nil && now == text {
		return nil
	}
	if err := remove.Below(root, file); err != nil {
		return err
	}
	if err := root.WriteFile(file, []byte(text), 0o644); err != nil {
		return disk.Fault(err, t.place.work())
	}
	return nil
}

// up is the relative path from the submodule to the top of the work tree.
func (s submodule) up() string { return strings.Repeat("../", strings.Count(s.Path, "/")+1) }

// gitFiles returns what the submodule's git directory holds, and the time at which git wrote its index.
func (t *submoduleTree) gitFiles(s submodule) (files map[string][]byte, written time.Time, err error) {
	index, err := readIndex(t.indexOf(s))
	if err != nil {
		return nil, written, err
	}
	mirror := t.mirrors.at(s.Mirror)
	shallow, err := mirror.shallow()
	if err != nil {
		return nil, written, err
	}
	format := "sha1"
	if len(s.Commit) == 64 {
		format = "sha256"
	}
	// core.worktree is not set: the .git file in the submodule shows the location, and git submodule update rewrites an existing key.
	config := strings.Replace(shape{format: format}.files()["config"], "bare = true", "bare = false", 1)
	files = map[string][]byte{
		"HEAD": []byte(s.Commit + "\n"), "index": index.data, "config": []byte(config + "[gc]\n\tauto = 0\n" + t.registered(s.Path)),
		"refs/.keep": nil, "objects/info/alternates": []byte(filepath.Join(mirror.dir, "objects") + "\n"),
	}
	if shallow != "" {
		files["shallow"] = []byte(shallow)
	}
	return files, index.written, nil
}

// registered returns the configuration that marks a repository's submodules as active.
func (t *submoduleTree) registered(in string) string {
	var b strings.Builder
	for _, s := range t.state.Submodules.full() {
		if s.In == in {
			fmt.Fprintf(&b, "[submodule %s]\n\tactive = true\n", configValue(s.Name))
			if s.URL != "" {
				fmt.Fprintf(&b, "\turl = %s\n", configValue(s.URL))
			}
		}
	}
	return b.String()
}

// register adds the top-level submodules to the agent's configuration. The file is written in place, because a sandbox may have it
// mounted.
func (t *submoduleTree) register(root *os.Root) error {
	const file = ".git/config"
	now, err := readSmall(root, file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it is recreated with the rest of the directory
	} else if err != nil {
		return err
	}
	own, _, _ := strings.Cut(now, "[submodule ")
	want := own + t.registered("")
	if want == now {
		return nil
	}
	if err := root.WriteFile(file, []byte(want), 0o644); err != nil {
		return disk.Fault(err, t.place.work())
	}
	return nil
}

// holds reports whether a directory has exactly these files.
func holds(root *os.Root, dir string, want map[string][]byte) bool {
	found := 0
	err := fs.WalkDir(root.FS(), dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, ok := want[strings.TrimPrefix(name, dir+"/")]
		info, err := d.Info()
		if err != nil || !ok || !info.Mode().IsRegular() || info.Size() != int64(len(text)) {
			return errors.Join(err, fs.ErrInvalid)
		}
		have, err := fs.ReadFile(root.FS(), name)
		if err == nil && !bytes.Equal(have, text) {
			err = fs.ErrInvalid
		}
		found++
		return err
	})
	return err == nil && found == len(want)
}
