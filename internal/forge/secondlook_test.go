package forge

import (
	"fmt"
	"strings"
	"testing"

	"github.com/longshift/longshift/task"
)

// The second look precedes every word of a model, and follows only the warning about the check. Names are neutralised.
func TestComposeSecondLook(t *testing.T) {
	s := full()
	s.Sensitive = []task.Finding{
		{Kind: "ci", Path: ".github/workflows/x.yml", What: "new; runs on pull_request_target"},
		{Kind: "names", Path: "`@alice` <!-- --> \\u{202e}.go", What: "new, closes #4"},
		{Kind: "locks", What: "and 3 more"},
	}
	_, body := Compose(s)
	want := "> This is a draft until it passes.\n\n" +
		"> **Look at these files first**: they start something by themselves, decide where code comes from, lead elsewhere, can't be read, or take protection away.\n>\n" +
		"> - **ci** `.github/workflows/x.yml`: new; runs on pull_request_target\n" +
		"> - **names** `` `@alice` \\u{202e}.go ``: new, closes `#4`\n" +
		"> - **locks**: and 3 more\n\nThe greeting is"
	if !strings.Contains(body, want) {
		t.Errorf("body:\n%s\n--- want in it:\n%s", body, want)
	}
	for range 500 {
		s.Sensitive = append(s.Sensitive, task.Finding{Kind: strings.Repeat("k", 999), Path: strings.Repeat("@a ", 999), What: strings.Repeat("`", 999)})
	}
	_, body = Compose(s)
	if rows := strings.Count(body, "\n> - "); len(body) >= MaxBody || rows > 61 || !strings.Contains(body, fmt.Sprintf("> - and %d more", 503-(rows-1))) {
		t.Errorf("%d bytes and %d rows for 503 findings", len(body), rows)
	}
}
