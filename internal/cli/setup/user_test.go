package setup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/longshift/longshift/internal/cli/clitest"
	"github.com/longshift/longshift/internal/cli/environ"
	"github.com/longshift/longshift/internal/cli/term"
	"github.com/longshift/longshift/internal/config"
)

// Answers are looked at beside keys of inherited descriptors, each of which can be read once, and which other settings need.
func TestAnswersBesideADescriptor(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err = w.WriteString("a-key"); err == nil {
		err = w.Close()
	}
	fd, dupErr := unix.Dup(int(r.Fd()))
	if err != nil || dupErr != nil {
		t.Fatal(err, dupErr)
	}
	env := clitest.NewTerminal(t, "LONGSHIFT_WHATSAPP_APP_SECRET_FD="+strconv.Itoa(fd), "LONGSHIFT_WHATSAPP_TOKEN=t",
		"LONGSHIFT_WHATSAPP_PHONE_ID=1").Environ()
	questions, err := (&userSettings{env, environ.NewConfig(env)}).questions()
	if err != nil || len(questions) != len(userAsked) {
		t.Fatalf("%d questions and %v", len(questions), err)
	}
	for _, q := range questions {
		if err := q.check(fmt.Sprint(q.today)); err != nil {
			t.Errorf("%s: %v", q.key.Path, err)
		}
		if err := q.check("\x00"); err == nil {
			t.Errorf("%s takes anything", q.key.Path)
		}
	}
}

// An answer with a login is refused, and not repeated.
func TestAddressWithLoginIsNoAnswer(t *testing.T) {
	for _, answer := range []string{"me:secret@temporal.example.com:7233", "secret@temporal.example.com:7233"} {
		if err := (&userSettings{}).check(temporalAddress)(answer); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", answer, err)
		}
	}
}

// Who could read the settings file and can't any more is said.
func TestClosedFileIsSaid(t *testing.T) {
	c := clitest.NewTerminal(t)
	path, printer := filepath.Join(c.Dir, "config.toml"), term.NewPrinter(c.Streams())
	if err := errors.Join(os.WriteFile(path, nil, 0o644), os.Chmod(path, 0o644)); err != nil {
		t.Fatal(err)
	}
	for _, one := range []struct{ name, says string }{
		{"LONGSHIFT_SLOTS", ""}, {"GH_TOKEN", path + " holds a key or token, so only its owner can read it now\n"}, {"LONGSHIFT_LOG", ""},
	} {
		before := c.Errs.String()
		if err := setInFile(printer, path, config.Setting{Name: one.name, Value: "1"}); err != nil || c.Errs.String() != before+one.says {
			t.Errorf("%s: says %q, %v", one.name, c.Errs.String(), err)
		}
	}
}
