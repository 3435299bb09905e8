package devserver

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"

	persistencespb "go.temporal.io/server/api/persistence/v1"
	"go.temporal.io/server/common/persistence"
	"go.temporal.io/server/common/persistence/serialization"
	"go.temporal.io/server/common/persistence/sql/sqlplugin"
	"go.temporal.io/server/common/primitives"
	"go.temporal.io/server/schema/sqlite"
	"google.golang.org/protobuf/types/known/durationpb"
)

// ensureNamespaces writes the namespaces into the database before the server starts, so that the first
// call a client gets through already finds them with their search attributes. It can be repeated.
func ensureNamespaces(ctx context.Context, db sqlplugin.DB, o Options) error {
	tx, err := db.BeginTx(ctx)
	if err != nil {
		return fmt.Errorf("begin namespaces: %w", err)
	}
	for _, name := range o.Namespaces {
		if err := ensureNamespace(ctx, tx, name, o); err != nil {
			_ = tx.Rollback() // the first error is the one to report
			return err
		}
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("commit namespaces: %w", err)
	}
	return nil
}

func ensureNamespace(ctx context.Context, tx sqlplugin.Tx, name string, o Options) error {
	rows, err := tx.SelectFromNamespace(ctx, sqlplugin.NamespaceFilter{Name: &name})
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return insertNamespace(ctx, tx, name, o)
	case err != nil:
		return fmt.Errorf("look up namespace %q: %w", name, err)
	}
	return updateNamespace(ctx, tx, rows[0], o)
}

func insertNamespace(ctx context.Context, tx sqlplugin.Tx, name string, o Options) error {
	fresh, err := sqlite.NewNamespaceConfig(clusterName, name, false, nil)
	if err != nil {
		return fmt.Errorf("describe namespace %q: %w", name, err)
	}
	fresh.Detail.Config.Retention = durationpb.New(cmp.Or(o.Retention, DefaultRetention))
	row := sqlplugin.NamespaceRow{ID: primitives.MustParseUUID(fresh.Detail.Info.Id), Name: name}
	if err := applyToNamespace(&row, fresh.Detail, o); err != nil {
		return err
	}
	if _, err := tx.InsertIntoNamespace(ctx, &row); err != nil {
		return fmt.Errorf("create namespace %q: %w", name, err)
	}
	return nil
}

func updateNamespace(ctx context.Context, tx sqlplugin.Tx, row sqlplugin.NamespaceRow, o Options) error {
	blob := persistence.NewDataBlob(row.Data, row.DataEncoding)
	detail, err := serialization.NewSerializer().NamespaceDetailFromBlob(blob)
	if err != nil {
		return fmt.Errorf("read namespace %q: %w", row.Name, err)
	}
	if detail.Config == nil {
		detail.Config = &persistencespb.NamespaceConfig{}
	}
	if o.Retention != 0 {
		detail.Config.Retention = durationpb.New(o.Retention)
	}
	if err := applyToNamespace(&row, detail, o); err != nil {
		return err
	}
	if _, err := tx.UpdateNamespace(ctx, &row); err != nil {
		return fmt.Errorf("update namespace %q: %w", row.Name, err)
	}
	return nil
}

// applyToNamespace adds the search attributes and puts the detail into the row.
func applyToNamespace(row *sqlplugin.NamespaceRow, detail *persistencespb.NamespaceDetail, o Options) error {
	fields := maps.Clone(detail.Config.CustomSearchAttributeAliases)
	if fields == nil {
		fields = map[string]string{}
	}
	if err := addSearchAttributes(fields, o.SearchAttributes, row.Name); err != nil {
		return err
	}
	detail.Config.CustomSearchAttributeAliases = fields
	blob, err := serialization.NewSerializer().NamespaceDetailToBlob(detail)
	if err != nil {
		return fmt.Errorf("write namespace %q: %w", row.Name, err)
	}
	row.Data, row.DataEncoding = blob.GetData(), blob.GetEncodingType().String()
	return nil
}
