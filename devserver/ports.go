package devserver

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"syscall"
)

// Free ports are drawn from below the range in which the usual systems pick ports for outgoing
// connections, so that a port cannot be lost between choosing it and listening on it.
const (
	lowestFreePort  = 20000
	highestFreePort = 32000
	freePortTries   = 200
)

// ports of one server, 0 for what it does not serve. The last three are for its own use, at inner and on loopback only.
type ports struct {
	frontend, http, metrics, ui int
	inner                       string
	history, matching, worker   int
}

// choosePorts takes the ports the user asked for, and free ones for the rest. It holds every one open
// until all are found, so that none is chosen twice.
func choosePorts(o Options) (ports, error) {
	p := ports{inner: innerIP()}
	var claims claims
	defer claims.release()
	uiPort, uiHint := o.UIPort, "--ui-port"
	if uiPort == 0 && o.Port != 0 {
		uiPort, uiHint = min(o.Port+uiPortOffset, highestPort), "--ui-port, which is --port + 1000 unless given"
	}
	wanted := []struct {
		into *int
		on   bool
		ip   string
		port int
		flag string
	}{
		{&p.frontend, true, o.IP, o.Port, "--port"},
		{&p.ui, !o.Headless, o.UIIP, uiPort, uiHint},
		{&p.http, o.HTTP, o.IP, o.HTTPPort, "--http-port"},
		{&p.metrics, o.Metrics, o.IP, o.MetricsPort, "--metrics-port"},
		{&p.history, true, p.inner, 0, ""},
		{&p.matching, true, p.inner, 0, ""},
		{&p.worker, true, p.inner, 0, ""},
	}
	for _, w := range wanted {
		if !w.on {
			continue
		}
		port, err := claims.take(w.ip, w.port, w.flag)
		if err != nil {
			return ports{}, err
		}
		*w.into = port
	}
	return p, nil
}

// innerIP is an address of loopback that other servers hardly choose: their free ports can't be the ones that this server has chosen and
// does not listen on yet. Systems on which loopback is one address have that one.
func innerIP() string {
	ip := net.IPv4(127, byte(1+rand.IntN(254)), byte(rand.IntN(256)), byte(1+rand.IntN(254))).String()
	l, err := net.Listen("tcp", hostPort(ip, 0))
	if err != nil {
		return loopback
	}
	l.Close()
	return ip
}

// claims are ports held open while others are looked for.
type claims []net.Listener

func (c *claims) release() {
	for _, l := range *c {
		l.Close()
	}
}

func (c *claims) take(ip string, port int, flag string) (int, error) {
	if port != 0 {
		l, err := net.Listen("tcp", hostPort(ip, port))
		if err != nil {
			return 0, explainListen(err, ip, port, flag)
		}
		*c = append(*c, l)
		return port, nil
	}
	var last error
	for range freePortTries {
		port := lowestFreePort + rand.IntN(highestFreePort-lowestFreePort)
		l, err := net.Listen("tcp", hostPort(ip, port))
		if err == nil {
			*c = append(*c, l)
			return port, nil
		}
		last = err
		if errors.Is(err, syscall.EADDRNOTAVAIL) {
			return 0, explainListen(err, ip, port, flag)
		}
	}
	return 0, fmt.Errorf("find a free port on %s between %d and %d: %w", ip, lowestFreePort, highestFreePort, last)
}

// explainListen turns a listen error into one line that names the port and the flag to change.
func explainListen(err error, ip string, port int, flag string) error {
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("port %d on %s is already in use (%s): stop what listens there or choose another port", port, ip, flag)
	case errors.Is(err, syscall.EACCES):
		return fmt.Errorf("port %d on %s may not be opened by this user (%s): choose one above 1023", port, ip, flag)
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return fmt.Errorf("%s is not an address of this machine (--ip or --ui-ip): use 127.0.0.1, or 0.0.0.0 for all", ip)
	}
	return fmt.Errorf("listen on %s (%s): %w", hostPort(ip, port), flag, err)
}

func hostPort(ip string, port int) string { return net.JoinHostPort(ip, strconv.Itoa(port)) }

// reachable is an address by which this machine reaches a listener on ip.
func reachable(ip string) string {
	switch addr := net.ParseIP(ip); {
	case addr == nil || !addr.IsUnspecified():
		return ip
	case addr.To4() != nil:
		return loopback
	}
	return "::1"
}

// displayed is how the address is shown to a person.
func displayed(ip string, port int) string {
	if ip == loopback || ip == "::1" {
		ip = "localhost"
	}
	return hostPort(ip, port)
}
