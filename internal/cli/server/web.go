package server

import (
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/longshift/longshift/signals"
)

// Page is a task's page in Temporal Web, "" where there is none.
func (s *Connector) Page(id, run string) string {
	web := s.web
	if c, err := s.config.Read(); web == "" && err == nil {
		web = s.WebOf(c.WebURL, s.address)
	}
	return signals.WebURL(web, s.namespace, id, run)
}

// WebOf is where Temporal Web of a server is: the configured address, or that of a server on this machine as dev starts it; "" for nowhere.
func (s *Connector) WebOf(said, address string) string {
	if WebBeside(address) != "" && s.Env.Get("LONGSHIFT_WEB_URL") == "" {
		return FindWeb(address)
	}
	return said
}

// FindWeb is WebBeside where something listens there, else "": a server may run without Temporal Web, or with one on another port.
func FindWeb(address string) string {
	web := WebBeside(address)
	c, err := net.DialTimeout("tcp", strings.TrimPrefix(web, "http://"), time.Second)
	if err != nil {
		return ""
	}
	_ = c.Close()
	return web
}

// WebBeside is the address of Temporal Web as dev starts it with a server on this machine, "" for one elsewhere.
func WebBeside(address string) string {
	host, text, err := net.SplitHostPort(address)
	port, bad := strconv.Atoi(text)
	if err != nil || bad != nil || host != "localhost" && host != "127.0.0.1" {
		return ""
	}
	return fmt.Sprintf("http://localhost:%d", port+WebAbove)
}

// WebAbove is how far the port of Temporal Web lies above that of the server, by default.
const WebAbove = 1000
