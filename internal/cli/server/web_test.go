package server

import (
	"os"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/fault"
)

// An address with a login is refused before anything shows it: neither lines nor errors of the connection may hold a password.
func TestAddressWithLoginIsRefused(t *testing.T) {
	for _, address := range []string{"https://me:secret@temporal.example.com:7233", "me:secret@127.0.0.1:7233"} {
		env := environ.Environ{Vars: []string{"TEMPORAL_ADDRESS=" + address, "TEMPORAL_CONFIG_FILE=" + os.DevNull}}
		_, err := NewConnector(env, nil).Options()
		if fault.KindOf(err) != fault.Input || strings.Contains(err.Error(), "secret") || fault.HintOf(err) == "" {
			t.Errorf("%s: got %v", address, err)
		}
	}
}

// Where Temporal Web is follows the port of the server, unless somebody has said where it is.
func TestWhereTemporalWebIs(t *testing.T) {
	for _, c := range []struct{ set, address, want string }{
		{"", "127.0.0.1:7233", "http://localhost:8233"},
		{"", "localhost:7300", "http://localhost:8300"},
		{"", "temporal.example.com:7233", "http://said"},
		{"http://said", "localhost:7300", "http://said"},
	} {
		s := NewConnector(environ.Environ{Vars: []string{"LONGSHIFT_WEB_URL=" + c.set}}, nil)
		if got := s.WebOf("http://said", c.address); got != c.want {
			t.Errorf("%+v: got %s", c, got)
		}
	}
}
