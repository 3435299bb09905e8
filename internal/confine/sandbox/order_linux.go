package sandbox

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"syscall"
)

// Names and places that the worker and the inner init agree on.
const (
	initName  = "longshift-init"
	innerDir  = "/run/longshift"
	innerExe  = innerDir + "/" + initName
	innerSock = innerDir + "/socket"

	innerFence = innerDir + "/fence"
)

// maxFrame bounds a message in bytes: arguments and environment of a program are far below.
const maxFrame = 64 << 20

// order is what the inner init is told to do. Texts are bytes, for paths and arguments need not be UTF-8.
type order struct {
	Path, Dir []byte
	Args, Env [][]byte

	Boxed    bool    // namespaces stand: check them
	Mounts   []check // what must be where
	Ports    []int   // listen here and hand the listeners over
	Landlock bool
	Writes   [][]byte // Landlock lets these be written
	NoPipe   [][]byte // and these, but for named pipes
	Seccomp  bool
	SetID    uint32  // bits of a mode that programs may not set
	Limits   *Limits // nil for none
}

// check is a mount as the worker has planned it.
type check struct {
	Path     []byte
	Dev, Ino uint64 // of the folder or file meant; zero for a fresh one
	ReadOnly bool
}

// report is what the inner init says.
type report struct {
	Kind  string // one of the kinds below
	Ports []int  // "listening": one for each descriptor that comes along
	Layer Layer  // "failed": the layer that could not be put up, "" when it was the program itself
	Text  string // "failed": what went wrong
	Errno syscall.Errno
	Code  int // "ended"
	Sig   syscall.Signal
}

const (
	isListening = "listening"
	isStarted   = "started"
	isFailed    = "failed"
	isEnded     = "ended"
)

// frame is a message with its length before it.
func frame(v any) ([]byte, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...), nil
}

// readBody reads what follows a frame's header into v.
func readBody(r io.Reader, header [4]byte, v any) error {
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

func toBytes(list []string) [][]byte {
	out := make([][]byte, len(list))
	for i, s := range list {
		out[i] = []byte(s)
	}
	return out
}

func toStrings(list [][]byte) []string {
	out := make([]string, len(list))
	for i, b := range list {
		out[i] = string(b)
	}
	return out
}
