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

// Limits bound a command. Zero values mean: no time limit, 256 KiB kept, 256 MiB in the file.
type Limits struct {
	Wall time.Duration // time after which the tree is stopped
	Keep int64         // bytes of output kept in the result, half from the start and half from the end
	File int64         // maximum size of Spec.OutputFile in bytes
}

type Result struct {
	Exit
	Output   string        // stdout and stderr in the order they arrived, cut in the middle to Limits.Keep
	Cut      int64         // bytes that Output lacks; LeftOut says so in it
	Duration time.Duration // wall time
	TimedOut bool          // Limits.Wall was reached
}

// Recorded is the exit code as it is written down: -1 for a command that was ended at its limit, since many exit with 0 then.
func (r Result) Recorded() int {
	if r.TimedOut || r.Err != nil {
		return -1
	}
	return r.Code
}

// Bash is the Spec of a shell command: bash without start-up files and without functions from the environment. The
// caller adds Dir, Env and Session.
func Bash(command string) Spec {
	return Spec{Path: "/bin/bash", Args: []string{"--noprofile", "--norc", "-p", "-c", command}}
}

// Run runs a command to its end. A command that fails or times out is a Result; an error means that it could not be
// started, that ctx has ended, or that the output file could not be written.
func Run(ctx context.Context, s Spec, l Limits) (Result, error) {
	begin := time.Now()
	file, err := newOutputFile(s.OutputFile, l.File, s.Filter)
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
	io.Copy(io.MultiWriter(kept, file.in), p.Stdout()) // neither writer fails, and the reader ends with the tree
	r := Result{Exit: p.Wait(), Output: kept.String(), Cut: kept.cut(), Duration: time.Since(begin)}
	err = file.close()
	if ctx.Err() != nil {
		return r, fmt.Errorf("run command: %w", context.Cause(ctx))
	}
	r.TimedOut = p.stopped // whatever the exit code: many programs exit with 0 after TERM
	return r, err
}

// outputFile receives a command's full output up to a limit. It never stops the command: errors such as a full disk are
// reported at the end.
type outputFile struct {
	f    *os.File
	in   io.WriteCloser // the filter, or the file itself
	room int64
	err  error
}

func newOutputFile(path string, limit int64, filter func(io.Writer) io.WriteCloser) (*outputFile, error) {
	o := &outputFile{}
	if o.in = o; path == "" {
		return o, nil
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("create output file: %w", err)
	}
	if limit <= 0 {
		limit = defaultFile
	}
	o.f, o.room = f, limit
	if filter != nil {
		o.in = filter(o)
	}
	return o, nil
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

// Close does nothing: a filter closes its destination, but close has to see the error.
func (o *outputFile) Close() error { return nil }

// close flushes the filter, and then closes the file.
func (o *outputFile) close() error {
	if o.f == nil {
		return nil
	}
	filtered := o.in.Close()
	if err := errors.Join(filtered, o.err, o.f.Close()); err != nil {
		return fmt.Errorf("write output file: %w", err)
	}
	return nil
}
