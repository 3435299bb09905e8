package workspace

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"slices"
)

// withoutUntouched removes from changed files those that hold the very bytes of the blob that the index has for them. git shows such a file as
// changed when .gitattributes asks for other line endings than it was committed with, and a commit would convert what nobody has touched.
func (w workTree) withoutUntouched(paths []string, blobs map[string]string) ([]string, error) {
	if len(blobs) == 0 {
		return paths, nil
	}
	root, err := os.OpenRoot(w.work)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return slices.DeleteFunc(paths, func(path string) bool {
		id := blobs[path]
		return id != "" && id == blobID(root, path, len(id))
	}), nil
}

// blobID is the id of the blob with a file's bytes, as git writes it with so many digits, "" if the file can't be read.
func blobID(root *os.Root, path string, digits int) string {
	path = filepath.FromSlash(path)
	info, err := root.Lstat(path)
	if err != nil || !info.Mode().IsRegular() { // git shows a named pipe, too, and to open one would never end
		return ""
	}
	f, err := root.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	var h hash.Hash = sha1.New()
	if digits == hex.EncodedLen(sha256.Size) {
		h = sha256.New()
	}
	fmt.Fprintf(h, "blob %d\x00", info.Size())
	if _, err := io.Copy(h, f); err != nil {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
}
