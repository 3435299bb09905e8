package devserver

import (
	"strings"
	"testing"

	"go.temporal.io/server/common/dynamicconfig"
)

// A key that the server renamed or dropped would silently do nothing.
func TestDefaultsAreKnownToTheServer(t *testing.T) {
	client, err := DynamicConfig(nil).client()
	if err != nil {
		t.Fatal(err)
	}
	for key := range defaultDynamicConfig() {
		if got := client.GetValue(dynamicconfig.MakeKey(key)); len(got) != 1 || got[0].Value == nil {
			t.Errorf("%s = %v", key, got)
		}
	}
}

func TestUserValuesWin(t *testing.T) {
	user, warnings, err := ParseDynamicConfig(map[string]string{
		"FRONTEND.workercommandsenabled":      "false",
		"history.transferProcessorMaxPollRPS": " 7 ",
		"matching.backlogNegligibleAge":       `"3s"`,
	})
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	client, err := user.client()
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]any{
		"frontend.WorkerCommandsEnabled":                 false,
		"history.transferProcessorMaxPollRPS":            7,
		"matching.backlogNegligibleAge":                  "3s",
		"system.forceSearchAttributesCacheRefreshOnRead": true,
	} {
		if got := client.GetValue(dynamicconfig.MakeKey(key)); len(got) != 1 || got[0].Value != want {
			t.Errorf("%s = %v, want %v", key, got, want)
		}
	}
}

func TestUnknownKeyWarns(t *testing.T) {
	_, warnings, err := ParseDynamicConfig(map[string]string{"history.noSuchThing": "1"})
	if err != nil || len(warnings) != 1 || !strings.Contains(warnings[0], "history.noSuchThing") {
		t.Errorf("warnings %q, error %v", warnings, err)
	}
}
