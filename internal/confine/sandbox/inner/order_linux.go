package inner

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"syscall"
)

// Names and paths shared by the worker and the inner init.
const (
	Name   = "longshift-init" // argv[0] of the process, and the name of its file
	folder = "/run/longshift" // in the box
	Path   = folder + "/" + Name
	Socket = folder + "/socket" // by which the process is told its Order and reports
	Fence  = folder + "/fence"  // a folder that only Landlock keeps the probe from writing

	// Probe as the first argument leaves the process to the probe of the sandbox.
	Probe = "probe"
)

// maxFrame bounds a message in bytes; arguments and environment of a program are far smaller.
const maxFrame = 64 << 20

// Order is what the worker tells the inner init to do. Texts are bytes, because paths and arguments need not be UTF-8.
type Order struct {
	Path, Dir []byte
	Args, Env [][]byte

	Boxed    bool    // verify the namespaces
	Mounts   []Check // expected mounts
	Ports    []int   // to listen on; the listeners are passed to the worker
	Landlock bool
	Writes   [][]byte // paths that Landlock makes writable
	NoPipe   [][]byte // the same, but without named pipes
	Seccomp  bool
	SetID    uint32  // mode bits that programs may not set
	Limits   *Limits // nil for none
}

// Check is an expected mount.
type Check struct {
	Path     []byte
	Dev, Ino uint64 // of the mounted folder or file; zero for a new one
	ReadOnly bool
}

// Report is a message from the inner init.
type Report struct {
	Kind  string // one of the kinds below
	Ports []int  // "listening": one for each descriptor in the message
	Layer Layer  // "failed": the layer that could not be set up, "" when the program could not be started
	Text  string // "failed": what went wrong
	Errno syscall.Errno
	Code  int // "ended"
	Sig   syscall.Signal
}

// Kinds of reports.
const (
	Listening = "listening"
	Started   = "started"
	Failed    = "failed"
	Ended     = "ended"
)

// Frame encodes a message, prefixed by its length.
func Frame(v any) ([]byte, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...), nil
}

// ReadBody decodes the message that follows a frame's header into v.
func ReadBody(r io.Reader, header [4]byte, v any) error {
	size := binary.BigEndian.Uint32(header[:])
	if size > maxFrame {
		return fmt.Errorf("message of %d bytes", size)
	}
	body := make([]byte, size)
	if _, err := io.ReadFull(r, body); err != nil {
		return err
	}
	return json.Unmarshal(body, v)
}

// Bytes are texts as an Order has them.
func Bytes(list []string) [][]byte {
	out := make([][]byte, len(list))
	for i, s := range list {
		out[i] = []byte(s)
	}
	return out
}

func texts(list [][]byte) []string {
	out := make([]string, len(list))
	for i, b := range list {
		out[i] = string(b)
	}
	return out
}
