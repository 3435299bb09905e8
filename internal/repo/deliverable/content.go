package deliverable

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/longshift/longshift/internal/repo/project"
	"github.com/longshift/longshift/internal/repo/sensitive"
)

// Git runs a git command that only reads, in a repository, and returns what it prints.
type Git func(ctx context.Context, args ...string) (string, error)

// Content is what a commit holds, as far as evidence depends on it.
type Content struct {
	ids map[string]string // git's ids of files, folders and submodules, by path

	setup   string // setup command of the project's settings
	scripts string // of its package.json

	status []byte // the status file; nil when there is none

	deciding *deciding // nil until the first command is asked about
}

// deciding are the files that decide what commands do, sorted.
type deciding struct{ runners, recipes []string }

// ContentOf reads what a commit holds.
func ContentOf(ctx context.Context, git Git, commit string) (*Content, error) {
	text, err := git(ctx, "ls-tree", "-r", "-t", "-z", "--full-tree", commit)
	if err != nil {
		return nil, fmt.Errorf("list the files of %.10s: %w", commit, err)
	}
	c := &Content{ids: map[string]string{}}
	for record := range strings.SplitSeq(text, "\x00") { // mode type id, a tab, the path
		about, name, _ := strings.Cut(record, "\t")
		if f := strings.Fields(about); len(f) == 3 {
			c.ids[name] = f[2]
		}
	}
	read := func(name string) (string, error) {
		if c.ids[name] == "" {
			return "", nil
		}
		text, err := git(ctx, "cat-file", "blob", c.ids[name])
		if err != nil {
			return "", fmt.Errorf("read %s of %.10s: %w", name, commit, err)
		}
		return strings.TrimRight(text, "\r\n"), nil // which some callers have done already
	}
	settings, err := read(project.FileName)
	if err != nil {
		return nil, err
	}
	if c.setup = settings; settings != "" { // settings that can't be read are taken as they are
		if parsed, err := project.Parse([]byte(settings)); err == nil {
			c.setup = ""
			if parsed.Setup != nil {
				c.setup = *parsed.Setup
			}
		}
	}
	manifest, err := read("package.json")
	if err != nil {
		return nil, err
	}
	var parsed struct{ Scripts json.RawMessage }
	if c.scripts = manifest; json.Unmarshal([]byte(manifest), &parsed) == nil {
		c.scripts = string(parsed.Scripts)
	}
	status, err := read(Path)
	if status != "" {
		c.status = []byte(status)
	}
	return c, err
}

// File returns the status file of the commit; nil when it has none.
func (c *Content) File() (*File, error) {
	if c.status == nil {
		return nil, nil
	}
	return Read(c.status)
}

// Programs that run what a file of the project says.
var (
	scripted = regexp.MustCompile(`\b(?:npm|npx|yarn|pnpm|bun)\b`)
	making   = regexp.MustCompile(`\b(?:g?make|just)\b`)
)

// Check is the id of what decides what a command does, beside the code: the command, the project's setup command, the settings of test
// runners and, where the command names their program, the scripts of package.json, Makefiles and justfiles.
func (c *Content) Check(command string) string {
	parts, runs := []string{command, c.setup}, command
	if scripted.MatchString(command) {
		parts, runs = append(parts, c.scripts), runs+c.scripts
	}
	found := c.decidingFiles()
	names := found.runners
	if making.MatchString(runs) {
		names = slices.Concat(found.runners, found.recipes)
		slices.Sort(names)
	}
	for _, name := range names {
		parts = append(parts, name, c.ids[name])
	}
	data, err := encode(parts)
	if err != nil {
		return err.Error() // strings are always encoded
	}
	return shortHash(data)
}

// decidingFiles looks through all names once, because there are many, and each deliverable asks.
func (c *Content) decidingFiles() *deciding {
	if c.deciding == nil {
		c.deciding = &deciding{}
		for _, name := range slices.Sorted(maps.Keys(c.ids)) {
			switch {
			case sensitive.ConfiguresTests(name):
				c.deciding.runners = append(c.deciding.runners, name)
			case sensitive.HasRecipes(name):
				c.deciding.recipes = append(c.deciding.recipes, name)
			}
		}
	}
	return c.deciding
}

// Setup is the setup command of the project's settings; "" when they name none.
func (c *Content) Setup() string { return c.setup }

// mostBound is how many files evidence is bound to one by one.
const mostBound = 500

// Bind returns git's ids of the files, as evidence keeps them: "" for one that is not there. A file is named as git or as evidence names
// it. Longshift's own files are left out. Of very many files it is their top folders.
func (c *Content) Bind(files []string) map[string]string {
	bound := map[string]string{}
	for _, name := range files {
		if len(files) > mostBound {
			name, _, _ = strings.Cut(name, "/")
		}
		if !own(name) {
			bound[written(name)] = c.id(name)
		}
	}
	return bound
}

// Spec returns git's ids of the files and folders of a specification, by path.
func (c *Content) Spec(paths []string) map[string]string {
	ids := map[string]string{}
	for _, p := range paths {
		ids[p] = c.ids[path.Clean(p)]
	}
	return ids
}

// written is a file's name as JSON can hold it: git's names are bytes.
func written(name string) string {
	if utf8.ValidString(name) {
		return name
	}
	return strconv.Quote(name)
}

// id returns git's id of a file by its written name, "" when it is not there.
func (c *Content) id(name string) string {
	if id, ok := c.ids[name]; ok {
		return id
	}
	if bytes, err := strconv.Unquote(name); err == nil && !utf8.ValidString(bytes) {
		return c.ids[bytes]
	}
	return ""
}

func own(name string) bool { return name == Folder || strings.HasPrefix(name, Folder+"/") }
