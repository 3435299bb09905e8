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

	"github.com/longshift/longshift/internal/disk"
	"github.com/longshift/longshift/internal/remove"
)

// The agent's git of a submodule lies where git itself would put it, in the .git of the work tree, and is only to be read: a commit made
// there would be known to nobody. Its name is ours, so that no name in .gitmodules leads anywhere.

func (s submodule) gitDir() string { return ".git/modules/" + s.key() }

// writeGit writes the agent's git of a submodule, when it is not what it should be already. A file that is the same is left alone:
// a sandbox may have it mounted.
func (t *submoduleTree) writeGit(root *os.Root, s submodule) error {
	want, err := t.gitFiles(s)
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

// up leads from the submodule to the top of the work tree.
func (s submodule) up() string { return strings.Repeat("../", strings.Count(s.Path, "/")+1) }

func (t *submoduleTree) gitFiles(s submodule) (map[string][]byte, error) {
	index, err := os.ReadFile(t.indexOf(s))
	if err != nil {
		return nil, err
	}
	mirror := t.mirrors.at(s.Mirror)
	shallow, err := mirror.shallow()
	if err != nil {
		return nil, err
	}
	format := "sha1"
	if len(s.Commit) == 64 {
		format = "sha256"
	}
	// No core.worktree: the file in the submodule says where it is, and git submodule update writes the key anew where there is one.
	config := strings.Replace(shape{format: format}.files()["config"], "bare = true", "bare = false", 1)
	files := map[string][]byte{
		"HEAD": []byte(s.Commit + "\n"), "index": index, "config": []byte(config + "[gc]\n\tauto = 0\n" + t.registered(s.Path)),
		"refs/.keep": nil, "objects/info/alternates": []byte(filepath.Join(mirror.dir, "objects") + "\n"),
	}
	if shallow != "" {
		files["shallow"] = []byte(shallow)
	}
	return files, nil
}

// registered is what the configuration of a repository says of its submodules when they are in use.
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

// register names those of the top in the agent's configuration. It is written in place: a sandbox may have it mounted.
func (t *submoduleTree) register(root *os.Root) error {
	const file = ".git/config"
	now, err := readSmall(root, file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it is made anew with the rest of the folder
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

// holds tells whether a folder has these files, all of them and no other.
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
