package lab

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	tlog "go.temporal.io/sdk/log"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/longshift/longshift/internal/confine/process/guard"
	"github.com/longshift/longshift/internal/sourcetree"
)

// StartOnPostgres starts the released Temporal server as the compose file does: on a PostgreSQL cluster of its own, whose tables the
// compose file's script makes. Kill and Start concern the server; the database keeps running.
func StartOnPostgres(t testing.TB) *Server {
	t.Helper()
	bin := temporalBinaries(t)
	port := startPostgres(t)
	schema := exec.Command("/bin/sh", filepath.Join(sourcetree.Root(), "deploy", "temporal", "schema.sh"))
	schema.Env = []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "POSTGRES_PASSWORD_FILE=/dev/null", "SQL_PLUGIN=postgres12",
		"SQL_HOST=127.0.0.1", "SQL_USER=temporal", fmt.Sprint("SQL_PORT=", port)}
	if out, err := schema.CombinedOutput(); err != nil {
		t.Fatalf("make Temporal's tables: %v\n%s", err, out)
	}
	s := &Server{t: t, port: FreePort(t)}
	env := append(os.Environ(), "DB=postgres12", "POSTGRES_SEEDS=127.0.0.1", "POSTGRES_USER=temporal", fmt.Sprint("DB_PORT=", port),
		"NUM_HISTORY_SHARDS=64", "LOG_LEVEL=warn", "DYNAMIC_CONFIG_FILE_PATH="+filepath.Join(sourcetree.Root(), "deploy", "temporal", "dynamicconfig.yaml"),
		fmt.Sprint("FRONTEND_GRPC_PORT=", s.port))
	for _, name := range []string{"FRONTEND_HTTP", "FRONTEND_MEMBERSHIP", "HISTORY_GRPC", "HISTORY_MEMBERSHIP", "MATCHING_GRPC",
		"MATCHING_MEMBERSHIP", "WORKER_GRPC", "WORKER_MEMBERSHIP"} {
		env = append(env, fmt.Sprintf("%s_PORT=%d", name, FreePort(t)))
	}
	s.launch = func() *process {
		return start(t, filepath.Join(bin, "temporal-server"), []string{"--allow-no-auth", "start"}, env, "server")
	}
	s.open(registerNamespace)
	return s
}

// temporalBinaries returns the folder of the server and its schema tool, of the version that the compose file names.
func temporalBinaries(t testing.TB) string {
	t.Helper()
	cmd := exec.Command("make", "-s", "temporal")
	cmd.Dir = sourcetree.Root()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("make temporal: %v\n%s", err, out)
	}
	return filepath.Join(sourcetree.Root(), "bin", "temporal")
}

// startPostgres starts a new cluster with the role temporal, and returns its port. PostgreSQL refuses to run as root: then it runs as
// the user that its package has made.
func startPostgres(t testing.TB) int {
	t.Helper()
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil || len(found) == 0 {
		t.Fatal("PostgreSQL is missing: apt install postgresql")
	}
	bin := found[len(found)-1]
	data, err := os.MkdirTemp("", "longshift-postgres-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(data) })
	attr := guard.ChildAttr()
	if os.Getuid() == 0 {
		attr.Credential = postgresUser(t)
		if err := os.Chown(data, int(attr.Credential.Uid), int(attr.Credential.Gid)); err != nil {
			t.Fatal(err)
		}
	}
	command := func(name string, args ...string) *exec.Cmd {
		c := exec.Command(filepath.Join(bin, name), args...)
		c.Dir, c.SysProcAttr = data, attr
		return c
	}
	cluster := filepath.Join(data, "cluster")
	initdb := command("initdb", "--pgdata", cluster, "--username", "temporal", "--auth", "trust", "--encoding", "UTF8")
	if out, err := initdb.CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	port := FreePort(t)
	run(t, command("postgres", "-D", cluster, "-h", "127.0.0.1", "-p", strconv.Itoa(port), "-k", data), "postgres")
	Eventually(t, 30*time.Second, "PostgreSQL answers", func() bool {
		return exec.Command(filepath.Join(bin, "pg_isready"), "-q", "-h", "127.0.0.1", "-p", strconv.Itoa(port)).Run() == nil
	})
	return port
}

func postgresUser(t testing.TB) *syscall.Credential {
	t.Helper()
	u, err := user.Lookup("postgres")
	if err != nil {
		t.Fatalf("PostgreSQL does not run as root: %v", err)
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		t.Fatal(err)
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}

// registerNamespace creates the namespace, as the compose file's script does.
func registerNamespace(ctx context.Context, address string) error {
	c, err := client.NewNamespaceClient(client.Options{HostPort: address, Logger: tlog.NewStructuredLogger(discard())})
	if err != nil {
		return err
	}
	defer c.Close()
	if _, err = c.Describe(ctx, client.DefaultNamespace); err == nil {
		return nil
	}
	return c.Register(ctx, &workflowservice.RegisterNamespaceRequest{Namespace: client.DefaultNamespace,
		WorkflowExecutionRetentionPeriod: durationpb.New(30 * 24 * time.Hour)})
}
