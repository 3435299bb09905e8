package app

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/longshift/longshift/internal/config"
	"github.com/longshift/longshift/internal/fault"
	"github.com/longshift/longshift/task"
)

// hostIDEnv makes the test binary print the host id of a data directory and end.
const hostIDEnv = "APP_TEST_HOST_ID"

// endingEnv makes the test binary wait for a signal, print which one has ended it, and end.
const endingEnv = "APP_TEST_ENDING"

func TestMain(m *testing.M) {
	if data := os.Getenv(hostIDEnv); data != "" {
		id, err := hostID(data)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Print(id)
		os.Exit(0)
	}
	if os.Getenv(endingEnv) != "" {
		ctx, _ := EndedBySignal()
		fmt.Println("waiting")
		<-ctx.Done()
		fmt.Println(context.Cause(ctx))
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// token is the forge's in these tests.
const token = "ghp_0123456789abcdefghijklmnop"

// lookup is an environment of these pairs alone.
func lookup(pairs ...string) config.Lookup {
	values := map[string]string{"HOME": "/home/ann"}
	for _, pair := range pairs {
		name, value, _ := strings.Cut(pair, "=")
		values[name] = value
	}
	return func(name string) (string, bool) { v, ok := values[name]; return v, ok }
}

func load(t testing.TB, pairs ...string) config.Config {
	t.Helper()
	cfg, err := config.Load(lookup(pairs...))
	must(t, err)
	return cfg
}

func repository(t testing.TB, text string) task.Repository {
	t.Helper()
	r, err := task.ParseRepository(text)
	must(t, err)
	return r
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// wantFault fails unless the error has the kind and says every one of the words, in its text or its hint.
func wantFault(t testing.TB, err error, kind fault.Kind, words ...string) {
	t.Helper()
	if err == nil || fault.KindOf(err) != kind {
		t.Fatalf("got kind %q, want %q: %v", fault.KindOf(err), kind, err)
	}
	for _, w := range words {
		if !strings.Contains(err.Error()+"\n"+fault.HintOf(err), w) {
			t.Errorf("error does not say %q: %v (%s)", w, err, fault.HintOf(err))
		}
	}
}
