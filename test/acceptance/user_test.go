package acceptance

import (
	"os"
	"os/user"
	"strconv"
	"syscall"
	"testing"
)

// TestAnotherUser has a user without rights do what TestStories does as the one who runs the tests, where that is root: a container
// runs as root, a person does not.
func TestAnotherUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Log("TestStories runs as an ordinary user already")
		return
	}
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
