package main

import (
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// TestRole runs role.sh as the image of PostgreSQL does, but for the name of the role,
// which is the superuser's here, and starts the server as the role that it makes: it
// can make its tables, and it is no superuser.
func TestRole(t *testing.T) {
	if os.Getenv("TRIBUTARY_TEST_DATABASE_URL") != "" {
		t.Skip("SKIPPED: role.sh makes a role, so it wants a server of its own")
	}
	at, err := url.Parse(database(t))
	if err != nil {
		t.Fatal(err)
	}
	q := at.Query()
	if _, err := exec.LookPath("psql"); err != nil {
		t.Skip("SKIPPED: role.sh needs psql")
	}
	script, err := os.ReadFile("../deploy/role.sh")
	if err != nil {
		t.Fatal(err)
	}
	const role = "lowly"
	command := exec.CommandContext(t.Context(), "sh", "-c", strings.ReplaceAll(string(script), "tributary", role))
	command.Env = append(os.Environ(), "TRIBUTARY_DATABASE_PASSWORD=it's-a-password", "POSTGRES_USER="+q.Get("user"), "PGHOST="+q.Get("host"))
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	q.Set("user", role)
	q.Set("password", "it's-a-password")
	at.Path, at.RawQuery = "/"+role, q.Encode()
	s := launch(t, "-store", at.String())
	defer s.stop()
	s.call("POST", "/api/v1/coupons", `{"name":"spring","percentOff":10}`)
	conn, err := pgx.Connect(t.Context(), at.String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	var mighty, others bool
	row := conn.QueryRow(t.Context(), `SELECT rolsuper OR rolcreatedb OR rolcreaterole OR rolreplication OR rolbypassrls,
		EXISTS (SELECT FROM pg_database, aclexplode(datacl) WHERE datname = current_database() AND grantee = 0) FROM pg_roles WHERE rolname = current_user`)
	if err := row.Scan(&mighty, &others); err != nil || mighty || others {
		t.Errorf("the role may do more than it must: %t; everybody may connect: %t; %v", mighty, others, err)
	}
}
