package task

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Limits of a task's images. One image is one payload of the server, which takes 2 MiB.
const (
	MaxImages     = 4
	MaxImageBytes = 1536 << 10
)

// Image is a picture that belongs to a task: a screenshot, a drawing. Its content is not part of the input; signals.Attachment has it.
type Image struct {
	Name  string `json:"name"`   // of its file, without a folder
	Type  string `json:"type"`   // media type
	Bytes int    `json:"bytes"`  // size of its content
	Sum   string `json:"sha256"` // of its content, in hex
}

// ImageTypes are the media types of images.
func ImageTypes() []string { return []string{"image/png", "image/jpeg", "image/gif", "image/webp"} }

// String names the image and its size.
func (i Image) String() string { return i.Name + " (" + Size(i.Bytes) + ")" }

// Size is a number of bytes for people.
func Size(bytes int) string {
	switch {
	case bytes < 1<<10:
		return strconv.Itoa(bytes) + " bytes"
	case bytes < 10<<20:
		return strconv.Itoa((bytes+512)>>10) + " KiB"
	}
	return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20))
}

func imageMistakes(all []Image) (list []mistake) {
	if n := len(all); n > MaxImages {
		list = append(list, mistake{field: "images", what: "are " + strconv.Itoa(n), way: "give at most " + strconv.Itoa(MaxImages)})
	}
	for i, image := range all {
		at := "images[" + strconv.Itoa(i) + "]."
		if name := image.Name; name == "" || len(name) > maxName || strings.ContainsFunc(name, unprintable) || strings.ContainsAny(name, `/\`) {
			list = append(list, mistake{field: at + "name", what: "is " + quote(image.Name), way: "give the name of a file, without its folder"})
		}
		if !slices.Contains(ImageTypes(), image.Type) {
			list = append(list, mistake{field: at + "type", what: "is " + quote(image.Type), way: "give " + strings.Join(ImageTypes(), ", ")})
		}
		if image.Bytes < 1 || image.Bytes > MaxImageBytes {
			list = append(list, mistake{field: at + "bytes", what: "is " + strconv.Itoa(image.Bytes),
				way: "give an image of at most " + Size(MaxImageBytes)})
		}
		if len(image.Sum) != 64 || strings.Trim(image.Sum, "0123456789abcdef") != "" {
			list = append(list, mistake{field: at + "sha256", what: "is " + quote(image.Sum), way: "give 64 hexadecimal digits"})
		}
		if slices.ContainsFunc(all[:i], func(other Image) bool { return other.Sum == image.Sum }) {
			list = append(list, mistake{field: at + "sha256", what: "is that of an image before it", way: "give each image once"})
		}
	}
	return list
}

func unprintable(r rune) bool { return !unicode.IsPrint(r) }

// ImageList names images and their sizes on one line.
func ImageList(all []Image) string {
	var names []string
	for _, i := range all {
		names = append(names, i.String())
	}
	return strings.Join(names, ", ")
}
