package transcript

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// session is a folder whose entries are a second apart.
type session struct {
	Folder
	t  *testing.T
	at time.Time
}

func newSession(t *testing.T) *session {
	return &session{Folder(t.TempDir()), t, time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)}
}

func (s *session) add(before string, e Entry) string {
	s.t.Helper()
	s.at = s.at.Add(time.Second)
	e.Before, e.At = before, s.at
	return add(s.t, s.Store(), e)
}

// begin begins a conversation, and an ask.
func (s *session) begin() string {
	b := s.add(s.add("", Entry{Start: &Start{}}), Entry{Said: &Said{}})
	s.ask(1, b)
	return b
}

func (s *session) ask(n int, from string) {
	s.write(s.Started(), fmt.Sprintf(`{"n":1,"ask":%d,"begun":%q}`, n, from))
}

// keep keeps what an act has led to; "" for one that was begun and has no result.
func (s *session) keep(from, kind, to string) {
	s.t.Helper()
	text := `{"input":"x","begun":["asked"]}`
	if to != "" {
		text = fmt.Sprintf(`{"input":"x","result":{"head":%q}}`, to)
	}
	s.write(s.Act(from, kind), text)
}

func (s *session) write(file, text string) {
	s.t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
		s.t.Fatal(err)
	}
}

// TestHead: the conversation is where the result of its ask says, or kept acts lead to, whatever lies beside.
func TestHead(t *testing.T) {
	answer, results := Entry{Answer: &Answer{}}, Entry{Results: &Results{}}
	for name, play := range map[string]func(s *session) (want string){
		"it has begun": func(s *session) string { return s.begin() },
		"acts":         func(s *session) string { return s.act(s.act(s.begin(), Ask, answer), Run, results) },
		"a fork of an attempt that was cut off": func(s *session) string {
			a := s.act(s.begin(), Ask, answer)
			s.add(s.add(a, results), answer)
			return a
		},
		"an act that has begun": func(s *session) string {
			a := s.act(s.begin(), Ask, answer)
			s.add(a, results)
			s.keep(a, Run, "")
			return a
		},
		"begun anew": func(s *session) string {
			s.act(s.begin(), Ask, answer)
			return s.act(s.begin(), Ask, answer)
		},
		"ended by an answer that is not kept as an act": func(s *session) string {
			refusal := s.add(s.begin(), answer)
			s.write(s.Result(1), fmt.Sprintf(`{"kind":"errored","head":%q}`, refusal))
			return refusal
		},
		"another ask goes on": func(s *session) string {
			a := s.act(s.begin(), Ask, answer)
			s.write(s.Result(1), fmt.Sprintf(`{"kind":"quota","head":%q}`, a))
			s.ask(2, a)
			return s.act(a, Run, results)
		},
		"an answer without content": func(s *session) string { b := s.begin(); s.keep(b, Ask, b); return b },
	} {
		s := newSession(t)
		want := play(s)
		if got, err := s.Head(); got != want || err != nil {
			t.Errorf("%s: %.10s, %v, want %.10s", name, got, err, want)
		}
	}
}

// act adds an entry as the kept result of an act.
func (s *session) act(from, kind string, e Entry) string {
	s.t.Helper()
	to := s.add(from, e)
	s.keep(from, kind, to)
	return to
}

// TestDamagedFolder: what can't be read is an error that names it.
func TestDamagedFolder(t *testing.T) {
	for want, play := range map[string]func(s *session){
		"started.json is damaged":  func(s *session) { s.write(s.Started(), "{") },
		"-ask.json is damaged":     func(s *session) { s.write(s.Act(s.begin(), Ask), "{") },
		"result-1.json is damaged": func(s *session) { s.begin(); s.write(s.Result(1), "{") },
		"started.json: no such":    func(*session) {},
	} {
		s := newSession(t)
		play(s)
		if got, err := s.Head(); err == nil || !strings.Contains(err.Error(), want) || errors.Is(err, fs.ErrNotExist) != strings.Contains(want, "no such") {
			t.Errorf("%s: %q, %v", want, got, err)
		}
	}
}
