package signals

// Reason says why a task is suspended or waiting.
type Reason string

const (
	ReasonApproval  Reason = "approval"       // the plan waits for a decision
	ReasonBudget    Reason = "budget"         // the money budget is used up
	ReasonTime      Reason = "time"           // the time budget is used up
	ReasonQuota     Reason = "quota"          // the account's quota is used up
	ReasonSpecIssue Reason = "spec_issue"     // the specification is unclear
	ReasonQuestion  Reason = "question"       // a session has a question
	ReasonErrors    Reason = "errors"         // too many errors in a row
	ReasonInfra     Reason = "infrastructure" // infrastructure keeps failing
	ReasonAccess    Reason = "access"         // a key or login was rejected
	ReasonChanged   Reason = "branch_changed" // somebody else moved the branch
	ReasonCommand   Reason = "command"        // a command waits for a person
	ReasonLoop      Reason = "loop"           // an agent has repeated the same calls
	ReasonSteps     Reason = "steps"          // a session has used up its steps
	ReasonSecret    Reason = "secret"         // the work contains a secret and must not be pushed
	ReasonBlocker   Reason = "blocker"        // a blocker that a round has worked on is unchanged
	ReasonRounds    Reason = "rounds"         // the pull request has used up its rounds
	ReasonPush      Reason = "push"           // changes of a push deserve a second look and wait for a person
	ReasonReview    Reason = "review"         // our reviewer does not let the work pass, again and again
	ReasonUnfit     Reason = "unfit_work"     // the work holds what no commit may
)

// Reasons are all reasons. What is said of a reason and done for it is decided at several places, and their tests ask for each of these.
func Reasons() []Reason {
	return []Reason{
		ReasonApproval, ReasonBudget, ReasonTime, ReasonQuota, ReasonSpecIssue, ReasonQuestion, ReasonErrors, ReasonInfra, ReasonAccess,
		ReasonChanged, ReasonCommand, ReasonLoop, ReasonSteps, ReasonSecret, ReasonBlocker, ReasonRounds, ReasonPush, ReasonReview,
		ReasonUnfit,
	}
}
