package acceptance

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
)

var commits = flag.String("commits", "", "a YAML file that lists commits of real repositories, as CONTRIBUTING.md says")

// upstream are the stories of the commits that -commits lists.
func upstream(t testing.TB) (stories []story) {
	t.Helper()
	if *commits == "" {
		return nil
	}
	file, err := os.Open(*commits)
	must(t, err)
	defer file.Close()
	var list []struct {
		Name, Repository, Commit, Check, Settings string
		RedBase                                   bool `yaml:"redBase"`
	}
	d := yaml.NewDecoder(file)
	d.KnownFields(true)
	must(t, d.Decode(&list))
	for _, e := range list {
		y := openCommit(t, e.Repository, e.Commit).story("upstream-"+e.Name, e.Settings, e.Check)
		y.redBase, y.within = e.RedBase, 30*time.Minute // an installation of hundreds of packages is among them
		stories = append(stories, y)
	}
	return stories
}

// kinds is a story of a commit that changes files in every way that git knows.
func kinds(t testing.TB) story {
	t.Helper()
	dir := t.TempDir()
	c := commit{t: t, repo: dir}
	c.git("init", "--quiet", "--initial-branch=main")
	c.save(map[string]string{
		"check.sh": "test -x bin/greet && bin/greet | grep -q hello\n", "bin/greet": "echo hello\n", "old.txt": "old\n", "moved.txt": "moves\n",
		"windows.txt": "one\r\ntwo\r\nthree\r\n", "open end.txt": "no newline", "logo.png": "\x89PNG\x00\x01", "test/greet.txt": "hello\n", "link": "here\n",
	})
	for _, gone := range []string{"old.txt", "moved.txt", "link"} {
		must(t, os.Remove(filepath.Join(dir, gone)))
	}
	must(t, os.Chmod(filepath.Join(dir, "bin", "greet"), 0o755))
	must(t, os.Symlink("test/greet.txt", filepath.Join(dir, "link")))
	c.save(map[string]string{
		"bin/greet": "#!/bin/sh\necho hello\n", "far/moved.txt": "moves\n", "windows.txt": "one\r\n2\r\nthree\r\n", "open end.txt": "still no newline",
		"logo.png": "\x89PNG\x00\x02", "test/greet.txt": "hello\n\thello\n", "größe.txt": "1 m\n", "empty": "",
	})
	y := openCommit(t, dir, "HEAD").story("kinds", "check: sh check.sh\n", "sh check.sh")
	y.redBase = true
	return y
}

// save commits what differs in the work tree.
func (c commit) save(files map[string]string) {
	c.t.Helper()
	write(c.t, c.repo, files)
	c.git("add", "--all")
	c.git("-c", "user.name=Ann", "-c", "user.email=ann@example.com", "commit", "--quiet", "--message=Greet")
}
