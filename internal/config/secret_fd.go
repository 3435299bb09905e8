package config

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

const (
	mostInherited = 64 << 10         // bytes
	waitInherited = 10 * time.Second // for a pipe whose writer does not finish
)

// readInherited reads a secret from an inherited file descriptor to its end and closes it, so that neither the environment nor a file
// ever holds the secret, and no child inherits it. A descriptor can be read only once: the configuration must be loaded once, before
// anything else is opened or started.
func readInherited(variable, number string) (string, error) {
	fd, err := strconv.Atoi(strings.TrimSpace(number))
	if err != nil || fd < 3 || fd > 1<<16 {
		return "", mistake(variable, number, "not the number of an inherited file descriptor; give 3 or more, as in 3< <(command)")
	}
	value, err := drain(fd, waitInherited)
	switch {
	case errors.Is(err, unix.EBADF):
		return "", mistake(variable, number, "is not open, or was read before; start the program with it, as in 3<file")
	case errors.Is(err, os.ErrDeadlineExceeded):
		return "", mistake(variable, number, fmt.Sprintf("did not end within %s; let the writer close it after the key", waitInherited))
	case err != nil:
		return "", mistake(variable, number, "can't be read: "+err.Error())
	case strings.TrimSpace(value) == "":
		return "", mistake(variable, number, "holds no key; write the key alone into it")
	case len(value) > mostInherited:
		return "", mistake(variable, number, fmt.Sprintf("holds more than %d bytes; give the key alone", mostInherited))
	}
	return value, nil
}

// drain reads and closes a file descriptor, which must be a file, a pipe or a socket.
func drain(fd int, wait time.Duration) (string, error) {
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return "", err
	}
	switch stat.Mode & unix.S_IFMT {
	case unix.S_IFIFO, unix.S_IFSOCK: // may never end, so set a deadline
		if err := unix.SetNonblock(fd, true); err != nil {
			return "", err
		}
	case unix.S_IFREG:
	default:
		return "", errors.New("neither a pipe, a socket nor a file")
	}
	f := os.NewFile(uintptr(fd), "inherited")
	defer f.Close()
	if stat.Mode&unix.S_IFMT != unix.S_IFREG {
		if err := f.SetReadDeadline(time.Now().Add(wait)); err != nil {
			return "", err
		}
	}
	content, err := io.ReadAll(io.LimitReader(f, mostInherited+1))
	if path, ok := errors.AsType[*os.PathError](err); ok {
		err = path.Err // the path is the made-up name of the descriptor
	}
	return string(content), err
}
