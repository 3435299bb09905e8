package process

import (
	"cmp"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/confine/process/guard"
)

func newOrder(s Spec) (guard.Order, error) {
	o := guard.Order{Path: s.Path, Dir: cmp.Or(s.Dir, "/"), Session: s.Session, Grace: cmp.Or(s.Grace, defaultGrace),
		Args: append([]string{s.Path}, s.Args...), Env: MarkedEnv(s.Env, s.Session)}
	var err error
	if o.Path, err = guard.Find(s.Path, o.Dir, o.Env); err != nil {
		return o, err
	}
	return o, o.Check()
}

// MarkedEnv returns env with the mark of the session instead of any other session's.
func MarkedEnv(env []string, session string) []string {
	out := slices.DeleteFunc(slices.Clone(env), func(v string) bool { return strings.HasPrefix(v, SessionEnv+"=") })
	if session != "" {
		out = append(out, SessionEnv+"="+session)
	}
	return out
}

// guardEnv is the guard's own environment: the session's mark, so that it is found with the rest, and settings for a
// small Go runtime.
func guardEnv(session string) []string {
	return MarkedEnv([]string{"GOMAXPROCS=1"}, session)
}
