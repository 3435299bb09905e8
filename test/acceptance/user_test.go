package acceptance

import (
	"os"
	"os/user"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/longshift/longshift/internal/fault"
)

// TestAnotherUser has a user without rights do what TestStories does as the one who runs the tests, where that is root: a container
// runs as root, a person does not.
func TestAnotherUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Log("TestStories runs as an ordinary user already")
		return
	}
	t.Parallel()
	nobody := part(t, "a user nobody", func() (string, error) {
		u, err := user.Lookup("nobody")
		if err != nil {
			return "", err
		}
		return u.Uid, nil
	})
	id, err := strconv.ParseUint(nobody, 10, 32)
	must(t, err)
	y := nodeStory()
	d := startDev(t, newPerson(t, &syscall.Credential{Uid: uint32(id), Gid: uint32(id)}), script([]story{y}))
	y.play(t, d)
}

// TestUserWithoutName has somebody do the same of whom the machine knows a number only, as with `docker run --user 12345`: no entry in
// passwd, and no name in the environment. The second time around, longshift dev on the same data folder says once why it can't.
func TestUserWithoutName(t *testing.T) {
	if os.Getuid() != 0 {
		t.Log("only root can be somebody else")
		return
	}
	t.Parallel()
	const number = 54321
	if u, err := user.LookupId(strconv.Itoa(number)); err == nil {
		t.Fatalf("user %d has the name %s", number, u.Username)
	}
	y := nodeStory()
	p := newPerson(t, &syscall.Credential{Uid: number, Gid: number})
	p.nameless = true
	d := startDev(t, p, script([]story{y}))
	y.play(t, d)
	again := p.longshift(t, time.Minute, p.home, d.address, "dev")
	want := regexp.MustCompile(`^using the Temporal server that answers at localhost:\d+\n` +
		`longshift: the worker did not start: the data directory \S+ is in use by another worker, process \d+; end that one first, or .* LONGSHIFT_DATA\n$`)
	if again.code != fault.ExitServer || again.out != "" || !want.MatchString(strings.Join(without(again.err, "model "), "\n")+"\n") {
		t.Errorf("exit code %d\n%s%s", again.code, again.out, again.err)
	}
}

// without gives the lines of a text that do not begin so.
func without(text, begin string) (lines []string) {
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, begin) {
			lines = append(lines, strings.TrimSuffix(line, "\n"))
		}
	}
	return lines
}
