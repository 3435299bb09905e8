// Package attachment brings the images of tasks to the hosts that work on them: as workflows of the type signals.Attachment, whose input is
// the content. It may not decide who gets an image, nor keep one on disk.
package attachment

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	_ "image/gif"  // a decoder
	_ "image/jpeg" // a decoder
	_ "image/png"  // a decoder
	"net/http"
	"slices"
	"strings"
	"unicode"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"

	"github.com/longshift/longshift/internal/excerpt"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
)

// Of describes the content of an image file. Its kind is told by the content, whatever the name says.
func Of(name string, content []byte) (task.Image, error) {
	kind := http.DetectContentType(content)
	switch {
	case len(content) > task.MaxImageBytes:
		return task.Image{}, TooLarge(name, int64(len(content)))
	case !slices.Contains(task.ImageTypes(), kind):
		return task.Image{}, fault.New(fault.Input, "%s is no image: its content is %s", name, kind).
			WithHint("give a PNG, JPEG, GIF or WebP file")
	}
	size, _, err := image.DecodeConfig(bytes.NewReader(content))
	if err != nil && !errors.Is(err, image.ErrFormat) { // WebP has no decoder here
		return task.Image{}, fault.New(fault.Input, "image %s is broken: %w", name, err).WithHint("see that it opens in a viewer")
	}
	if max(size.Width, size.Height) > mostPixels {
		return task.Image{}, fault.New(fault.Input, "image %s has %d x %d pixels, and models take at most %d on a side", name, size.Width, size.Height, mostPixels).
			WithHint("%s", smaller(name))
	}
	return task.Image{Name: shown(name), Type: kind, Bytes: len(content), Sum: sumOf(content)}, nil
}

// mostPixels is the most that Anthropic's API takes on a side of an image.
const mostPixels = 8000

// TooLarge is the error for an image of more bytes than the server takes.
func TooLarge(name string, bytes int64) error {
	return fault.New(fault.Input, "image %s has %s, and %s is the most", name, task.Size(int(bytes)), task.Size(task.MaxImageBytes)).
		WithHint("%s", smaller(name))
}

// smaller says how an image that is too large becomes smaller, in pixels and in bytes.
func smaller(name string) string {
	return fmt.Sprintf("make it smaller, for example with ImageMagick: convert %q -resize 1600x1600 -quality 80 smaller.jpg", name)
}

// shown is the name without what a terminal or a prompt would obey.
func shown(name string) string {
	clean := strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || r == '\\' {
			return '_'
		}
		return r
	}, name)
	return excerpt.Cut(clean, 100)
}

// Starter is what Offer needs of the client.
type Starter interface {
	SignalWithStartWorkflow(ctx context.Context, id, signal string, arg any, options client.StartWorkflowOptions, workflow any, args ...any) (
		client.WorkflowRun, error)
}

// Offer makes the content of an image available to the task that is started next. The same content is kept once.
func Offer(ctx context.Context, c Starter, i task.Image, content []byte) error {
	_, err := c.SignalWithStartWorkflow(ctx, signals.AttachmentID(i.Sum), signals.UseAttachment, signals.AttachmentUse{},
		client.StartWorkflowOptions{
			TaskQueue: signals.Queue, WorkflowTaskTimeout: signals.WorkflowTaskTimeout, StaticSummary: task.Literally("image " + i.String()),
			WorkflowIDReusePolicy: enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		}, signals.Attachment, content)
	return err
}

// Reader is what Read needs of the client.
type Reader interface {
	GetWorkflowHistory(ctx context.Context, id, run string, wait bool, filter enumspb.HistoryEventFilterType) client.HistoryEventIterator
}

// Read returns the content of an image. It is a fault of kind Denied when the server has it no more, or has something else.
func Read(ctx context.Context, c Reader, i task.Image) ([]byte, error) {
	event, err := c.GetWorkflowHistory(ctx, signals.AttachmentID(i.Sum), "", false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT).Next()
	var missing *serviceerror.NotFound
	switch {
	case errors.As(err, &missing):
		return nil, fault.New(fault.Denied, "the server has image %s no more", i.Name).
			WithHint("start the task anew with `longshift run --image`")
	case err != nil:
		return nil, fault.New(fault.Infra, "read image %s from the server: %w", i.Name, err)
	}
	var content []byte
	input := event.GetWorkflowExecutionStartedEventAttributes().GetInput()
	if err := converter.GetDefaultDataConverter().FromPayloads(input, &content); err != nil {
		return nil, fault.New(fault.Denied, "read image %s: %w", i.Name, err)
	}
	if !Fits(i, content) {
		return nil, fault.New(fault.Denied, "what the server has as image %s is something else", i.Name).
			WithHint("workflow %s was not started by Longshift: terminate it, and start the task anew", signals.AttachmentID(i.Sum))
	}
	return content, nil
}

// Fits tells whether this is the content of the image.
func Fits(i task.Image, content []byte) bool { return sumOf(content) == i.Sum }

func sumOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
