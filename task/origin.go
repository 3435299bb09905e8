package task

import "strconv"

// Origin says which work at a source a task was started for, and which limits it waits for.
type Origin struct {
	Intake   string `json:"intake,omitempty"` // name of the intake
	Source   string `json:"source,omitempty"` // github, linear, backlog or heartbeat
	Key      string `json:"key,omitempty"`    // key of the work at the source
	Sum      string `json:"sum,omitempty"`    // checksum of its text when it was read
	Label    string `json:"label,omitempty"`
	Assignee string `json:"assignee,omitempty"`
	Team     string `json:"team,omitempty"`
	Path     string `json:"path,omitempty"`
	Priority int    `json:"priority,omitempty"`
	Guard    *Guard `json:"guard,omitempty"`
}

// fits reports whether the origin names an existing kind of source and a piece of work.
func (o *Origin) fits() bool {
	switch o.Source {
	case "":
		return true
	case GitHub, "linear", "backlog", "heartbeat":
		return o.Key != ""
	}
	return false
}

// Guard lists the limits that must admit a task before it works. The zero Guard has none.
type Guard struct {
	Sessions      int     `json:"sessions,omitempty"`      // tasks of the repository that may work at once; 0 for no limit
	PauseIfOpenPR bool    `json:"pauseIfOpenPR,omitempty"` // wait while one of our pull requests is open
	DailyCost     float64 `json:"dailyCost,omitempty"`     // US dollars per day (UTC); 0 for no limit
}

// None reports whether there are no limits.
func (g Guard) None() bool { return g == Guard{} }

// And returns the stricter of both guards in every limit.
func (g Guard) And(h Guard) Guard {
	if h.Sessions > 0 && (g.Sessions == 0 || h.Sessions < g.Sessions) {
		g.Sessions = h.Sessions
	}
	if h.DailyCost > 0 && (g.DailyCost == 0 || h.DailyCost < g.DailyCost) {
		g.DailyCost = h.DailyCost
	}
	g.PauseIfOpenPR = g.PauseIfOpenPR || h.PauseIfOpenPR
	return g
}

func (g Guard) mistakes(at string) (all []mistake) {
	if g.Sessions < 0 || g.Sessions > maxSessions {
		way := "give a whole number from 0 (no limit) to " + strconv.Itoa(maxSessions)
		all = append(all, mistake{field: at + "sessions", what: "is " + strconv.Itoa(g.Sessions), way: way})
	}
	if !(g.DailyCost >= 0 && g.DailyCost <= maxDailyCost) {
		way := "give US dollars from 0 (no limit) to " + plain(maxDailyCost)
		all = append(all, mistake{field: at + "dailyCost", what: "is " + plain(g.DailyCost), way: way})
	}
	return all
}

const (
	maxSessions  = 1000
	maxDailyCost = 1_000_000 // US dollars
)
