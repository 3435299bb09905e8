package integration

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/proto"

	"github.com/longshift/longshift/internal/repo/workspace/gittest"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/test/lab"
)

// TestImages gives a task two images. Planner, implementer and reviewer see them, also on another host after the first one is lost with its
// disk; the task's history has their names and not their content, and a retry keeps them.
func TestImages(t *testing.T) {
	t.Parallel()
	script := lab.Brief()
	script.KeepBodies = true
	s := lab.NewStage(t, script, strings.Replace(lab.QuickSettings, "after: 1s", "mode: required", 1))
	dir := t.TempDir()
	files := map[string][]byte{"shot.png": noise(t, 700, 700), "drawing.txt": noise(t, 20, 20)}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(files["shot.png"]); n < task.MaxImageBytes*9/10 || n > task.MaxImageBytes {
		t.Fatalf("the large image has %d bytes", n)
	}
	ran := s.LongshiftIn(t, dir, nil, "run", lab.Ask, "--repo", lab.Name, "--id", "seen", "--detach", "--image", "shot.png", "--image", "drawing.txt")
	if ran.Code != 0 {
		t.Fatalf("%+v", ran)
	}
	s.Begun = s.Client.GetWorkflow(t.Context(), "seen", "")
	s.Until("the plan waits", func(st signals.Status) bool { return st.Reason == signals.ReasonApproval })
	s.Worker.Kill()
	if err := os.RemoveAll(s.Worker.Data); err != nil {
		t.Fatal(err)
	}
	second := s.NewWorker(lab.Claude(t))
	if _, err := s.Updated(signals.Approve, signals.ApproveRequest{}); err != nil {
		t.Fatal(err)
	}
	end := s.Ended()
	if end.Outcome != task.PullRequest || end.Fence != 2 {
		t.Fatalf("outcome %s with fence %d: %s%s", end.Outcome, end.Fence, end.Detail, lab.Log(end))
	}
	small := []byte(base64.StdEncoding.EncodeToString(files["drawing.txt"]))
	for _, rule := range []string{"plan", "fix", "approve"} {
		for _, c := range s.Heard(rule, 0) {
			if bytes.Count(c.Body, []byte(`"type":"image"`)) != 2 || !bytes.Contains(c.Body, small) || !strings.Contains(c.Prompt, "1 is `shot.png`, 2 is `drawing.txt`") {
				t.Errorf("%s: %d images, prompt %.300s", rule, bytes.Count(c.Body, []byte(`"type":"image"`)), c.Prompt)
			}
		}
	}
	size := 0
	for _, e := range s.History(t, "seen") {
		data, err := proto.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		if size += len(data); bytes.Contains(data, files["drawing.txt"]) || bytes.Contains(data, small) {
			t.Errorf("event %d has an image", e.EventId)
		}
	}
	if size > 256<<10 {
		t.Errorf("the history has %d bytes", size)
	}
	if changed := gittest.Git(t, s.Bare, "diff", "--name-only", "main.."+end.Branch); changed != "calc.go" {
		t.Errorf("changed %q", changed)
	}
	if kept, _ := filepath.Glob(filepath.Join(second.Data, "tasks", "*", "images", "*")); len(kept) != 2 {
		t.Errorf("the second host has kept %q", kept)
	}
	sizes := fmt.Sprintf("shot.png (%s), drawing.txt (%s)", task.Size(len(files["shot.png"])), task.Size(len(files["drawing.txt"])))
	if shown := s.Longshift(t, "show", "seen"); !strings.Contains(shown.Out, sizes) {
		t.Errorf("show does not name %s:\n%s", sizes, shown.Out)
	}
	if body := s.GitHub.Pulls(lab.Name)[0].Body; !strings.Contains(body, sizes) {
		t.Errorf("the pull request does not name %s:\n%s", sizes, body)
	}
	if again := s.Longshift(t, "retry", "seen", "--id", "again", "--detach"); again.Code != 0 {
		t.Fatalf("%+v", again)
	}
	if input := s.History(t, "again")[0].GetWorkflowExecutionStartedEventAttributes().GetInput().GetPayloads()[0].GetData(); !bytes.Contains(input, []byte(`"drawing.txt"`)) {
		t.Errorf("the retry has the input %s", input)
	}
	for _, i := range end.Images {
		if got, want := usesOf(t, s.History(t, signals.AttachmentID(i.Sum))), "offered, used by seen, ended by seen, offered"; !strings.HasPrefix(got, want) {
			t.Errorf("%s was %s, want %s", i.Name, got, want)
		}
	}
	if err := s.Client.TerminateWorkflow(t.Context(), "again", "", "the test is over"); err != nil {
		t.Error(err)
	}
}

// usesOf tells from an attachment's history who has used it.
func usesOf(t *testing.T, events []*historypb.HistoryEvent) string {
	t.Helper()
	var all []string
	for _, e := range events {
		a := e.GetWorkflowExecutionSignaledEventAttributes()
		if a == nil {
			continue
		}
		var u signals.AttachmentUse
		if err := converter.GetDefaultDataConverter().FromPayloads(a.Input, &u); err != nil {
			t.Fatal(err)
		}
		switch {
		case u.Run == "":
			all = append(all, "offered")
		case u.Ended:
			all = append(all, "ended by "+u.Task)
		default:
			all = append(all, "used by "+u.Task)
		}
	}
	return strings.Join(all, ", ")
}

// noise is a PNG that can't be made smaller.
func noise(t *testing.T, width, height int) []byte {
	t.Helper()
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	for i := range m.Pix {
		m.Pix[i] = byte(rand.Uint32())
		if i%4 == 3 {
			m.Pix[i] = 0xff
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
