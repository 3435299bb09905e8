package attachment

import (
	"bytes"
	"context"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"strings"
	"testing"

	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"

	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

func encoded(t *testing.T, encode func(io.Writer, image.Image) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := encode(&b, image.NewGray(image.Rect(0, 0, 3, 2))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestOf tells what a file is by its content.
func TestOf(t *testing.T) {
	asPNG := encoded(t, png.Encode)
	asJPEG := encoded(t, func(w io.Writer, m image.Image) error { return jpeg.Encode(w, m, nil) })
	asGIF := encoded(t, func(w io.Writer, m image.Image) error { return gif.Encode(w, m, nil) })
	webP := []byte("RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00")
	var wide bytes.Buffer
	if err := png.Encode(&wide, image.NewGray(image.Rect(0, 0, 9000, 1))); err != nil {
		t.Fatal(err)
	}
	large := append(bytes.Clone(asPNG), make([]byte, task.MaxImageBytes+1024)...)
	for name, c := range map[string]struct {
		content    []byte
		kind, says string
	}{
		"shot.txt":           {asPNG, "image/png", ""},
		"photo.png":          {asJPEG, "image/jpeg", ""},
		"moves.gif":          {asGIF, "image/gif", ""},
		"small.webp":         {webP, "image/webp", ""},
		"a\x1b[31m\u202eb.c": {asPNG, "image/png", ""},
		"notes.png":          {[]byte("no picture"), "", "notes.png is no image: its content is text/plain"},
		"drawing.svg":        {[]byte("<svg xmlns='http://www.w3.org/2000/svg'/>"), "", "drawing.svg is no image"},
		"empty.png":          {nil, "", "empty.png is no image"},
		"half.png":           {asPNG[:20], "", "image half.png is broken"},
		"wide.png":           {wide.Bytes(), "", "image wide.png has 9000 x 1 pixels, and models take at most 8000 on a side"},
		"large.png":          {large, "", "image large.png has 1537 KiB, and 1536 KiB is the most"},
	} {
		i, err := Of(name, c.content)
		if c.says != "" {
			if fault.KindOf(err) != fault.Input || !strings.Contains(err.Error(), c.says) || fault.HintOf(err) == "" {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil || i.Type != c.kind || i.Bytes != len(c.content) || !Fits(i, c.content) || Fits(i, c.content[1:]) {
			t.Errorf("%s: %+v, %v", name, i, err)
		}
		if strings.ContainsAny(i.Name, "\x1b\u202e") {
			t.Errorf("the name %q can be obeyed", i.Name)
		}
	}
}

// server answers for the history of every workflow with one event or an error.
type server struct {
	event *historypb.HistoryEvent
	err   error
	asked string
}

func (s *server) GetWorkflowHistory(_ context.Context, id, _ string, _ bool, _ enumspb.HistoryEventFilterType) client.HistoryEventIterator {
	s.asked = id
	return s
}

func (s *server) HasNext() bool                          { return true }
func (s *server) Next() (*historypb.HistoryEvent, error) { return s.event, s.err }

// begun is a history that begins with this input.
func begun(t *testing.T, input any) *historypb.HistoryEvent {
	t.Helper()
	payloads, err := converter.GetDefaultDataConverter().ToPayloads(input)
	if err != nil {
		t.Fatal(err)
	}
	return &historypb.HistoryEvent{Attributes: &historypb.HistoryEvent_WorkflowExecutionStartedEventAttributes{
		WorkflowExecutionStartedEventAttributes: &historypb.WorkflowExecutionStartedEventAttributes{Input: payloads}}}
}

// TestRead takes nothing for an image but its very bytes. Only a server that does not answer is asked again.
func TestRead(t *testing.T) {
	content := encoded(t, png.Encode)
	i, err := Of("shot.png", content)
	if err != nil {
		t.Fatal(err)
	}
	s := &server{event: begun(t, content)}
	if got, err := Read(t.Context(), s, i); err != nil || !bytes.Equal(got, content) || s.asked != signals.AttachmentID(i.Sum) {
		t.Errorf("read %d bytes of %s, %v", len(got), s.asked, err)
	}
	for name, c := range map[string]struct {
		server server
		kind   fault.Kind
		says   string
	}{
		"gone":     {server{err: serviceerror.NewNotFound("no such workflow")}, fault.Denied, "the server has image shot.png no more"},
		"silent":   {server{err: serviceerror.NewUnavailable("later")}, fault.Infra, "read image shot.png from the server: later"},
		"other":    {server{event: begun(t, []byte("x"))}, fault.Denied, "what the server has as image shot.png is something else"},
		"no bytes": {server{event: begun(t, map[string]int{"a": 1})}, fault.Denied, "read image shot.png"},
		"no event": {server{event: &historypb.HistoryEvent{}}, fault.Denied, "what the server has as image shot.png is something else"},
	} {
		if got, err := Read(t.Context(), &c.server, i); got != nil || fault.KindOf(err) != c.kind || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %d bytes, %v", name, len(got), err)
		}
	}
}
