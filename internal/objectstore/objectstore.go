// Package objectstore keeps what several hosts share and no git remote may hold: in a folder that all of them mount, or in a bucket of S3
// or a server that speaks like it. It knows keys and bytes, and nothing of what they mean.
package objectstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"path/filepath"
	"strings"

	"gocloud.dev/blob"
	"gocloud.dev/blob/fileblob"
	_ "gocloud.dev/blob/s3blob" // registers s3://
	"gocloud.dev/gcerrors"

	"github.com/longshift/longshift/internal/fault"
)

// ErrMissing is wrapped by the error for an object that is not there.
var ErrMissing = errors.New("it is not in the object store")

// Store is an object store. It is safe for concurrent use.
type Store struct {
	bucket *blob.Bucket
	name   string // without parameters
}

func parse(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return nil, errors.New("not a URL; give file:///folder or s3://bucket?region=REGION")
	case u.Scheme == "file" && u.Host == "" && filepath.IsAbs(u.Path) && u.RawQuery == "":
	case u.Scheme == "file":
		return nil, errors.New("not an absolute folder; give file:///folder")
	case u.Scheme != "s3":
		return nil, errors.New("not a kind of store that is known; give file:///folder or s3://bucket?region=REGION")
	case u.Host == "":
		return nil, errors.New("without a bucket; give s3://bucket?region=REGION")
	case u.User != nil || strings.Contains(u.Query().Get("endpoint"), "@"):
		return nil, errors.New("with a login; give it in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
	}
	return u, nil
}

// Open opens a store by its address: file:///folder, or s3://bucket with the parameters region, endpoint, use_path_style and prefix. S3 is
// logged in to as the AWS SDK does it, by the environment or the machine's role. A folder has to be there; a bucket is not asked for yet.
func Open(ctx context.Context, address string) (*Store, error) {
	u, err := parse(address)
	if err != nil {
		return nil, fault.New(fault.Input, "%w", err)
	}
	var bucket *blob.Bucket
	if u.Scheme == "file" {
		bucket, err = fileblob.OpenBucket(u.Path, &fileblob.Options{NoTempDir: true, Metadata: fileblob.MetadataDontWrite, DirFileMode: 0o700})
	} else {
		bucket, err = blob.OpenBucket(ctx, address)
	}
	if u.Scheme == "file" && errors.Is(err, fs.ErrNotExist) { // making it would hide that a mount is missing
		return nil, fault.New(fault.Input, "no such folder: %s", u.Path).WithHint("mount it, or make it")
	}
	if err != nil {
		return nil, fault.New(fault.Input, "open the object store: %w", err)
	}
	s := &Store{bucket: bucket, name: u.Scheme + "://" + u.Host + u.Path}
	if prefix := u.Query().Get("prefix"); prefix != "" {
		s.name += "/" + prefix
	}
	return s, nil
}

// Close frees what the store holds.
func (s *Store) Close() error { return s.bucket.Close() }

// Put writes an object; a reader sees the old one or the whole new one.
func (s *Store) Put(ctx context.Context, key string, data []byte) error {
	err := s.bucket.WriteAll(ctx, key, data, &blob.WriterOptions{ContentType: "application/octet-stream"})
	return s.failed("write to", err)
}

// Get reads an object. One that is not there is ErrMissing.
func (s *Store) Get(ctx context.Context, key string) ([]byte, error) {
	data, err := s.bucket.ReadAll(ctx, key)
	if gcerrors.Code(err) == gcerrors.NotFound {
		return nil, fmt.Errorf("object %q: %w", key, ErrMissing)
	}
	return data, s.failed("read from", err)
}

// Remove removes all objects whose keys begin with the prefix. It is no error if there are none.
func (s *Store) Remove(ctx context.Context, prefix string) error {
	list := s.bucket.List(&blob.ListOptions{Prefix: prefix})
	for {
		o, err := list.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = s.bucket.Delete(ctx, o.Key)
		}
		if err != nil && gcerrors.Code(err) != gcerrors.NotFound { // another host may remove them too
			return s.failed("remove from", err)
		}
	}
}

// Try writes, reads and removes an object, as a host does that keeps something here.
func (s *Store) Try(ctx context.Context, key string) error {
	err := s.Put(ctx, key, []byte("longshift"))
	if err == nil {
		_, err = s.Get(ctx, key)
	}
	if err == nil {
		err = s.Remove(ctx, key)
	}
	return err
}

// failed says which store failed, and tells what a person has to mend from what passes.
func (s *Store) failed(what string, err error) error {
	if err == nil {
		return nil
	}
	kind, hint := fault.Infra, "look whether it is up and can be reached from this host"
	switch gcerrors.Code(err) {
	case gcerrors.PermissionDenied:
		kind, hint = fault.Denied, "look at AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or at what the machine's role may do"
	case gcerrors.NotFound:
		kind, hint = fault.NotFound, "make the bucket, or name another"
	}
	text := strings.Join(strings.Fields(err.Error()), " ")
	return fault.New(kind, "%s the object store %s: %s", what, s.name, text).WithHint("%s", hint)
}
