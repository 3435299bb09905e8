package signals

import "testing"

func TestHostOfIdentity(t *testing.T) {
	for identity, want := range map[string]string{
		HostIdentity("build-2-00aa11", 4711): "build-2-00aa11",
		"4711@build-2@":                      "", // the SDK's own, of earlier releases
		"longshift-host:build-2":             "",
		"longshift-host::1":                  "",
	} {
		if host, ok := HostOfIdentity(identity); host != want && ok || ok != (want != "") {
			t.Errorf("%q: got %q, %v", identity, host, ok)
		}
	}
}
