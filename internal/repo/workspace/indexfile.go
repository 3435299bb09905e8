package workspace

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// indexFile is an index as git wrote it. Git trusts the size and the second of a file that is older than the index, and compares the
// content of others. So a copy needs the time too: with a later one, git misses a change that keeps the size within the second of the
// checkout.
type indexFile struct {
	data    []byte
	written time.Time
}

func readIndex(file string) (x indexFile, err error) {
	f, err := os.Open(file)
	if err != nil {
		return x, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return x, err
	}
	x.written = info.ModTime()
	x.data, err = io.ReadAll(f)
	return x, err
}

// copyIndex copies a git directory's index to a temporary file. Its cached file information saves reading the files again.
func copyIndex(dir string) (string, error) {
	x, err := readIndex(filepath.Join(dir, "index"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	return x.temporary(dir)
}

// temporary writes the index to a temporary file of a git directory, which the caller removes. Without data it only returns a name: git
// does not accept an empty file as an index.
func (x indexFile) temporary(dir string) (string, error) {
	f, err := os.CreateTemp(dir, "snapshot-*.index")
	if err != nil {
		return "", err
	}
	_, err = f.Write(x.data)
	if err = errors.Join(err, f.Close()); err != nil || len(x.data) == 0 {
		return f.Name(), errors.Join(err, os.Remove(f.Name()))
	}
	return f.Name(), os.Chtimes(f.Name(), time.Time{}, x.written)
}
