package activities

import (
	"context"
	"os"
	"path/filepath"

	"go.temporal.io/sdk/activity"

	"github.com/longshift/longshift/internal/agent"
	"github.com/longshift/longshift/internal/atomicfile"
	"github.com/longshift/longshift/internal/attachment"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// images keeps the images of tasks in their folders on this host, outside of their workspaces.
type images struct {
	data string
	read func(context.Context, task.Image) ([]byte, error) // from the server
}

func readImage(ctx context.Context, i task.Image) ([]byte, error) {
	return attachment.Read(ctx, activity.GetClient(ctx), i)
}

// of returns the images that a session is given. The first session on a host reads them from the server.
func (im *images) of(ctx context.Context, in SessionInput) ([]agent.Image, error) {
	var all []agent.Image
	for _, i := range in.Prompt.Images {
		content, err := im.content(ctx, in.TaskID, i)
		if err != nil {
			return nil, err
		}
		all = append(all, agent.Image{Type: i.Type, Data: content})
	}
	return all, nil
}

func (im *images) content(ctx context.Context, taskID string, i task.Image) ([]byte, error) {
	folder := filepath.Join(taskDir(im.data, taskID), "images")
	file := filepath.Join(folder, i.Sum)
	if content, err := os.ReadFile(file); err == nil && attachment.Fits(i, content) {
		return content, nil
	}
	content, err := im.read(ctx, i)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fault.New(fault.Infra, "make the folder of images: %w", err)
	}
	if err := atomicfile.Write(file, content); err != nil {
		return nil, fault.New(fault.Infra, "keep image %s: %w", i.Name, err)
	}
	return content, nil
}
