package channeltest

import "testing"

// Conform tests a channel against the contract of its interface.
func Conform(t *testing.T, open func(t *testing.T) Fixture) {
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			f := open(t)
			if !c.needs(f) {
				t.Log("the platform has none of this: nothing to hold")
				return
			}
			c.run(t, f)
		})
	}
}

type check struct {
	name  string
	needs func(f Fixture) bool
	run   func(t *testing.T, f Fixture)
}

func both(a, b func(f Fixture) bool) func(f Fixture) bool {
	return func(f Fixture) bool { return a(f) && b(f) }
}

func fails(f Fixture) bool    { return f.Fail != nil }
func loses(f Fixture) bool    { return f.Lose != nil }
func attaches(f Fixture) bool { return f.Files != nil }
func threads(f Fixture) bool  { return f.Thread != nil }

// cases are ordered as one would implement a channel.
var cases = []check{
	{"post", always, testPost},
	{"literal signs", always, testLiteral},
	{"buttons", always, testButtons},
	{"foot", always, testFoot},
	{"four buttons", always, testTooManyButtons},
	{"until", always, testUntil},
	{"sound", always, testSound},
	{"long text", always, testLong},
	{"huge text", always, testHuge},
	{"code stays whole", always, testCode},
	{"empty text", always, testEmpty},
	{"thread", threads, testThread},
	{"mentions", func(f Fixture) bool { return f.Mentions != nil }, testMentions},
	{"many at once", always, testConcurrent},
	{"file", attaches, testFile},
	{"file in a thread", both(attaches, threads), testFileInThread},
	{"lost answer of a file", both(attaches, loses), testLostFile},
	{"refused file", both(attaches, fails), testRefusedFile},
	{"ended context", always, testEnded},
	{"edit", always, testEdit},
	{"edit buttons", always, testEditButtons},
	{"edit to a long text", always, testEditLong},
	{"edit to nothing", always, testEditEmpty},
	{"edit what is gone", func(f Fixture) bool { return f.Gone.Message != "" }, testEditGone},
	{"server error", fails, testServerError},
	{"rate limit", fails, testRateLimit},
	{"refused token", fails, testBadToken},
	{"unknown room", fails, testNoRoom},
	{"lost answer", loses, testLost},
	{"again without a trace", always, testAgain},
	{"lost answer of an edit", both(loses, edits), testLostEdit},
	{"press", presses, testPress},
	{"press in a thread", both(presses, threads), testPressInThread},
	{"say", says, testSay},
	{"reply", both(says, func(f Fixture) bool { return !f.NoReplies }), testReply},
	{"reply to the first part", both(says, func(f Fixture) bool { return !f.NoReplies && f.Limit > 0 }), testReplyToPart},
	{"say in a thread", both(says, threads), testSayInThread},
	{"aside", both(says, func(f Fixture) bool { return !f.Private }), testAside},
	{"machines", both(says, func(f Fixture) bool { return !f.NoRobots }), testMachines},
	{"answer", both(says, func(f Fixture) bool { return f.Answers != nil }), testAnswer},
	{"form", both(presses, func(f Fixture) bool { return f.Answers != nil }), testForm},
	{"delivered again", both(presses, func(f Fixture) bool { return f.Redeliver != nil }), testRedelivery},
	{"error of a hearer", presses, testHearError},
	{"error leads to redelivery", both(presses, func(f Fixture) bool { return f.Redelivers }), testRefused},
	{"broken connection", both(says, func(f Fixture) bool { return f.Break != nil }), testBreak},
}
