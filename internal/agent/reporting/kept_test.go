package reporting

import (
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/longshift/longshift/task"
)

// TestUnwritable accepts nothing that it can't write down.
func TestUnwritable(t *testing.T) {
	s, err := Open(Spec{Role: task.Planner, File: filepath.Join(t.TempDir(), "reports.jsonl"), Hide: strings.ToUpper, Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.Begin(About{Accepted: func(r Report) { t.Errorf("accepted %q", r.Text) }})
	s.kept.file.Close()
	note := Call{Tool: "note_save", Arguments: []byte(`{"text":"x"}`)}
	for range 2 { // the second is no repetition of something that was accepted
		if _, err := s.take(Tools(task.Planner)[3], note); err == nil || !strings.Contains(err.Error(), "can't be written down") {
			t.Errorf("the answer: %v", err)
		}
	}
}
