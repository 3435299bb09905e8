package devserver

import (
	"net"
	"testing"
)

// Two servers that start at the same moment choose their free ports while neither listens.
func TestServersHaveInnerAddressesOfTheirOwn(t *testing.T) {
	seen := map[string]bool{loopback: true}
	for range 20 {
		p, err := choosePorts(Options{IP: loopback, Headless: true})
		if err != nil {
			t.Fatal(err)
		}
		if seen[p.inner] || !net.ParseIP(p.inner).IsLoopback() {
			t.Errorf("inner address %s: want one of loopback that no other server has, seen %v", p.inner, seen)
		}
		seen[p.inner] = true
		hosts := staticHosts(Options{IP: loopback}, p)
		for name, service := range serverConfig(Options{IP: loopback}, p, database{}).Services {
			if name != "frontend" && service.RPC.BindOnIP != p.inner {
				t.Errorf("%s listens on %s, not on %s: %v", name, service.RPC.BindOnIP, p.inner, hosts)
			}
		}
	}
}
