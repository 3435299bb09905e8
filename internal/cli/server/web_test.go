package server

import (
	"net"
	"os"
	"strconv"
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

// Where Temporal Web is follows the port of the server, unless somebody has said where it is. Where nothing listens it is not.
func TestWhereTemporalWebIs(t *testing.T) {
	var ports []int // of servers with and without it
	for range 2 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port-WebAbove)
		if len(ports) == 2 {
			_ = l.Close()
		}
	}
	with, without := strconv.Itoa(ports[0]), strconv.Itoa(ports[1])
	beside := "http://localhost:" + strconv.Itoa(ports[0]+WebAbove)
	for _, c := range []struct{ set, address, want string }{
		{"", "127.0.0.1:" + with, beside},
		{"", "localhost:" + with, beside},
		{"", "localhost:" + without, ""},
		{"", "temporal.example.com:7233", "http://said"},
		{"http://said", "localhost:" + without, "http://said"},
	} {
		s := NewConnector(environ.Environ{Vars: []string{"LONGSHIFT_WEB_URL=" + c.set}}, nil)
		if got := s.WebOf("http://said", c.address); got != c.want {
			t.Errorf("%+v: got %s", c, got)
		}
	}
}
