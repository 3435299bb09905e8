package transcript

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/longshift/longshift/internal/atomicfile"
)

// Store keeps conversations in a folder. An entry that no conversation leads to is left over from a step that was cut off; it does no harm
// and goes with the folder.
type Store struct{ Dir string }

// ErrMissing is wrapped by the errors for an entry that is not in the store.
var ErrMissing = errors.New("it is not on this host")

// names are those of entries. Whatever else is asked for is no path of a file either.
var names = regexp.MustCompile(`^[0-9a-f]{64}$`)

// Add writes an entry and returns its name. The same entry has the same name and is written once.
func (s Store) Add(e Entry) (name string, err error) {
	data, err := json.Marshal(e)
	if err != nil {
		return "", fmt.Errorf("encode an entry of the conversation: %w", err)
	}
	sum := sha256.Sum256(data)
	name = hex.EncodeToString(sum[:])
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return "", fmt.Errorf("make the folder of the conversation: %w", err)
	}
	if _, err := s.Get(name); err == nil {
		return name, nil
	}
	if err := atomicfile.Write(s.file(name), data); err != nil {
		return "", fmt.Errorf("keep an entry of the conversation: %w", err)
	}
	return name, nil
}

// Get reads an entry. What does not fit its name is an error: a file that was damaged, or changed by somebody.
func (s Store) Get(name string) (e Entry, err error) {
	if !names.MatchString(name) {
		return e, fmt.Errorf("the entry %q of the conversation: that is no name of one", name)
	}
	data, err := os.ReadFile(s.file(name))
	if errors.Is(err, fs.ErrNotExist) {
		return e, fmt.Errorf("the entry %.10s of the conversation: %w", name, ErrMissing)
	}
	if err != nil {
		return e, fmt.Errorf("read the entry %.10s of the conversation: %w", name, err)
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != name {
		return e, fmt.Errorf("the entry %.10s of the conversation is damaged", name)
	}
	if err := json.Unmarshal(data, &e); err != nil {
		return e, fmt.Errorf("read the entry %.10s of the conversation: %w", name, err)
	}
	return e, nil
}

// Load reads the whole conversation that ends with an entry, the first one first.
func (s Store) Load(head string) (*Conversation, error) {
	var list []Entry
	for name := head; name != ""; {
		e, err := s.Get(name)
		if err != nil {
			return nil, err
		}
		list = append(list, e)
		name = e.Before
	}
	c := &Conversation{Head: head}
	for i := len(list) - 1; i >= 0; i-- {
		c.Entries = append(c.Entries, list[i])
	}
	if len(c.Entries) == 0 || c.Entries[0].Start == nil {
		return nil, fmt.Errorf("the conversation %.10s has no beginning", head)
	}
	return c, nil
}

func (s Store) file(name string) string { return filepath.Join(s.Dir, name+".json") }

// After returns the names of the entries that come after one. There are several when an attempt was cut off and made again.
func (s Store) After(name string) (after []string, err error) {
	files, err := os.ReadDir(s.Dir)
	if err != nil {
		return nil, fmt.Errorf("read the folder of the conversation: %w", err)
	}
	for _, f := range files {
		one, isEntry := strings.CutSuffix(f.Name(), ".json")
		if !isEntry || !names.MatchString(one) {
			continue
		}
		e, err := s.Get(one)
		if err != nil {
			return nil, err
		}
		if e.Before == name {
			after = append(after, one)
		}
	}
	return after, nil
}
