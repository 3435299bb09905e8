package objectstore

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"github.com/longshift/longshift/internal/fault"
)

// TestStore holds both kinds of store to the same.
func TestStore(t *testing.T) {
	for name, address := range map[string]string{"folder": "file://" + t.TempDir(), "s3": s3(t, nil) + "&prefix=team/"} {
		t.Run(name, func(t *testing.T) {
			s, ctx := open(t, address), t.Context()
			if _, err := s.Get(ctx, "t/one"); !errors.Is(err, ErrMissing) {
				t.Errorf("before: %v", err)
			}
			large := bytes.Repeat([]byte("x\x00\n"), 1<<20)
			for key, data := range map[string][]byte{"t/one": []byte("1"), "t/a/two": large, "tt/three": nil} {
				if err := s.Put(ctx, key, data); err != nil {
					t.Fatal(err)
				}
			}
			if err := s.Put(ctx, "t/one", []byte("again")); err != nil {
				t.Fatal(err)
			}
			for key, want := range map[string][]byte{"t/one": []byte("again"), "t/a/two": large, "tt/three": nil} {
				if got, err := open(t, address).Get(ctx, key); err != nil || !bytes.Equal(got, want) {
					t.Errorf("%s has %d bytes, %v", key, len(got), err)
				}
			}
			if err := errors.Join(s.Remove(ctx, "t/"), s.Remove(ctx, "t/")); err != nil {
				t.Error(err)
			}
			if _, err := s.Get(ctx, "t/a/two"); !errors.Is(err, ErrMissing) {
				t.Errorf("after Remove: %v", err)
			}
			if _, err := s.Get(ctx, "tt/three"); err != nil {
				t.Errorf("Remove took more than its prefix: %v", err)
			}
			if err := s.Try(ctx, "try"); err != nil {
				t.Error(err)
			}
			if _, err := s.Get(ctx, "../up"); err == nil {
				t.Error("a key leads out")
			}
		})
	}
}

func TestAddress(t *testing.T) {
	for address, want := range map[string]string{
		"file:///var/blobs": "", "s3://b": "", "s3://b?region=eu-west-1&endpoint=http://127.0.0.1:9000": "",
		"file://blobs": "absolute", "file:blobs": "absolute", "blobs": "kind of store", "gs://b": "kind of store", "s3://": "bucket",
		"s3://key:secret@b": "AWS_ACCESS_KEY_ID", "file:///a?b=c": "absolute", "s3://%zz": "URL",
		"s3://b?endpoint=https://key:secret@minio": "AWS_ACCESS_KEY_ID",
	} {
		_, err := parse(address)
		if (err == nil) != (want == "") || err != nil && (!strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret@")) {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// A folder that is not there may be a mount that is missing, or a wrong path. It is not made.
func TestFolderThatIsNotThere(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "mount", "shared")
	_, err := Open(t.Context(), "file://"+folder)
	if fault.KindOf(err) != fault.Input || err.Error() != "no such folder: "+folder || fault.HintOf(err) != "mount it, or make it" {
		t.Errorf("got kind %q: %v (%s)", fault.KindOf(err), err, fault.HintOf(err))
	}
	if _, err := os.Stat(filepath.Dir(folder)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it was made: %v", err)
	}
}

func TestFailures(t *testing.T) {
	denied := func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "application/xml")
		w.WriteHeader(http.StatusForbidden)
		_, _ = w.Write([]byte("<Error><Code>AccessDenied</Code><Message>no</Message></Error>"))
	}
	for name, c := range map[string]struct {
		address string
		want    fault.Kind
	}{
		"denied":    {s3(t, denied), fault.Denied},
		"no bucket": {strings.Replace(s3(t, nil), "blobs", "other", 1), fault.NotFound},
		"down":      {"s3://blobs?region=us-east-1&endpoint=" + url.QueryEscape("http://127.0.0.1:1"), fault.Infra},
	} {
		t.Run(name, func(t *testing.T) {
			err := open(t, c.address).Put(t.Context(), "k", []byte("v"))
			if fault.KindOf(err) != c.want || fault.HintOf(err) == "" || strings.Contains(err.Error(), "\n") {
				t.Errorf("got kind %q: %v", fault.KindOf(err), err)
			}
		})
	}
}

func open(t *testing.T, address string) *Store {
	t.Helper()
	s, err := Open(context.Background(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// s3 starts a server that speaks like S3 and has the bucket blobs, and returns the address of the store.
func s3(t *testing.T, answer func(http.ResponseWriter)) string {
	t.Helper()
	backend := s3mem.New()
	if err := backend.CreateBucket("blobs"); err != nil {
		t.Fatal(err)
	}
	handler := gofakes3.New(backend).Server()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if answer != nil {
			answer(w)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	for name, value := range map[string]string{"AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": "example"} {
		t.Setenv(name, value)
	}
	return "s3://blobs?region=us-east-1&use_path_style=true&endpoint=" + url.QueryEscape(server.URL)
}
