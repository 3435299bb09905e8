package app

import (
	"strings"
	"testing"

	"github.com/longshift/longshift/activities"
)

// What policy is told of the box, and the way to the registries, follow the layers that the operator does without.
func TestOperatorPolicyKnowsTheBox(t *testing.T) {
	for _, c := range []struct {
		env                       []string
		sandboxed                 bool
		registry, loopback, proxy bool
	}{
		{nil, true, true, true, true},
		{[]string{"LONGSHIFT_REGISTRIES=none"}, true, false, true, false},
		{[]string{"LONGSHIFT_SANDBOX_WITHOUT=network"}, true, false, false, false},
		{[]string{"LONGSHIFT_SANDBOX_WITHOUT=namespaces,network"}, false, false, false, false},
		{[]string{"LONGSHIFT_SANDBOX_WITHOUT=seccomp"}, true, true, true, true},
	} {
		cfg := load(t, c.env...)
		p, err := operatorPolicy(cfg, c.sandboxed)
		must(t, err)
		if p.Registry != c.registry || p.Loopback != c.loopback || p.PrivateTmp != c.sandboxed || p.Namespace != c.sandboxed {
			t.Errorf("%v: %+v", c.env, p)
		}
		env := strings.Join(commandEnv(cfg)(activities.Dirs{Home: "/h", Cache: "/c"}), "\n")
		if strings.Contains(env, "HTTPS_PROXY=") != c.proxy {
			t.Errorf("%v: the environment is\n%s", c.env, env)
		}
		door, err := newEgress(cfg, nil, nil)
		must(t, err)
		if (door != nil) != c.proxy {
			t.Errorf("%v: proxy %v", c.env, door)
		}
		if door != nil {
			must(t, door.Close())
		}
	}
}
