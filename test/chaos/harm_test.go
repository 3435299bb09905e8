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
	does func(s *scene) bool // false when there was nothing to do it to
}

var harms = []harm{
	{"worker", func(s *scene) bool {
		w := s.host()
		w.Kill()
		s.pause(0, 3*time.Second)
		w.Start()
		return true
	}},
	{"agent", func(s *scene) bool { return s.killOne(s.host().Programs()) }},
	{"git", func(s *scene) bool { return s.killOne(gitOf(s.host())) }},
	{"server", func(s *scene) bool {
		s.Server.Kill()
		s.pause(0, 4*time.Second)
		s.Server.Start()
		return true
	}},
	{"host with its disk", func(s *scene) bool {
		at := s.chance.IntN(len(s.hosts))
		s.hosts[at].Kill()
		s.remove(s.hosts[at].Data)
		s.hosts[at] = s.NewWorker(lab.Claude(s.T))
		return true
	}},
	{"stopped for longer than the heartbeat", func(s *scene) bool {
		pid := s.host().Pid()
		if syscall.Kill(pid, syscall.SIGSTOP) != nil {
			return false
		}
		s.pause(3*time.Second, 7*time.Second)
		return syscall.Kill(pid, syscall.SIGCONT) == nil
	}},
	{"asked to end", func(s *scene) bool {
		w := s.host()
		if syscall.Kill(w.Pid(), syscall.SIGTERM) != nil {
			return false
		}
		s.pause(time.Second, 4*time.Second)
		w.Kill()
		w.Start()
		return true
	}},
	{"power", func(s *scene) bool {
		s.Server.Kill()
		for _, w := range s.hosts {
			w.Kill()
		}
		s.pause(0, 3*time.Second)
		s.Server.Start()
		for _, w := range s.hosts {
			w.Start()
		}
		return true
	}},
}

// host is one of the two.
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

// gitOf gives the git processes that a worker has started. They are short, so it looks for a while.
func gitOf(w *lab.Worker) []string {
	parent := fmt.Sprint(w.Pid())
	for end := time.Now().Add(3 * time.Second); time.Now().Before(end); {
		stats, _ := filepath.Glob("/proc/[0-9]*/stat")
		for _, file := range stats {
			text, _ := os.ReadFile(file)
			_, rest, _ := strings.Cut(string(text), " (")
			name, rest, _ := strings.Cut(rest, ") ")
			if f := strings.Fields(rest); strings.HasPrefix(name, "git") && len(f) > 1 && f[1] == parent {
				return []string{filepath.Base(filepath.Dir(file))}
			}
		}
	}
	return nil
}
