package process

import (
	"os"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/confine/process/tree"
)

// A program whose guard is killed before it could say that the program runs may have run: nobody may take it for one that has not.
func TestReportsOfAGuard(t *testing.T) {
	for said, want := range map[string]struct {
		program tree.Process
		fails   string
	}{
		"starting\nstarted 12 34\n":       {tree.Process{Pid: 12, Start: 34}, ""},
		"starting\n":                      {},
		"starting\nfailed 2 run /bin/x\n": {tree.Process{}, "run /bin/x: no such file or directory"},
		"":                                {tree.Process{}, "guard ended before the program ran"},
	} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		w.WriteString(said)
		w.Close()
		s := newStatusReader(r)
		p, err := s.started()
		if p != want.program || (err != nil) != (want.fails != "") || err != nil && !strings.Contains(err.Error(), want.fails) {
			t.Errorf("%q: %+v, %v", said, p, err)
		}
		if _, err := s.exit(); err == nil {
			t.Errorf("%q: it has ended by itself", said)
		}
		s.close()
	}
}
