package reach

import (
	"testing"

	"go.temporal.io/sdk/client"
)

func TestAddressAndNamespace(t *testing.T) {
	t.Parallel()
	if a, n := Address(client.Options{}), Namespace(client.Options{}); a != "localhost:7233" || n != "default" {
		t.Errorf("got %s, %s", a, n)
	}
	if a, n := Address(client.Options{HostPort: "t:1"}), Namespace(client.Options{Namespace: "n"}); a != "t:1" || n != "n" {
		t.Errorf("got %s, %s", a, n)
	}
}
