package gittest

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Pointer is the file that stands in git for content in Git LFS.
func Pointer(content string) string {
	return fmt.Sprintf("version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize %d\n", Object(content), len(content))
}

// Object is the name of content in Git LFS.
func Object(content string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:])
}

// ObjectFile is where a git directory keeps an object of Git LFS.
func ObjectFile(dir, id string) string {
	return filepath.Join(dir, "lfs", "objects", id[:2], id[2:4], id)
}

// PutObject has a git directory keep content in Git LFS.
func PutObject(t testing.TB, dir, content string) {
	t.Helper()
	file := ObjectFile(dir, Object(content))
	Write(t, filepath.Dir(file), map[string]string{filepath.Base(file): content})
}

// lfs answers for Git LFS: batches, and objects where Objects does not name another server for them.
func (h *HTTP) lfs(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		Operation string `json:"operation"`
		Objects   []struct {
			ID   string `json:"oid"`
			Size int64  `json:"size"`
		} `json:"objects"`
	}
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		http.Error(w, err.Error(), http.StatusUnprocessableEntity)
		return
	}
	at := cmp.Or(h.Objects, h.URL)
	var list []map[string]any
	for _, o := range asked.Objects {
		one := map[string]any{"oid": o.ID, "size": o.Size}
		info, err := os.Stat(ObjectFile(h.Bare, o.ID))
		there := err == nil && info.Size() == o.Size
		do := map[string]any{"href": at + "/info/lfs/objects/" + o.ID, "header": map[string]string{"X-Signed": "yes"}}
		switch {
		case asked.Operation == "upload" && !there:
			verify := map[string]any{"href": h.URL + "/info/lfs/objects/verify"}
			one["actions"] = map[string]any{"upload": do, "verify": verify}
		case asked.Operation == "download" && there:
			one["actions"] = map[string]any{"download": do}
		case asked.Operation == "download":
			one["error"] = map[string]any{"code": 404, "message": "not here"}
		}
		list = append(list, one)
	}
	w.Header().Set("Content-Type", "application/vnd.git-lfs+json")
	json.NewEncoder(w).Encode(map[string]any{"transfer": "basic", "objects": list})
}

// lfsVerify tells whether an upload has arrived.
func (h *HTTP) lfsVerify(w http.ResponseWriter, r *http.Request) {
	var o struct {
		ID   string `json:"oid"`
		Size int64  `json:"size"`
	}
	err := json.NewDecoder(r.Body).Decode(&o)
	if info, failed := os.Stat(ObjectFile(h.Bare, o.ID)); err != nil || failed != nil || info.Size() != o.Size {
		http.Error(w, "not here", http.StatusNotFound)
	}
}

// lfsObject takes and gives objects.
func (h *HTTP) lfsObject(w http.ResponseWriter, r *http.Request) {
	file := ObjectFile(h.Bare, filepath.Base(r.URL.Path))
	if r.Method == http.MethodGet {
		http.ServeFile(w, r, file)
		return
	}
	content, err := io.ReadAll(r.Body)
	if err != nil || r.Header.Get("X-Signed") == "" || Object(string(content)) != filepath.Base(file) {
		http.Error(w, "not what it is called", http.StatusBadRequest)
		return
	}
	if err = os.MkdirAll(filepath.Dir(file), 0o755); err == nil {
		err = os.WriteFile(file, content, 0o644)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

// serveLFS serves a request about Git LFS and tells whether it is one.
func (h *HTTP) serveLFS(w http.ResponseWriter, r *http.Request) bool {
	switch _, about, _ := strings.Cut(r.URL.Path, "/info/lfs/objects/"); about {
	case "":
		return false
	case "batch":
		h.lfs(w, r)
	case "verify":
		h.lfsVerify(w, r)
	default:
		h.lfsObject(w, r)
	}
	return true
}
