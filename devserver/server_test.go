package devserver_test

import (
	"context"
	"testing"

	"github.com/longshift/longshift/devserver"
	"go.temporal.io/sdk/client"
)

func TestServerInProcess(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	server, err := devserver.Start(ctx, devserver.Options{Headless: true, Namespaces: []string{"team"}})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Stop()
	c, err := client.DialContext(ctx, client.Options{HostPort: server.Address(), Namespace: "team", Logger: silent{}})
	if err != nil {
		t.Fatal(err)
	}
	listed(ctx, t, c, "", 0)
	c.Close()
	for range 2 {
		if err := server.Stop(); err != nil {
			t.Errorf("stop: %v", err)
		}
	}
	if _, err := client.DialContext(ctx, client.Options{HostPort: server.Address(), Logger: silent{}}); err == nil {
		t.Error("still answers after Stop")
	}
}
