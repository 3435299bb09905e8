package lfs

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/longshift/longshift/internal/fault"
)

// Remote is a server that speaks the Batch API of Git LFS over http and https.
type Remote struct {
	URL    string // of the git repository, without a login
	Name   string // of the repository, for people
	Login  string // value of the header Authorization, "" for none; no other host ever sees it
	Client *http.Client
}

const (
	mediaType = "application/vnd.git-lfs+json"
	mostBatch = 100     // objects of one request, as git-lfs sends
	mostReply = 4 << 20 // bytes of an answer
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

// object is what the server says of one: without an action there is nothing to do.
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

// Endpoint is where the server of a repository listens.
func (r Remote) endpoint() string {
	return strings.TrimSuffix(strings.TrimSuffix(r.URL, "/"), ".git") + ".git/info/lfs"
}

// Offer implements Server.
func (r Remote) Offer(ctx context.Context, list []Pointer) error {
	return r.each(ctx, "upload", list, func(o object) error { return r.refused(o, "does not take") })
}

// Upload implements Server.
func (r Remote) Upload(ctx context.Context, list []Pointer, from Store) error {
	return r.each(ctx, "upload", list, func(o object) error {
		if err := r.refused(o, "does not take"); err != nil {
			return err
		}
		put, wanted := o.Actions["upload"]
		if !wanted { // it is there already
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

// Download implements Server.
func (r Remote) Download(ctx context.Context, list []Pointer, to Store) error {
	return r.each(ctx, "download", list, func(o object) error {
		get, there := o.Actions["download"]
		if o.Error != nil || !there {
			return nil
		}
		return r.call(ctx, http.MethodGet, get, nil, 0, "", func(body io.Reader) error { return to.Put(o.Pointer, body) })
	})
}

// refused says why the server does not want an object.
func (r Remote) refused(o object, what string) error {
	switch {
	case o.Error == nil:
		return nil
	case o.Error.Code >= 500 || o.Error.Code == http.StatusTooManyRequests:
		return fault.New(fault.Infra, "the LFS server of %s fails for %s: %s", r.Name, o.ID, o.Error.Message)
	}
	return fault.New(fault.Denied, "the LFS server of %s %s %s: %d %s", r.Name, what, o.ID, o.Error.Code, o.Error.Message)
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
			length = -1 // the server asks for it
		}
	}
	return r.call(ctx, http.MethodPut, a, f, length, "application/octet-stream", nil)
}

// each asks for a batch at a time what is to be done with the objects, and does it.
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
			if !slices.Contains(some, o.Pointer) { // a name that we did not ask for would become a path
				continue
			}
			if err := do(o); err != nil {
				return err
			}
		}
	}
	return nil
}

// call makes one request. The login goes along where the address is on the repository's own host and the server has given no other.
func (r Remote) call(ctx context.Context, method string, a action, body io.Reader, length int64, kind string, read func(io.Reader) error) error {
	to, err := url.Parse(a.Href)
	if err != nil || to.Scheme != "http" && to.Scheme != "https" {
		return fault.New(fault.Denied, "the LFS server of %s names an address that can't be called", r.Name)
	}
	req, err := http.NewRequestWithContext(ctx, method, a.Href, body)
	if err != nil {
		return fmt.Errorf("call the LFS server of %s: %w", r.Name, err)
	}
	req.ContentLength = length
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	if kind == mediaType {
		req.Header.Set("Accept", mediaType)
	}
	for name, value := range a.Header {
		req.Header.Set(name, value)
	}
	if own, err := url.Parse(r.URL); err == nil && r.Login != "" && req.Header.Get("Authorization") == "" && sameOrigin(own, to) {
		req.Header.Set("Authorization", r.Login)
	}
	return r.send(req, read)
}

func sameOrigin(a, b *url.URL) bool { return a.Scheme == b.Scheme && strings.EqualFold(a.Host, b.Host) }
