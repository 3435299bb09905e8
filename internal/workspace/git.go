package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/longshift/longshift/internal/process"
)

// settings go to every git we start, through the environment, where they win over any file.
func settings() [][2]string {
	return [][2]string{
		{"core.hooksPath", os.DevNull}, {"core.fsmonitor", "false"}, {"core.attributesFile", os.DevNull},
		{"core.excludesFile", os.DevNull}, {"core.quotePath", "false"}, {"core.autocrlf", "false"},
		{"diff.ignoreSubmodules", "all"}, {"submodule.recurse", "false"}, {"diff.renames", "false"},
		{"commit.gpgSign", "false"}, {"push.gpgSign", "false"}, {"log.showSignature", "false"},
		{"gc.auto", "0"}, {"maintenance.auto", "false"}, {"credential.helper", ""},
		{"protocol.ext.allow", "never"}, {"merge.renames", "true"}, {"merge.renormalize", "false"},
		{"merge.conflictStyle", "diff3"}, {"rerere.enabled", "false"},
	}
}

// allowProtocol says which ways to a remote git may take.
const allowProtocol = "GIT_ALLOW_PROTOCOL="

// baseEnv is built, not filtered: no file of the user or the system has a say in what our git does.
func baseEnv(c Config) []string {
	env := []string{
		"PATH=" + lookEnv(c.Environ, "PATH"), "HOME=" + os.DevNull, "LC_ALL=C", "TZ=UTC",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_ATTR_NOSYSTEM=1",
		"GIT_TERMINAL_PROMPT=0", "GIT_NO_REPLACE_OBJECTS=1", "GIT_NO_LAZY_FETCH=1",
		allowProtocol + "file:http:https:ssh", "GIT_EDITOR=:", "GIT_PAGER=cat",
	}
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		env = append(env, "GIT_"+who+"_NAME="+c.Author.Name, "GIT_"+who+"_EMAIL="+c.Author.Email)
	}
	return env
}

func lookEnv(environ []string, name string) string {
	for _, v := range environ {
		if value, ok := strings.CutPrefix(v, name+"="); ok {
			return value
		}
	}
	return ""
}

// configEnv gives settings to git without a file and without arguments.
func configEnv(pairs [][2]string) []string {
	env := []string{"GIT_CONFIG_COUNT=" + strconv.Itoa(len(pairs))}
	for i, p := range pairs {
		n := strconv.Itoa(i)
		env = append(env, "GIT_CONFIG_KEY_"+n+"="+p[0], "GIT_CONFIG_VALUE_"+n+"="+p[1])
	}
	return env
}

// repo is a git directory of ours. With a work tree, commands that need one may be run.
type repo struct {
	m    *Manager
	dir  string // "" for commands that need no repository
	work string
	lfs  [][2]string // settings of the filters that the work tree needs
	env  []string    // added
}

func (r repo) with(env ...string) repo {
	r.env = append(append([]string{}, r.env...), env...)
	return r
}

// environ names every directory explicitly, so that nothing is looked for in the work tree.
func (r repo) environ(extra [][2]string) []string {
	env := append([]string{}, r.m.env...)
	env = append(env, configEnv(slices.Concat(settings(), signing(r.m.config.SigningKey), r.lfs, extra))...)
	if r.dir != "" {
		env = append(env, "GIT_DIR="+r.dir, "GIT_COMMON_DIR="+r.dir)
	}
	if r.work != "" {
		env = append(env, "GIT_WORK_TREE="+r.work)
	}
	return append(env, r.env...)
}

// cwd is the top of the work tree or the git directory: git never starts in a subdirectory, which may be a repository.
func (r repo) cwd() string {
	switch {
	case r.work != "":
		return r.work
	case r.dir != "":
		return r.dir
	}
	return r.m.mirrors()
}

// run gives what git prints, without the last line break.
func (r repo) run(ctx context.Context, args ...string) (string, error) {
	var out bytes.Buffer
	err := r.pipe(ctx, nil, &out, args...)
	return strings.TrimSuffix(out.String(), "\n"), err
}

// feed is run with input.
func (r repo) feed(ctx context.Context, in string, args ...string) (string, error) {
	var out bytes.Buffer
	err := r.pipe(ctx, []byte(in), &out, args...)
	return strings.TrimSuffix(out.String(), "\n"), err
}

// pipe runs git.
func (r repo) pipe(ctx context.Context, in []byte, out io.Writer, args ...string) error {
	err := r.once(ctx, in, out, args)
	if r.unlock(ctx, err) {
		return r.once(ctx, in, out, args)
	}
	return err
}

// unlock removes the lock file that was in a git's way, when a killed git has left it in a folder of ours.
func (r repo) unlock(ctx context.Context, err error) bool {
	var e *gitError
	if !errors.As(err, &e) {
		return false
	}
	path := e.lockFile()
	if path == "" || !r.owns(path) || !breakStale(path, r.work) {
		return false
	}
	r.m.log.WarnContext(ctx, "removed a lock file that a killed git left", "path", path)
	return true
}

func (r repo) once(ctx context.Context, in []byte, out io.Writer, args []string) error {
	s := process.Spec{Path: r.m.git, Args: args, Dir: r.cwd(), Env: r.environ(nil)}
	if in != nil {
		s.Stdin = bytes.NewReader(in)
	}
	exit, stderr, err := process.Direct(ctx, s, out)
	if err != nil {
		return fmt.Errorf("git %s: %w", args[0], err)
	}
	return r.m.judge(args[0], exit, stderr)
}

func (r repo) owns(path string) bool {
	return r.dir != "" && strings.HasPrefix(path, r.dir+string(filepath.Separator))
}
