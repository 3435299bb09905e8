package lfs

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/fault"
)

// Remote is a server with the Batch API of Git LFS over http or https.
type Remote struct {
	URL    string // URL of the git repository, without a login
	Name   string // name of the repository to show to people
	Login  string // value of the Authorization header, "" for none; sent to no other host
	Client *http.Client
}

const (
	mediaType = "application/vnd.git-lfs+json"
	mostBatch = 100     // objects per request, like git-lfs
	mostReply = 4 << 20 // bytes of an answer

	mostFailures = 5 // failed downloads after which the rest is not tried
)

type batch struct {
	Operation string    `json:"operation"`
	Transfers []string  `json:"transfers"`
	HashAlgo  string    `json:"hash_algo"`
	Objects   []Pointer `json:"objects"`
}

type answer struct {
	Transfer string   `json:"transfer"`
	Objects  []object `json:"objects"`
}

// object is the server's answer for one object. Without an action there is nothing to do.
type object struct {
	Pointer
	Actions map[string]action `json:"actions"`
	Error   *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

type action struct {
	Href   string            `json:"href"`
	Header map[string]string `json:"header"`
}

// endpoint is the URL of the repository's LFS server.
func (r Remote) endpoint() string {
	return strings.TrimSuffix(strings.TrimSuffix(r.URL, "/"), ".git") + ".git/info/lfs"
}

func (r Remote) Offer(ctx context.Context, list []Pointer) error {
	return r.each(ctx, "upload", list, r.refused)
}

func (r Remote) Upload(ctx context.Context, list []Pointer, from Store) error {
	return r.each(ctx, "upload", list, func(o object) error {
		if err := r.refused(o); err != nil {
			return err
		}
		put, wanted := o.Actions["upload"]
		if !wanted { // the server already has it
			return nil
		}
		if err := r.put(ctx, put, o.Pointer, from); err != nil {
			return err
		}
		verify, asked := o.Actions["verify"]
		if !asked {
			return nil
		}
		body, err := json.Marshal(o.Pointer)
		if err != nil {
			return err
		}
		return r.call(ctx, http.MethodPost, verify, bytes.NewReader(body), int64(len(body)), mediaType, nil)
	})
}

// Download implements Server. A failed object does not stop the others.
func (r Remote) Download(ctx context.Context, list []Pointer, to Store) error {
	var failed []error
	err := r.each(ctx, "download", list, func(o object) error {
		get, there := o.Actions["download"]
		if o.Error != nil || !there {
			return nil
		}
		err := r.call(ctx, http.MethodGet, get, nil, 0, "", func(body io.Reader) error { return to.Put(o.Pointer, body) })
		if err == nil {
			return nil
		}
		if failed = append(failed, err); len(failed) == mostFailures || ctx.Err() != nil {
			return errors.New("too many fail")
		}
		return nil
	})
	return errors.Join(append(failed, err)...)
}

// refused is the fault for an object that the server rejects.
func (r Remote) refused(o object) error {
	switch {
	case o.Error == nil:
		return nil
	case o.Error.Code >= 500 || o.Error.Code == http.StatusTooManyRequests:
		return fault.New(fault.Infra, "the LFS server of %s fails for %s: %s", r.Name, o.ID, o.Error.Message)
	}
	return fault.New(fault.Denied, "the LFS server of %s does not take %s: %d %s", r.Name, o.ID, o.Error.Code, o.Error.Message)
}

func (r Remote) put(ctx context.Context, a action, p Pointer, from Store) error {
	f, err := from.Open(p)
	if err != nil {
		return fmt.Errorf("read an object of Git LFS: %w", err)
	}
	defer f.Close()
	length := p.Size
	for name, value := range a.Header {
		if strings.EqualFold(name, "Transfer-Encoding") && strings.EqualFold(value, "chunked") {
			length = -1 // the server asks for chunked encoding
		}
	}
	return r.call(ctx, http.MethodPut, a, f, length, "application/octet-stream", nil)
}

// each asks the server in batches what to do with the objects, and calls do for each answer.
func (r Remote) each(ctx context.Context, operation string, list []Pointer, do func(object) error) error {
	for some := range slices.Chunk(list, mostBatch) {
		body, err := json.Marshal(batch{operation, []string{"basic"}, "sha256", some})
		if err != nil {
			return err
		}
		var got answer
		at := action{Href: r.endpoint() + "/objects/batch"}
		err = r.call(ctx, http.MethodPost, at, bytes.NewReader(body), int64(len(body)), mediaType, func(reply io.Reader) error {
			return json.NewDecoder(io.LimitReader(reply, mostReply)).Decode(&got)
		})
		if err != nil {
			return err
		}
		if cmp.Or(got.Transfer, "basic") != "basic" {
			return fault.New(fault.Denied, "the LFS server of %s wants transfers of the kind %q; basic ones are made here", r.Name, got.Transfer)
		}
		for _, o := range got.Objects {
			if !slices.Contains(some, o.Pointer) { // the id becomes a path, so accept only those we asked for
				continue
			}
			if err := do(o); err != nil {
				return err
			}
		}
	}
	return nil
}
