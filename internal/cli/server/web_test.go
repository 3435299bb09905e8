package server

import (
	"testing"

	"github.com/longshift/longshift/internal/cli/environ"
)

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
