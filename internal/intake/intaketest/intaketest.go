// Package intaketest is the conformance suite for sources of work. It is for tests only, so nothing else may import it, and it knows no
// platform: a leaf's own test simulates the platform, or the people with their files, and describes it to the suite with a Harness.
package intaketest

import (
	"testing"
	"time"

	"github.com/longshift/longshift/internal/intake"
)

// Harness is an empty source, created for each case of the suite. Functions may be nil for features that the source lacks; their cases
// are then skipped, and the log says so.
type Harness struct {
	Source   intake.Source
	Reporter intake.Reporter
	Query    intake.Query
	Unknown  string // a valid key that does not exist
	Token    string // secret of the source, which no error may contain; empty for none

	Single bool // there is only one piece of work, which Add replaces and whose title the source may choose
	Quiet  bool // the source shows only the result of Report, not of Queue and Claim
	Racy   bool // Claim can't separate two tasks that call at the same time

	// Add adds a piece of wanted work after the existing ones and returns its key. The title is one line, the body several lines of
	// Markdown.
	Add func(t *testing.T, title, body string) (key string)
	// Edit changes the body of a piece of work as a person would, claimed or not. Nil if texts can't change.
	Edit func(t *testing.T, key, body string)
	// Remove removes a piece of work as a person would. Nil if nobody can.
	Remove func(t *testing.T, key string)
	// Shown returns what the source shows about a piece of work: the text of one note per task, in any order and with any decoration. Nil
	// if it shows nothing.
	Shown func(t *testing.T, key string) []string
	// Fail makes the next call of any method fail once. Nil if no server is called.
	Fail func(t *testing.T, f Failure)
}

// Failure is the platform's response instead of carrying out a call.
type Failure string

const (
	ServerError Failure = "server error"  // such as 503: Infra
	RateLimit   Failure = "rate limit"    // with the wait Wait: a *fault.Later
	BadToken    Failure = "refused token" // revoked or wrong: Denied
)

// Wait is the wait that a platform requests with RateLimit. It is too long to wait inside a call.
const Wait = 7 * time.Minute

// Patience is how long a call may take before its case fails.
const Patience = 30 * time.Second

// Run checks a source against the contract of intake.Source and intake.Reporter.
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

// cases are in the order in which one would implement a source.
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
