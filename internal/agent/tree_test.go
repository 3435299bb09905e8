package agent

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestInTree(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	for _, d := range []string{"sub/deep", ".git/hooks"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []string{filepath.Join(dir, "in.txt"), filepath.Join(outside, "out.txt")} {
		if err := os.WriteFile(f, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"out": outside, "dangling": filepath.Join(outside, "new"), "inner": "sub/deep", "hooks": ".git/hooks",
		"loop": "loop", "up": "..", "self": ".", "file": "in.txt"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	// The workspace may be reached through a link itself.
	alias := filepath.Join(t.TempDir(), "alias")
	if err := os.Symlink(dir, alias); err != nil {
		t.Fatal(err)
	}
	const out, bad = "outside", "bad"
	for path, want := range map[string]string{
		dir + "/in.txt":            "in.txt",
		"in.txt":                   "in.txt",
		"file":                     "in.txt",
		"./sub//deep/":             "sub/deep",
		alias + "/in.txt":          "in.txt",
		dir:                        ".",
		dir + "/":                  ".",
		".":                        ".",
		"self/self/in.txt":         "in.txt",
		"sub/../in.txt":            "in.txt",
		dir + "/new/deep/file.txt": "new/deep/file.txt",
		dir + "/new/":              "new",
		"inner/new.txt":            "sub/deep/new.txt",
		"inner/../new.txt":         "sub/new.txt", // the link is followed before the step up
		"hooks/post-commit":        ".git/hooks/post-commit",
		".GIT/config":              ".GIT/config",
		"..x":                      "..x",
		outside + "/out.txt":       out,
		"out/out.txt":              out,
		"out/new.txt":              out,
		"out/../x":                 out,
		"up":                       out,
		"up/other":                 out,
		"../x":                     out,
		dir + "-other/x":           out,
		"/etc/passwd":              out,
		"/":                        out,
		"/nowhere/at/all":          out,
		"dangling":                 bad,
		"dangling/x":               bad,
		"loop":                     bad,
		"loop/x":                   bad,
		"new/../in.txt":            bad,
		"new/../../x":              bad,
		"":                         bad,
		"in.txt\x00.png":           bad,
		"in.txt/x":                 bad,
	} {
		rel, err := InTree(dir, path)
		switch want {
		case out:
			if !errors.Is(err, ErrOutside) || rel != "" {
				t.Errorf("%q gives %q, %v", path, rel, err)
			}
		case bad:
			if err == nil || errors.Is(err, ErrOutside) || rel != "" {
				t.Errorf("%q gives %q, %v", path, rel, err)
			}
		default:
			if rel != want || err != nil {
				t.Errorf("%q gives %q, %v, wanted %q", path, rel, err, want)
			}
		}
	}
	if rel, err := InTree(alias, dir+"/in.txt"); rel != "in.txt" || err != nil {
		t.Errorf("through the other name: %q, %v", rel, err)
	}
	if _, err := InTree(filepath.Join(dir, "nothing"), "x"); err == nil {
		t.Error("a workspace that is not there")
	}
}
