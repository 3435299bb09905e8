package transcript

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
)

// Export returns the entries after one ("" for all) up to another, as lines that Import reads on another host. It fails when the first is
// not part of the conversation.
func (s Store) Export(after, head string) ([]byte, error) {
	var list [][]byte
	for name := head; name != after; {
		if name == "" {
			return nil, fmt.Errorf("the entry %.10s is not part of the conversation %.10s", after, head)
		}
		e, err := s.Get(name)
		if err != nil {
			return nil, err
		}
		data, err := os.ReadFile(s.file(name))
		if err != nil {
			return nil, fmt.Errorf("read the entry %.10s of the conversation: %w", name, err)
		}
		list, name = append(list, data), e.Before
	}
	var out bytes.Buffer
	for i := len(list) - 1; i >= 0; i-- {
		out.Write(list[i])
		out.WriteByte('\n')
	}
	return out.Bytes(), nil
}

// Import adds what Export has returned. before is the entry that it goes on from, "" when it has the beginning. What does not end with
// head is refused, so nothing that was damaged on its way becomes a conversation.
func (s Store) Import(head string, exported []byte) (before string, err error) {
	name := ""
	for n, line := range bytes.Split(bytes.TrimSuffix(exported, []byte("\n")), []byte("\n")) {
		var e Entry
		if err := json.Unmarshal(line, &e); err != nil {
			return "", fmt.Errorf("read an entry of the conversation %.10s: %w", head, err)
		}
		if n == 0 {
			before = e.Before
		} else if e.Before != name {
			return "", fmt.Errorf("the conversation %.10s has a gap", head)
		}
		if name, err = s.Add(e); err != nil {
			return "", err
		}
	}
	if name != head {
		return "", fmt.Errorf("the conversation %.10s was damaged on its way", head)
	}
	return before, nil
}
