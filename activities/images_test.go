package activities

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/longshift/longshift/task"
)

// TestImages reads an image from the server once, keeps it beside the workspace, and reads it again when what is kept is something else.
func TestImages(t *testing.T) {
	t.Parallel()
	content := []byte("picture")
	sum := sha256.Sum256(content)
	image := task.Image{Name: "shot.png", Type: "image/png", Bytes: len(content), Sum: hex.EncodeToString(sum[:])}
	reads, gone := 0, false
	im := &images{data: t.TempDir(), read: func(context.Context, task.Image) ([]byte, error) {
		if gone {
			return nil, errors.New("the server has it no more")
		}
		reads++
		return content, nil
	}}
	in := SessionInput{Ref: Ref{TaskID: "t1"}}
	in.Prompt.Images = []task.Image{image}
	seen := func(want int) {
		t.Helper()
		all, err := im.of(t.Context(), in)
		if err != nil || len(all) != 1 || all[0].Type != "image/png" || !bytes.Equal(all[0].Data, content) || reads != want {
			t.Errorf("%d reads, want %d; images %v, %v", reads, want, all, err)
		}
	}
	seen(1)
	seen(1)
	kept := filepath.Join(im.data, "tasks", "t1", "images", image.Sum)
	must(t, os.WriteFile(kept, []byte("torn"), 0o600))
	seen(2)
	must(t, os.Remove(kept))
	gone = true
	if all, err := im.of(t.Context(), in); err == nil {
		t.Errorf("given %v although there is none", all)
	}
	in.Prompt.Images = nil
	if all, err := im.of(t.Context(), in); err != nil || all != nil {
		t.Errorf("a task without images is given %v, %v", all, err)
	}
}
