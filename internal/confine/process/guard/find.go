package guard

import (
	"fmt"
	"os"
	"path"
	"strings"
	"syscall"
)

// Find returns the path of a program to run in a folder: a bare name is looked up in the PATH of env. It fails when the
// folder does not exist. A program that is not found is an error that matches fs.ErrNotExist and wraps its errno.
func Find(name, dir string, env []string) (string, error) {
	if info, err := os.Stat(dir); err != nil {
		return "", fmt.Errorf("working directory: %w", err)
	} else if !info.IsDir() {
		return "", fmt.Errorf("working directory %s is not a directory", dir)
	}
	if path.IsAbs(name) {
		return name, nil
	}
	if name == "" || strings.Contains(name, "/") {
		return "", fmt.Errorf("program %q is neither an absolute path nor a bare name", name)
	}
	for _, v := range env {
		list, ok := strings.CutPrefix(v, "PATH=")
		if !ok {
			continue
		}
		for _, dir := range strings.Split(list, ":") {
			file := path.Join(dir, name)
			if info, err := os.Stat(file); path.IsAbs(dir) && err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
				return file, nil
			}
		}
	}
	return "", fmt.Errorf("%s is not in PATH: %w", name, syscall.ENOENT)
}
