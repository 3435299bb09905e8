package app

import (
	"context"
	"os"

	"github.com/longshift/longshift/activities"
	"github.com/longshift/longshift/internal/config"
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
	s, err := openObjects(ctx, cfg)
	if err != nil || s == nil { // a nil store would be an interface that is not nil
		return h, func() {}, err
	}
	h.Objects = s
	return h, func() { _ = s.Close() }, nil
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
