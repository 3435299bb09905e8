package tasks

import (
	"context"
	"time"

	"github.com/longshift/longshift/internal/attachment"
	"github.com/longshift/longshift/internal/cli/server"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// sentWithin is how long an image may take to the server and back.
const sentWithin = time.Minute

// Attacher is what Attach needs of the client.
type Attacher interface {
	attachment.Starter
	attachment.Reader
}

// Attach sends the images of a task that is about to start to the server. contents are by the images' sums; what is not there is read from
// the server, which has the images of an earlier task for a while.
func (t *Tasks) Attach(ctx context.Context, c Attacher, id string, images []task.Image, contents map[string][]byte) error {
	for _, i := range images {
		if err := t.attach(ctx, c, id, i, contents[i.Sum]); err != nil {
			return err
		}
	}
	return nil
}

func (t *Tasks) attach(ctx context.Context, c Attacher, id string, i task.Image, content []byte) error {
	call, cancel := context.WithTimeout(ctx, sentWithin)
	defer cancel()
	if content == nil {
		var err error
		if content, err = attachment.Read(call, c, i); err != nil {
			return err
		}
	}
	err := attachment.Offer(call, c, i, content)
	switch {
	case err == nil:
		return nil
	case server.Unreachable(err):
		return fault.New(fault.Infra, "the Temporal server at %s does not take image %s: %w", t.server.Address(), i, err).
			WithHint("the task was not started; try again when the server answers")
	}
	return t.server.Explain(err, id)
}
