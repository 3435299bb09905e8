package app

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/config"
)

// keyVariables name key files that other programs in the worker's environment use.
var keyVariables = []string{"TEMPORAL_TLS_CLIENT_KEY_PATH", "TEMPORAL_TLS_CLIENT_CERT_PATH", "TEMPORAL_CONFIG_FILE", "SSH_AUTH_SOCK",
	"GOOGLE_APPLICATION_CREDENTIALS", "AWS_SHARED_CREDENTIALS_FILE", "KUBECONFIG", "DOCKER_CONFIG", "NETRC", "GNUPGHOME"}

// hidden lists what no program of a task may see, whether it is there yet or not.
func hidden(cfg config.Config) []string {
	return append(hiddenFolders(cfg), keyFiles(cfg)...)
}

// hiddenFolders are our data, home directories and system sockets.
func hiddenFolders(cfg config.Config) []string {
	return absolute([]string{cfg.Data, "/home", "/root", "/run", operatorHome()})
}

// keyFiles are the files with secrets that the settings and the environment name. They may be written or replaced at any time.
func keyFiles(cfg config.Config) []string {
	list := []string{cfg.Author.SigningKey} // a key id is not a file
	list = append(list, append(cfg.SecretFiles(), config.File(os.LookupEnv))...)
	for _, name := range keyVariables {
		list = append(list, os.Getenv(name))
	}
	return absolute(list)
}

// keyCovers lists what a box that starts now covers of the key files: their folders where these hold nothing else, since a cover on a file is
// lost when another file is renamed to its name, and the files themselves, as a link may lead elsewhere. What is in the data folder is hidden
// with it, and what the box shows on purpose, given, stays. Each command starts a box, so this looks at nothing that can be known before.
func keyCovers(data string, keys, given []string) []string {
	list := slices.Clone(keys)
	for _, key := range keys {
		dir := filepath.Dir(key)
		wide := filepath.Dir(dir) == "/" || tooWide(dir, nil) || contains(filepath.Clean(data), dir)
		if !wide && !slices.Contains(given, withoutLinks(dir)) && keysOnly(dir, keys) {
			list = append(list, dir)
		}
	}
	return existing(list)
}

// keysOnly reports whether a folder holds key files and nothing else, so that no program misses it. Beside them may lie what a rotation leaves
// or makes: files whose names begin with that of a key, and the folders of Kubernetes, which begin with two dots.
func keysOnly(dir string, keys []string) bool {
	list, err := os.ReadDir(dir)
	return err == nil && !slices.ContainsFunc(list, func(e os.DirEntry) bool {
		name := filepath.Join(dir, strings.TrimPrefix(e.Name(), "."))
		return !strings.HasPrefix(e.Name(), "..") && !slices.ContainsFunc(keys, func(key string) bool {
			return key == filepath.Join(dir, e.Name()) || !e.IsDir() && strings.HasPrefix(name, key)
		})
	})
}

// tooWide reports whether a folder is a home directory or contains something hidden. Agents may not see all of it just because it
// contains a program or is on PATH.
func tooWide(dir string, hidden []string) bool {
	dir = filepath.Clean(dir)
	return filepath.Dir(dir) == "/home" || dir == operatorHome() ||
		slices.ContainsFunc(hidden, func(h string) bool { return contains(dir, h) })
}

func contains(dir, path string) bool { return path == dir || strings.HasPrefix(path, dir+"/") }

// withoutLinks resolves the links of a path that exists.
func withoutLinks(path string) string {
	if to, err := filepath.EvalSymlinks(path); err == nil {
		return to
	}
	return path
}

// absolute cleans paths, and drops duplicates and what is no absolute path.
func absolute(list []string) []string {
	var out []string
	for _, path := range list {
		if filepath.IsAbs(path) && !slices.Contains(out, filepath.Clean(path)) {
			out = append(out, filepath.Clean(path))
		}
	}
	return out
}

// existing drops missing and duplicate paths.
func existing(list []string) []string {
	return slices.DeleteFunc(absolute(list), func(path string) bool {
		_, err := os.Lstat(path)
		return err != nil
	})
}
