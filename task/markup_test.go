package task_test

import (
	"testing"

	"github.com/longshift/longshift/task"
)

func TestLiterally(t *testing.T) {
	in, want := "pay $5 or $6\nfor *it*, <b>_now_</b>", `pay \$5 or \$6 for \*it\*, \<b>\_now\_\</b>`
	if got := task.Literally(in); got != want {
		t.Errorf("Literally(%q) = %q, want %q", in, got, want)
	}
}
