package cli

import (
	"io"
	"os"
	"path/filepath"

	"github.com/longshift/longshift/internal/attachment"
	"github.com/longshift/longshift/internal/cli/command"
	"github.com/longshift/longshift/task"
)

// images reads the image files of a task. Their contents are by their sums.
func (r *inputReader) images(files []string) (all []task.Image, contents map[string][]byte, err error) {
	contents = map[string][]byte{}
	for _, file := range files {
		image, content, err := r.image(file)
		if err != nil {
			return nil, nil, err
		}
		all, contents[image.Sum] = append(all, image), content
	}
	return all, contents, nil
}

func (r *inputReader) image(path string) (task.Image, []byte, error) {
	file, err := os.Open(r.env.Resolve(path))
	if err != nil {
		return task.Image{}, nil, command.FileError("--image", path, err)
	}
	defer file.Close()
	name := filepath.Base(path)
	if info, err := file.Stat(); err == nil && info.Size() > task.MaxImageBytes {
		return task.Image{}, nil, attachment.TooLarge(name, info.Size())
	}
	content, err := io.ReadAll(io.LimitReader(file, task.MaxImageBytes+1)) // it may be a pipe
	if err != nil {
		return task.Image{}, nil, command.FileError("--image", path, err)
	}
	image, err := attachment.Of(name, content)
	return image, content, err
}
