package process

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Orders to a guard: to stop its tree gracefully, or to kill it. The end of the pipe has it kill the tree, too.
const (
	orderStop = 'T'
	orderKill = 'K'
)

// order is what a guard is told to run. It is sent through a pipe, since arguments are visible to other users.
type order struct {
	path, dir, pidFile, session string
	grace                       time.Duration
	args, env                   []string
}

func newOrder(s Spec) (order, error) {
	o := order{path: s.Path, dir: cmp.Or(s.Dir, "/"), pidFile: s.PidFile, session: s.Session, grace: cmp.Or(s.Grace, defaultGrace),
		args: append([]string{s.Path}, s.Args...), env: MarkedEnv(s.Env, s.Session)}
	var err error
	if o.path, err = Find(s.Path, o.dir, o.env); err != nil {
		return o, err
	}
	if strings.ContainsRune(strings.Join(o.fields(), ""), 0) {
		return o, errors.New("an argument or variable holds a NUL byte")
	}
	return o, nil
}

// MarkedEnv returns env with the mark of the session instead of any other session's.
func MarkedEnv(env []string, session string) []string {
	out := slices.DeleteFunc(slices.Clone(env), func(v string) bool { return strings.HasPrefix(v, SessionEnv+"=") })
	if session != "" {
		out = append(out, SessionEnv+"="+session)
	}
	return out
}

// Find returns the path of a program to run in a folder: a bare name is looked up in the PATH of env. It fails when the
// folder does not exist. A program that is not found is an error that matches fs.ErrNotExist and wraps its errno.
func Find(name, dir string, env []string) (string, error) {
	if info, err := os.Stat(dir); err != nil {
		return "", fmt.Errorf("working directory: %w", err)
	} else if !info.IsDir() {
		return "", fmt.Errorf("working directory %s is not a directory", dir)
	}
	if filepath.IsAbs(name) {
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
		for _, dir := range filepath.SplitList(list) {
			file := filepath.Join(dir, name)
			if info, err := os.Stat(file); filepath.IsAbs(dir) && err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
				return file, nil
			}
		}
	}
	return "", fmt.Errorf("%s is not in PATH: %w", name, syscall.ENOENT)
}

func (o order) fields() []string {
	f := []string{o.path, o.dir, o.pidFile, o.session, o.grace.String(), strconv.Itoa(len(o.args))}
	return append(append(f, o.args...), o.env...)
}

// send writes the order: its length in eight bytes, then its fields, separated by NUL.
func (o order) send(w io.Writer) error {
	body := strings.Join(o.fields(), "\x00")
	_, err := w.Write(append(binary.BigEndian.AppendUint64(nil, uint64(len(body))), body...))
	return err
}

func readOrder(r io.Reader) (order, error) {
	var size [8]byte
	if _, err := io.ReadFull(r, size[:]); err != nil {
		return order{}, err
	}
	body := make([]byte, binary.BigEndian.Uint64(size[:]))
	if _, err := io.ReadFull(r, body); err != nil {
		return order{}, err
	}
	f := strings.Split(string(body), "\x00")
	if len(f) < 6 {
		return order{}, errors.New("order is cut")
	}
	grace, err1 := time.ParseDuration(f[4])
	n, err2 := strconv.Atoi(f[5])
	if err := errors.Join(err1, err2); err != nil || n < 0 || 6+n > len(f) {
		return order{}, errors.Join(errors.New("order is malformed"), err)
	}
	return order{path: f[0], dir: f[1], pidFile: f[2], session: f[3], grace: grace, args: f[6 : 6+n], env: f[6+n:]}, nil
}

// guardEnv is the guard's own environment: the session's mark, so that it is found with the rest, and settings for a
// small Go runtime.
func guardEnv(session string) []string {
	return MarkedEnv([]string{"GOMAXPROCS=1"}, session)
}
