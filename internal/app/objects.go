package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/disk"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/internal/objectstore"
	"github.com/longshift/longshift/internal/repo/workspace"
)

// openObjects opens the object store that hosts share; nil when there is none. The caller closes it.
func openObjects(ctx context.Context, cfg config.Config) (*objectstore.Store, error) {
	if cfg.Host.Objects == "" {
		return nil, nil
	}
	s, err := objectstore.Open(ctx, cfg.Host.Objects)
	if err != nil {
		return nil, fault.New(fault.KindOf(err), "LONGSHIFT_OBJECT_STORE: %w", err)
	}
	return s, nil
}

// tryObjects keeps something in the object store and takes it back.
func tryObjects(ctx context.Context, cfg config.Config) error {
	s, err := openObjects(ctx, cfg)
	if err != nil || s == nil {
		return err
	}
	defer s.Close()
	return s.Try(ctx, "longshift-doctor")
}

// handover says how sessions leave this host while they run. The returned function releases it.
func handover(ctx context.Context, cfg config.Config) (activities.Handover, func(), error) {
	h := activities.Handover{Every: cfg.Host.Snapshots}
	if err := noteObjects(cfg); err != nil {
		return h, nil, err
	}
	s, err := openObjects(ctx, cfg)
	if err != nil || s == nil { // a nil store would be an interface that is not nil
		return h, func() {}, err
	}
	h.Objects = s
	return h, func() { _ = s.Close() }, nil
}

// objectsNote lies in the data folder of a worker that has an object store.
const objectsNote = "object-store"

// noteObjects notes in the data folder whether its worker has an object store. Whoever removes what tasks have left in the folder has to
// know, because what they have left in the store goes with it. The note is empty: addresses of stores are the operator's own.
func noteObjects(cfg config.Config) error {
	path := filepath.Join(cfg.Data, objectsNote)
	if cfg.Host.Objects == "" {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fault.New(fault.Infra, "note that this host has no object store: %w", err)
		}
		return nil
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		return disk.Fault(fmt.Errorf("note that this host has an object store: %w", err), cfg.Data)
	}
	return nil
}

// checkObjects refuses to clean a data folder without the object store of its worker: conversations would stay there for ever.
func checkObjects(cfg config.Config) error {
	if _, err := os.Stat(filepath.Join(cfg.Data, objectsNote)); err != nil || cfg.Host.Objects != "" {
		return nil
	}
	return fault.New(fault.Input, "LONGSHIFT_OBJECT_STORE is not set, and the worker of %s has one, where conversations would stay", cfg.Data).
		WithHint("set it to the worker's, with the login that the store wants")
}

// spaces are the workspaces of this host with what their tasks have in the object store.
type spaces struct {
	*workspace.Manager
	config config.Config
}

// Remove removes what a task has left, here and in the object store. Conversations stay that another host may go on with: those of a later
// attempt, and those of a task whose workspace here was removed, which took what there was then with it.
func (s spaces) Remove(ctx context.Context, taskID string, keepRemote bool) error {
	store, err := openObjects(ctx, s.config)
	if err != nil {
		return err
	}
	if store != nil {
		defer store.Close()
		latest, err := s.Latest(ctx, taskID)
		if err == nil && latest {
			err = store.Remove(ctx, activities.ObjectsOf(taskID))
		}
		if err != nil {
			return err
		}
	}
	return s.Manager.Remove(ctx, taskID, keepRemote)
}

// awsSecrets are the logins for S3 in the environment of this process.
func awsSecrets() (values []string) {
	for _, name := range []string{"AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"} {
		if v := os.Getenv(name); v != "" {
			values = append(values, v)
		}
	}
	return values
}
