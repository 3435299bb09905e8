package chaos

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/longshift/longshift/test/lab"
)

// harm is something that happens to the machines of people.
type harm struct {
	kind string
	cuts func() int          // model turns in flight that it may cost
	does func(s *scene) bool // false when there was nothing to do it to
}

func one() int { return 1 }
func all() int { return *atWork }

// disk is what goes with a host: each of its sessions begins anew, and three turns are the most that one of the script has.
func disk() int { return 3 * slots() }

var harms = []harm{
	{"worker", slots, func(s *scene) bool {
		w := s.any()
		w.Kill()
		s.pause(0, 3*time.Second)
		w.Start()
		return true
	}},
	{"agent", one, func(s *scene) bool { return s.killOne(s.host().Programs()) }},
	{"git", one, func(s *scene) bool { return s.killOne(gitOf(s.host())) }},
	{"server", all, func(s *scene) bool {
		s.Server.Kill()
		s.pause(0, 2**heartbeat)
		s.Server.Start()
		return true
	}},
	{"host with its disk", disk, func(s *scene) bool {
		at := s.chance.IntN(len(s.hosts))
		w := s.hosts[at]
		w.Kill()
		lab.Eventually(s.T, 15*time.Second, "the host's disk is gone", func() bool { return os.RemoveAll(w.Data) == nil })
		s.gone = append(s.gone, w)
		role := "all"
		if *split {
			role = "host"
		}
		s.hosts[at] = s.worker(role)
		return true
	}},
	{"stopped for longer than the heartbeat", slots, func(s *scene) bool {
		return s.any().Frozen(func() { s.pause(*heartbeat+time.Second, *heartbeat+4*time.Second) })
	}},
	{"asked to end", slots, func(s *scene) bool {
		w := s.any()
		if syscall.Kill(w.Pid(), syscall.SIGTERM) != nil {
			return false
		}
		s.pause(500*time.Millisecond, 3*time.Second)
		w.Kill()
		w.Start()
		return true
	}},
	{"power", all, func(s *scene) bool {
		s.Server.Kill()
		for _, w := range s.workers() {
			w.Kill()
		}
		s.pause(0, 2*time.Second)
		s.Server.Start()
		for _, w := range s.workers() {
			w.Start()
		}
		return true
	}},
}

// any is one of the workers, host one of those that agents run on.
func (s *scene) any() *lab.Worker  { return s.workers()[s.chance.IntN(len(s.workers()))] }
func (s *scene) host() *lab.Worker { return s.hosts[s.chance.IntN(len(s.hosts))] }

// killOne kills one of the processes, each a number and what else there is to say.
func (s *scene) killOne(processes []string) bool {
	if len(processes) == 0 {
		return false
	}
	number, _, _ := strings.Cut(processes[s.chance.IntN(len(processes))], " ")
	pid, err := strconv.Atoi(number)
	return err == nil && syscall.Kill(pid, syscall.SIGKILL) == nil
}

// gitOf gives the git processes below a worker: also those at a repository on disk that a push talks to. They are short, so it looks for
// a while.
func gitOf(w *lab.Worker) (found []string) {
	for end := time.Now().Add(2 * time.Second); len(found) == 0 && time.Now().Before(end); {
		parents, gits := map[string]string{}, []string{}
		stats, _ := filepath.Glob("/proc/[0-9]*/stat")
		for _, file := range stats {
			text, _ := os.ReadFile(file)
			_, rest, _ := strings.Cut(string(text), " (")
			name, rest, _ := strings.Cut(rest, ") ")
			pid := filepath.Base(filepath.Dir(file))
			if f := strings.Fields(rest); len(f) > 1 {
				parents[pid] = f[1]
			}
			if strings.HasPrefix(name, "git") {
				gits = append(gits, pid)
			}
		}
		for _, pid := range gits {
			for up := parents[pid]; up != ""; up = parents[up] {
				if up == fmt.Sprint(w.Pid()) {
					found = append(found, pid)
				}
			}
		}
	}
	return found
}
