package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

const (
	defaultKeep = 256 << 10
	defaultFile = 256 << 20
)

// Limits bound a command. Zero values mean: no wall limit, 256 KiB kept, 256 MiB in the file.
type Limits struct {
	Wall time.Duration // then the tree is stopped
	Keep int64         // bytes of output kept in the result, half from the start and half from the end
	File int64         // bytes that Spec.OutputFile may take
}

// Result is how a command ended and what it said.
type Result struct {
	Exit
	Output    string        // stdout and stderr in the order they came, cut in the middle to Limits.Keep
	Duration  time.Duration // wall time
	Truncated bool          // Output is not all
	TimedOut  bool          // Limits.Wall was reached
}

// Bash is the Spec of a command line: bash without any start-up file and without functions from the environment.
// The caller adds Dir, Env and Session.
func Bash(command string) Spec {
	return Spec{Path: "/bin/bash", Args: []string{"--noprofile", "--norc", "-p", "-c", command}}
}

// Run runs a command to its end. A command that fails or takes too long is a Result; an error is a fault of the
// surroundings: it could not be started, ctx has ended, the output file could not be written.
func Run(ctx context.Context, s Spec, l Limits) (Result, error) {
	begin := time.Now()
	file, err := newOutputFile(s.OutputFile, l.File)
	if err != nil {
		return Result{}, err
	}
	wall, cancel := context.WithCancel(ctx)
	if l.Wall > 0 {
		wall, cancel = context.WithTimeout(ctx, l.Wall)
	}
	defer cancel()
	s.StdinPipe = false
	p, err := start(wall, s, true)
	if err != nil {
		return Result{}, errors.Join(err, file.close())
	}
	if l.Keep <= 0 {
		l.Keep = defaultKeep
	}
	kept := newCapture(int(l.Keep/2), int(l.Keep-l.Keep/2))
	io.Copy(io.MultiWriter(kept, file), p.Stdout()) // neither writer fails, and the reader ends with the tree
	r := Result{Exit: p.Wait(), Output: kept.String(), Duration: time.Since(begin), Truncated: kept.cut() > 0}
	err = file.close()
	if ctx.Err() != nil {
		return r, fmt.Errorf("run command: %w", context.Cause(ctx))
	}
	r.TimedOut = errors.Is(wall.Err(), context.DeadlineExceeded) && !r.Success()
	return r, err
}

// outputFile takes a command's full output up to a limit. It never stops the command: a full disk is told at the end.
type outputFile struct {
	f    *os.File
	room int64
	err  error
}

func newOutputFile(path string, limit int64) (*outputFile, error) {
	if path == "" {
		return &outputFile{}, nil
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("create output file: %w", err)
	}
	if limit <= 0 {
		limit = defaultFile
	}
	return &outputFile{f: f, room: limit}, nil
}

func (o *outputFile) Write(b []byte) (int, error) {
	if o.f == nil || o.err != nil || o.room <= 0 {
		return len(b), nil
	}
	part := b[:min(int64(len(b)), o.room)]
	o.room -= int64(len(part))
	if _, o.err = o.f.Write(part); o.err == nil && o.room == 0 {
		_, o.err = o.f.WriteString("\n[the output file has reached its limit]\n")
	}
	return len(b), nil
}

func (o *outputFile) close() error {
	if o.f == nil {
		return nil
	}
	if err := errors.Join(o.err, o.f.Close()); err != nil {
		return fmt.Errorf("write output file: %w", err)
	}
	return nil
}
