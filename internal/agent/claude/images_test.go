package claude

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/png"
	"testing"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/agent/agenttest"
	"github.com/longshift/longshift/task"
)

// picture returns a PNG of this width.
func picture(t *testing.T, width int) agent.Image {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, width, 20))); err != nil {
		t.Fatal(err)
	}
	return agent.Image{Type: "image/png", Data: b.Bytes()}
}

// TestImages has the binary send the images of the first prompt to the model, unchanged and in their order. A session that goes on has them
// in its conversation, so they are not sent twice.
func TestImages(t *testing.T) {
	t.Parallel()
	b := newBench(t, task.Planner, func(string) agenttest.Script {
		return agenttest.Script{KeepBodies: true, Rules: []agenttest.Rule{
			{Name: "it", Role: task.Planner, Turns: []agenttest.Turn{{Text: "Seen."}, {Text: "Seen again."}}}}}
	})
	b.session.Prompt = "/look" // stays text also among images
	b.session.Images = []agent.Image{picture(t, 30), picture(t, 40)}
	if o, _ := b.run(t); o.Kind != agent.Completed || o.Text != "Seen." {
		t.Fatalf("outcome %+v", o)
	}
	b.session.Resume, b.session.Prompt = true, "Go on."
	if o, _ := b.run(t); o.Kind != agent.Completed || o.Text != "Seen again." || !o.Resumed {
		t.Fatalf("outcome %+v", o)
	}
	calls := b.model.Calls()
	if len(calls) != 2 {
		t.Fatalf("%d calls", len(calls))
	}
	for i, c := range calls {
		at := bytes.Index(c.Body, []byte("/look"))
		for _, p := range b.session.Images {
			data := []byte(base64.StdEncoding.EncodeToString(p.Data))
			if n := bytes.Count(c.Body, data); n != 1 || bytes.Index(c.Body, data) < at {
				t.Errorf("call %d has an image %d times, or before its prompt", i+1, n)
			}
			at = bytes.Index(c.Body, data)
		}
		if n := bytes.Count(c.Body, []byte(`"type":"image"`)); n != 2 {
			t.Errorf("call %d has %d images", i+1, n)
		}
	}
}
