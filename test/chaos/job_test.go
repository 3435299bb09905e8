package chaos

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"go.temporal.io/api/workflowservice/v1"

	"github.com/longshift/longshift/internal/forge/forgetest"
	"github.com/longshift/longshift/signals"
	"github.com/longshift/longshift/task"
	"github.com/longshift/longshift/test/lab"
)

// job is one task of a scene.
type job struct {
	n      int
	way    string // how it has come
	agent  string
	id     string // of its workflow; "" while a chat has not brought it about
	issue  int    // that it works on
	short  bool   // its story
	remark bool   // a person will have something to say about its pull request
	said   int64  // the remark
	merged bool   // its pull request, by a person
	end    *signals.Status
	pull   *signals.Status // of what looked after its pull request, when that has ended
}

// marks are in what a task is asked, so that calls of the model can be told apart.
var marks = regexp.MustCompile(`chance-(\d+)\b`)

func (j *job) ask() string {
	if j.short {
		return fmt.Sprintf("%s (chance-%d)", justSum, j.n)
	}
	return fmt.Sprintf("%s (chance-%d)", lab.Ask, j.n)
}

// messages are those of the commits that come of it, without those for remarks.
func (j *job) messages() []string {
	if j.short {
		return lab.Messages[:1]
	}
	return lab.Messages
}

func (j *job) onDisk() bool { return j.way == "local" }

// ways in which tasks come about.
var ways = []string{"github", "github", "local", "local", "issue", "chat"}

// begin begins another task.
func (s *scene) begin() {
	j := &job{n: len(s.jobs), way: ways[s.choice.IntN(len(ways))], agent: []string{s.agent.Name, task.AgentScript}[s.choice.IntN(2)],
		short: s.choice.IntN(3) > 0, remark: s.choice.IntN(2) == 0}
	config := map[string]any{"agent": j.agent}
	switch j.way {
	case "github", "local":
		repository := lab.Name
		if j.onDisk() {
			repository = s.local
		}
		j.id = fmt.Sprintf("chance-%d", j.n)
		s.Begin(s.T, j.id, map[string]any{"repository": repository, "task": j.ask(), "config": config})
	case "issue":
		j.agent = task.AgentScript // as the intake says
		j.issue = s.GitHub.AddIssue(lab.Name, forgetest.Issue{Title: j.ask(), Body: "It is wrong.", Author: "eve"})
		s.GitHub.Label(lab.Name, j.issue, ada, "longshift")
		j.id = signals.IssueTaskID("127.0.0.1", "acme", "calc", j.issue)
		s.Longshift(s.T, "intake", "run", "calc") // where that comes to nothing, the schedule finds it
	case "chat":
		j.agent = s.agent.Name // as the repository says
		s.slack.Command(s.slack.General, adaSlack, "run "+lab.Name+" "+j.ask())
	}
	s.jobs = append(s.jobs, j)
	s.T.Logf("%s: chance-%d begins by %s, with the agent %s; short: %t, remark: %t", time.Now().Format("15:04:05.000"), j.n, j.way, j.agent, j.short, j.remark)
}

// intake has issues become tasks, by the command line.
func (s *scene) intake() {
	s.T.Helper()
	lab.Eventually(s.T, 60*time.Second, "the intake is added", func() bool { // once a worker has registered our attributes
		r := s.Longshift(s.T, "intake", "add", "calc", "--source", "github", "--repo", lab.Name, "--label", "longshift", "--every", "30s",
			"--sessions", "100", "--pause-if-open-pr=false", "-c", "agent=script")
		if r.Code != 0 && !strings.Contains(r.Err, "doctor --fix") {
			s.T.Fatalf("intake add: exit code %d\n%s%s", r.Code, r.Out, r.Err)
		}
		return r.Code == 0
	})
}

// fromChat finds the tasks that a chat has begun: those that nothing else has.
func (s *scene) fromChat() {
	known := map[string]bool{}
	var waiting []*job
	for _, j := range s.jobs {
		known[j.id] = true
		if j.id == "" {
			waiting = append(waiting, j)
		}
	}
	if len(waiting) == 0 {
		return
	}
	r, err := s.Client.ListWorkflow(s.T.Context(), &workflowservice.ListWorkflowExecutionsRequest{Query: "WorkflowType = 'CodingTask'", PageSize: 1000})
	if err != nil {
		return // the server is down
	}
	for _, e := range r.Executions {
		id := e.Execution.WorkflowId
		if known[id] {
			continue
		}
		if now, ok := s.Status(id); ok {
			for _, j := range waiting {
				if j.id == "" && strings.Contains(now.Task, j.ask()) {
					j.id = id
				}
			}
		}
	}
}

// jobOf gives the number of the task that a prompt is about.
func jobOf(prompt string) (n int, ok bool) {
	m := marks.FindStringSubmatch(prompt)
	if m == nil {
		return 0, false
	}
	n, err := strconv.Atoi(m[1])
	return n, err == nil
}
