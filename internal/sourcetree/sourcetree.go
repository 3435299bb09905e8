// Package sourcetree finds this repository's files for tests and their kits. No program may use it: a program has no source tree.
package sourcetree

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
)

const module = "module github.com/longshift/longshift\n"

// Root is the repository's top folder: the closest one, from the working directory up, that has our go.mod. A test runs in a folder of the
// repository. What the compiler knows of a file's place is no help, for a binary built with -trimpath has no paths. It is "" elsewhere.
var Root = sync.OnceValue(func() string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	for ; ; dir = filepath.Dir(dir) {
		if data, err := os.ReadFile(filepath.Join(dir, "go.mod")); err == nil && strings.HasPrefix(string(data), module) {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
})
