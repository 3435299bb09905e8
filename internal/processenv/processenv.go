// Package processenv sets variables in the environment of this process, where libraries look for a proxy, certificates or a login.
//
// net/http reads the proxy from the environment once, at its first use. A package of the MCP SDK asks for it while it is initialized, before
// any program can have set one. So the default transport has no proxy until Set was called. Go initializes this package before the SDK's,
// because it needs nothing but the standard library and comes first in the order of import paths.
package processenv

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
)

var complete atomic.Bool

func init() {
	http.DefaultTransport.(*http.Transport).Proxy = func(r *http.Request) (*url.URL, error) {
		if !complete.Load() {
			return nil, nil
		}
		return http.ProxyFromEnvironment(r)
	}
}

// Set sets variables, each as NAME=value. A program calls it before it connects to anything, even when it has none to set.
func Set(variables []string) (err error) {
	for _, v := range variables {
		name, value, _ := strings.Cut(v, "=")
		if wrong := os.Setenv(name, value); wrong != nil {
			err = errors.Join(err, fmt.Errorf("set %s: %w", name, wrong))
		}
	}
	complete.Store(true)
	return err
}
