// Package intaketest holds the suite that every source of work must pass. It is for tests only; nothing outside of them may import it,
// and it knows no platform: a leaf's own test plays the platform, or the people with their files, and tells the suite through a Harness
// what stands there.
package intaketest

import (
	"testing"
	"time"

	"github.com/longshift/longshift/internal/intake"
)

// Harness is a source without any work, made new for each case of the suite. Functions that may be nil say what the source cannot do;
// their cases are then not run, and the log says so.
type Harness struct {
	Source   intake.Source
	Reporter intake.Reporter
	Query    intake.Query
	Unknown  string // a key in the source's own form that names nothing
	Token    string // the secret that the source holds; empty for none. It must stand in no error

	Single bool // there is at most one piece of work, which Add replaces, and its title may be the source's own
	Quiet  bool // only Report shows something; Queue and Claim are not seen at the source
	Racy   bool // Claim cannot keep two tasks apart that call in the same moment

	// Add puts a piece of work there that is asked for, to be worked on after those before it, and gives its key. The title is one line,
	// the body some lines of Markdown.
	Add func(t *testing.T, title, body string) (key string)
	// Edit lets a person change the body of a piece of work, claimed or not. Nil where texts stay.
	Edit func(t *testing.T, key, body string)
	// Remove takes a piece of work away, as a person does. Nil where nobody can.
	Remove func(t *testing.T, key string)
	// Shown gives what stands at the source about a piece of work: the text of one note per task, in any order and with any decoration.
	// Nil where nothing is shown.
	Shown func(t *testing.T, key string) []string
	// Fail lets the next call of any method fail, once. Nil where no server is called.
	Fail func(t *testing.T, f Failure)
}

// Failure is what the platform answers in place of carrying out a call.
type Failure string

// The failures.
const (
	ServerError Failure = "server error"  // such as 503: Infra
	RateLimit   Failure = "rate limit"    // with the wait Wait: a *fault.Later
	BadToken    Failure = "refused token" // revoked or wrong: Denied
)

// Wait is what a platform asks for with RateLimit. It is too long to sit out in a call.
const Wait = 7 * time.Minute

// Patience is how long a call may take before its case fails.
const Patience = 30 * time.Second

// Run holds a source against the contract of intake.Source and intake.Reporter.
func Run(t *testing.T, open func(t *testing.T) Harness) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			h := open(t)
			if !c.needs(h) {
				t.Log("this source cannot do what the case needs: the promise is not checked")
				return
			}
			c.run(t, h)
		})
	}
}

type check struct {
	name  string
	needs func(h Harness) bool
	run   func(t *testing.T, h Harness)
}

func always(Harness) bool    { return true }
func several(h Harness) bool { return !h.Single }
func edits(h Harness) bool   { return h.Edit != nil }
func removes(h Harness) bool { return h.Remove != nil }
func shows(h Harness) bool   { return h.Shown != nil }
func fails(h Harness) bool   { return h.Fail != nil }

// cases are in the order in which a leaf comes to life.
var cases = []check{
	{"nothing", always, testNothing},
	{"list", always, testList},
	{"order", several, testOrder},
	{"stop", always, testStop},
	{"ids", always, testIDs},
	{"read", always, testRead},
	{"read while listing", always, testReadWhileListing},
	{"unknown", always, testUnknown},
	{"removed", removes, testRemoved},
	{"edited", edits, testEdited},
	{"queue", always, testQueue},
	{"claim", always, testClaim},
	{"claim by another", always, testClaimByAnother},
	{"claim at once", func(h Harness) bool { return !h.Racy }, testClaimAtOnce},
	{"claim of one leaves the others", several, testClaimOfOne},
	{"claim what is removed", removes, testClaimRemoved},
	{"claim an old text", edits, testClaimOldText},
	{"report", always, testReport},
	{"report without a claim", always, testReportWithoutClaim},
	{"two tasks", shows, testTwoTasks},
	{"hostile text", always, testHostileText},
	{"ended context", always, testEnded},
	{"foreign keys", always, testForeignKeys},
	{"server error", fails, testServerError},
	{"rate limit", fails, testRateLimit},
	{"refused token", fails, testBadToken},
}
