package config

import "time"

type Role string

const (
	RoleAll     Role = "all"
	RoleControl Role = "control"
	RoleHost    Role = "host"
	RoleListen  Role = "listen"
)

// Control tells whether the process runs workflows and activities on forges and channels.
func (r Role) Control() bool { return r == RoleAll || r == RoleControl }

// Host tells whether the process runs agents.
func (r Role) Host() bool { return r == RoleAll || r == RoleHost }

// Listen tells whether the process receives events from chats and forges.
func (r Role) Listen() bool { return r != RoleHost }

// Host says how much a host does at a time, and when it counts as gone.
type Host struct {
	Slots     int           `envconfig:"LONGSHIFT_SLOTS" default:"2"`
	Heartbeat time.Duration `envconfig:"LONGSHIFT_HEARTBEAT" default:"30s"`
	Probe     time.Duration `envconfig:"LONGSHIFT_PROBE" default:"60s"`
	Alone     time.Duration `envconfig:"LONGSHIFT_ALONE" default:"15m"`
}
