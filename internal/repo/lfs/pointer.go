// Package lfs implements Git LFS: pointers, object stores, and servers to fetch objects from and upload them to.
//
// It knows neither git nor tasks: package workspace decides what to upload. A login is sent only to the host it is for, whatever a
// server's answer names.
package lfs

import (
	"bytes"
	"regexp"
	"strconv"
)

// MostPointer is the largest size of a pointer in bytes. Larger files are content.
const MostPointer = 1023

// Start is the prefix of every pointer.
const Start = "version https://git-lfs.github.com/spec/"

// Pointer is what git stores in place of an LFS object.
type Pointer struct {
	ID   string `json:"oid"` // SHA-256 of the content, in hexadecimal
	Size int64  `json:"size"`
}

var fields = regexp.MustCompile(`(?m)^oid sha256:([0-9a-f]{64})\nsize (\d{1,18})$`)

// Parse parses a pointer. A file that only begins like one, such as a pointer with conflict markers, is not a pointer.
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
