package config

import "time"

// Role is what a worker process does.
type Role string

// The roles.
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
	Slots     int           `envconfig:"LONGSHIFT_SLOTS" default:"2" help:"agent sessions, setups and checks that run at the same time on this host"`
	Heartbeat time.Duration `envconfig:"LONGSHIFT_HEARTBEAT" default:"30s" help:"silence after which a session's worker counts as gone (duration)"`
	Probe     time.Duration `envconfig:"LONGSHIFT_PROBE" default:"60s" help:"how long a silent host has to answer before another takes over (duration)"`
	Alone     time.Duration `envconfig:"LONGSHIFT_ALONE" default:"15m" help:"how long sessions go on while the Temporal server is out of reach (duration, 0s = they end with the first heartbeat that it misses)"`
}
