// Package lfs speaks Git LFS: pointers, folders of objects, and the servers that objects are fetched from and brought to.
//
// It knows no git and no task: what is to be brought where is decided in workspace. A login goes to the host it is for and to no
// other, whatever a server's answer names.
package lfs

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
)

// MostPointer is how many bytes a pointer has at most: a file of that size and more is content.
const MostPointer = 1023

// Start is how every pointer begins.
const Start = "version https://git-lfs.github.com/spec/"

// Pointer stands in git for an object that is kept elsewhere.
type Pointer struct {
	ID   string `json:"oid"` // SHA-256 of the content, in hexadecimal
	Size int64  `json:"size"`
}

// Text is the file that stands in git.
func (p Pointer) Text() string {
	return fmt.Sprintf("%sv1\noid sha256:%s\nsize %d\n", Start, p.ID, p.Size)
}

var fields = regexp.MustCompile(`(?m)^oid sha256:([0-9a-f]{64})\nsize (\d{1,18})$`)

// Parse reads a pointer. What only begins like one, such as a pointer in conflict, is none.
func Parse(file []byte) (Pointer, bool) {
	if len(file) > MostPointer || !bytes.HasPrefix(file, []byte(Start)) {
		return Pointer{}, false
	}
	list := fields.FindAllSubmatch(file, 2)
	if len(list) != 1 {
		return Pointer{}, false
	}
	size, err := strconv.ParseInt(string(list[0][2]), 10, 64)
	return Pointer{ID: string(list[0][1]), Size: size}, err == nil
}
