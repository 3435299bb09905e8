package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/longshift/longshift/internal/repo/workspace/gittest"
)

// TestBrowse: the browser is the first of BROWSER that is there, by its name or by its path, else that of the desktop.
func TestBrowse(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"firefox", "xdg-open", "apart/lynx"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		gittest.Program(t, path, "#!/bin/sh\necho ${0##*/} $1\n")
	}
	lynx := filepath.Join(dir, "apart/lynx")
	for browser, want := range map[string]string{
		"": "xdg-open", "firefox": "firefox", lynx: "lynx", "none:" + lynx + ":firefox": "lynx", "/none/lynx:firefox": "firefox",
		"/none/lynx": "xdg-open",
	} {
		c := newConsole(t, "PATH="+dir, "BROWSER="+browser)
		f := c.factory()
		o := openOptions{printer: f.printer, env: f.env, streams: f.streams}
		if err := o.browse(t.Context(), "http://x"); err != nil || c.Out.String() != want+" http://x\n" {
			t.Errorf("BROWSER=%s: %q, %v", browser, c.Out.String(), err)
		}
	}
}
