package lfs

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func sum256(content string) [32]byte { return sha256.Sum256([]byte(content)) }

func TestParse(t *testing.T) {
	t.Parallel()
	p := pointerTo("content")
	text := fmt.Sprintf("%sv1\noid sha256:%s\nsize %d\n", Start, p.ID, p.Size)
	if got, ok := Parse([]byte(text)); !ok || got != p {
		t.Errorf("got %+v, %v of %q", got, ok, text)
	}
	extended := strings.Replace(text, "oid ", "ext-0-foo sha256:"+strings.Repeat("0", 64)+"\noid ", 1)
	if got, ok := Parse([]byte(extended)); !ok || got != p {
		t.Errorf("with an extension: %+v, %v", got, ok)
	}
	for name, bad := range map[string]string{
		"nothing": "", "text": "hello\n", "a name with slashes": strings.Replace(text, p.ID[:4], "../.", 1), "upper case": strings.Replace(text, p.ID, strings.ToUpper(p.ID), 1),
		"a conflict": strings.Replace(text, "oid ", "<<<<<<< ours\noid sha256:"+strings.Repeat("1", 64)+"\nsize 1\n=======\noid ", 1),
		"no size":    text[:strings.Index(text, "size")], "a long size": strings.Replace(text, "size ", "size 1000000000000000000", 1),
		"another's file": "x" + text, "a long file": text + strings.Repeat("x", MostPointer),
	} {
		if got, ok := Parse([]byte(bad)); ok {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestStore(t *testing.T) {
	t.Parallel()
	p := pointerTo("content")
	for name, content := range map[string]string{"short": "conten", "long": "contents", "other": "c0ntent"} {
		s := Store(t.TempDir())
		if err := s.Put(p, strings.NewReader(content)); err == nil || s.Has(p) {
			t.Errorf("%s: %v", name, err)
		}
	}
	from := t.TempDir()
	s, kept := Store(t.TempDir()), Store(filepath.Join(from, "lfs"))
	if err := kept.Put(p, strings.NewReader("content")); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(from)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := s.Take(p, root, "lfs"); err != nil || !s.Has(p) {
		t.Errorf("%v", err)
	}
	if err := s.Take(pointerTo("nothing"), root, "lfs"); err == nil {
		t.Error("took what is not there")
	}
	var folder Server = Folder(kept)
	to := Store(t.TempDir())
	if err := folder.Download(t.Context(), []Pointer{pointerTo("nothing"), p}, to); err != nil || !to.Has(p) {
		t.Errorf("download: %v", err)
	}
	if err := folder.Upload(t.Context(), []Pointer{pointerTo("nothing")}, to); err == nil {
		t.Error("uploaded what is not there")
	}
}
