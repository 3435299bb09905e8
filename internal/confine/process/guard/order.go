package guard

import (
	"encoding/binary"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"
)

// What a guard is told while its program runs: to stop its tree gracefully, or to kill it. The end of the pipe has it kill the tree, too.
const (
	Stop = 'T'
	Kill = 'K'
)

// Order is what a guard is told to run. It is sent through a pipe, since arguments are visible to other users.
type Order struct {
	Path, Dir, Session string
	Grace              time.Duration
	Args, Env          []string
}

// Check fails when the order can't be sent.
func (o Order) Check() error {
	if strings.ContainsRune(strings.Join(o.fields(), ""), 0) {
		return errors.New("an argument or variable holds a NUL byte")
	}
	return nil
}

func (o Order) fields() []string {
	f := []string{o.Path, o.Dir, o.Session, o.Grace.String(), strconv.Itoa(len(o.Args))}
	return append(append(f, o.Args...), o.Env...)
}

// Send writes the order: its length in eight bytes, then its fields, separated by NUL.
func (o Order) Send(w io.Writer) error {
	body := strings.Join(o.fields(), "\x00")
	_, err := w.Write(append(binary.BigEndian.AppendUint64(nil, uint64(len(body))), body...))
	return err
}

func readOrder(r io.Reader) (Order, error) {
	var size [8]byte
	if _, err := io.ReadFull(r, size[:]); err != nil {
		return Order{}, err
	}
	body := make([]byte, binary.BigEndian.Uint64(size[:]))
	if _, err := io.ReadFull(r, body); err != nil {
		return Order{}, err
	}
	f := strings.Split(string(body), "\x00")
	if len(f) < 5 {
		return Order{}, errors.New("order is cut")
	}
	grace, err1 := time.ParseDuration(f[3])
	n, err2 := strconv.Atoi(f[4])
	if err := errors.Join(err1, err2); err != nil || n < 0 || 5+n > len(f) {
		return Order{}, errors.Join(errors.New("order is malformed"), err)
	}
	return Order{Path: f[0], Dir: f[1], Session: f[2], Grace: grace, Args: f[5 : 5+n], Env: f[5+n:]}, nil
}
