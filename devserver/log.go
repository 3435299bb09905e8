package devserver

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync/atomic"

	"go.temporal.io/server/common/log"
	"go.temporal.io/server/common/log/tag"
)

// noHTTP begins a warning of what is so by default here, and only for want of a flag that --help describes.
const noHTTP = "HTTP API port has not been set"

// notYet are the errors of whoever asks, while the server starts, for a shard that it is still acquiring, or for a frontend that does not
// answer yet. They ask again.
var notYet = []string{"shard status unknown", "Frontend is not healthy yet"}

// gaveUp ends the error of a call whose caller has hung up.
const gaveUp = "context canceled"

// noTrailer is what the server says of an answer for which nobody waited any longer: it could not add figures of its own to it.
const noTrailer = "unable to add metrics baggage to gRPC trailer"

// serverLog passes the server's log lines to slog.
type serverLog struct {
	to *slog.Logger
	// stopping silences what services say about each other while they go down one by one.
	stopping *atomic.Bool
}

var _ log.Logger = serverLog{}

func (l serverLog) Debug(msg string, tags ...tag.Tag)  { l.write(slog.LevelDebug, msg, tags) }
func (l serverLog) Info(msg string, tags ...tag.Tag)   { l.write(slog.LevelInfo, msg, tags) }
func (l serverLog) Warn(msg string, tags ...tag.Tag)   { l.write(slog.LevelWarn, msg, tags) }
func (l serverLog) Error(msg string, tags ...tag.Tag)  { l.write(slog.LevelError, msg, tags) }
func (l serverLog) DPanic(msg string, tags ...tag.Tag) { l.write(slog.LevelError, msg, tags) }

func (l serverLog) Panic(msg string, tags ...tag.Tag) {
	l.write(slog.LevelError, msg, tags)
	panic(msg)
}

// Fatal ends the process: the server's code after such a call counts on not being reached. The line
// goes to stderr at every log level.
func (l serverLog) Fatal(msg string, tags ...tag.Tag) {
	fmt.Fprint(os.Stderr, "longshift-devserver: ", msg)
	for _, t := range tags {
		fmt.Fprintf(os.Stderr, ", %s: %v", t.Key(), t.Value())
	}
	fmt.Fprintln(os.Stderr)
	os.Exit(1)
}

// momentary tells whether a tag is an error that goes away by itself.
func momentary(t tag.Tag) bool {
	said := fmt.Sprint(t.Value())
	return t.Key() == "error" && (slices.Contains(notYet, said) || strings.HasSuffix(said, gaveUp))
}

func (l serverLog) write(level slog.Level, msg string, tags []tag.Tag) {
	ctx := context.Background()
	if level >= slog.LevelWarn && (l.stopping.Load() || strings.HasPrefix(msg, noHTTP) || msg == noTrailer || slices.ContainsFunc(tags, momentary)) {
		level = slog.LevelInfo
	}
	if !l.to.Enabled(ctx, level) {
		return
	}
	attrs := make([]slog.Attr, len(tags))
	for i, t := range tags {
		attrs[i] = slog.Any(t.Key(), t.Value())
	}
	l.to.LogAttrs(ctx, level, msg, attrs...)
}
