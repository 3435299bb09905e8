package workspace

import (
	"bytes"
	"context"
	"strconv"
	"strings"
)

// FileSize is how many lines of a file were changed: 0 for content that is not text.
type FileSize struct {
	Path           string // the new one of a renamed file
	Added, Removed int
}

// Sizes returns the size of the change of each file since a commit ("" for the empty tree).
func (d Diffs) Sizes(ctx context.Context, from string) ([]FileSize, error) {
	var out bytes.Buffer
	if err := d.compare(ctx, from, &out, "--numstat", "-z"); err != nil {
		return nil, err
	}
	return parseSizes(out.String()), nil
}

// parseSizes reads what `git diff --numstat -z` prints: "1\t2\tpath\0", for a renamed file "1\t2\t\0old\0new\0".
func parseSizes(text string) (list []FileSize) {
	for text != "" {
		record, rest, _ := strings.Cut(text, "\x00")
		text = rest
		f := strings.SplitN(record, "\t", 3)
		if len(f) < 3 {
			continue
		}
		path := f[2]
		if path == "" {
			_, text, _ = strings.Cut(text, "\x00")
			path, text, _ = strings.Cut(text, "\x00")
		}
		added, _ := strconv.Atoi(f[0]) // "-" for binary content
		removed, _ := strconv.Atoi(f[1])
		list = append(list, FileSize{path, added, removed})
	}
	return list
}
