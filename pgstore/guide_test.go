package pgstore_test

import (
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/pasted"
	"github.com/tributary-go/tributary/pgstore"
	"github.com/tributary-go/tributary/webhooks"
)

// guideShop is a shop on a schema of its own, in which the statements of the guides find
// the host's tables too.
func guideShop(t *testing.T) (*shop, *pgxpool.Pool) {
	t.Helper()
	s := newShop(t, newPool(t, databaseURL(t)), pgstore.Config{})
	schema := "test_" + schemaID()
	return s, newPool(t, databaseURL(t), func(c *pgxpool.Config) { c.ConnConfig.RuntimeParams["search_path"] = schema })
}

// TestPayOrder: the order that the guide pays is paid once, also when its code is refused, and when its
// sale is refused: of a guest, or of nothing.
func TestPayOrder(t *testing.T) {
	s, host := guideShop(t)
	exec(t, host, "CREATE TABLE orders (id text PRIMARY KEY, paid boolean NOT NULL DEFAULT false)")
	exec(t, host, "INSERT INTO orders VALUES ('order-1'), ('order-2'), ('order-3'), ('order-4')")
	refused, broken, guest := sale(2), sale(3), sale(4)
	guest.PromoCode, guest.ReferralID, guest.Email, guest.Name = "", "", "", ""
	refused.PromoCode, refused.Email = "EXPIRED", sale(1).Email
	broken.TotalEarned = affiliate.Amount{}
	for _, in := range []affiliate.SaleParams{sale(1), refused, broken, guest, sale(1)} {
		in.Once = affiliate.Once{} // the order's id makes it count once
		if err := payOrder(t.Context(), host, s.store, s.plain, in); err != nil {
			t.Errorf("%s: %v", in.ExternalID, err)
		}
	}
	var paid string
	if err := host.QueryRow(t.Context(), "SELECT string_agg(id, ' ' ORDER BY id) FROM orders WHERE paid").Scan(&paid); err != nil || paid != "order-1 order-2 order-3 order-4" {
		t.Errorf("paid are %s, error %v", paid, err)
	}
	s.books("of the guide", 2)
}

// TestReceiverGuide: the Go of docs/receiver.md compiles as pasted.
func TestReceiverGuide(t *testing.T) { pasted.Run(t, "../docs/receiver.md") }

// TestMirror: the copy of the guide has the newest state of each sale, whatever comes late,
// twice or as a test.
func TestMirror(t *testing.T) {
	s, host := guideShop(t)
	exec(t, host, "CREATE TABLE mirror (program text, id bigint, revision bigint NOT NULL, total numeric, gone boolean NOT NULL, PRIMARY KEY (program, id))")
	secrets := []affiliate.Secret{"whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="}
	receiver := mirror(newStore(t, host, pgstore.Config{Schema: "test_" + schemaID()}), &webhooks.Verifier{Secrets: secrets})
	for i, payload := range []string{
		`{"event":"sale.created","programId":"b","revision":1,"body":{"id":7,"totalEarned":99}}`,
		`{"event":"sale.updated","programId":"a","revision":2,"body":{"id":7,"totalEarned":20.5}}`,
		`{"event":"sale.created","programId":"a","revision":1,"body":{"id":7,"totalEarned":10}}`,
		`{"event":"sale.deleted","programId":"a","revision":4,"body":{"id":8}}`,
		`{"event":"sale.updated","programId":"a","revision":3,"body":{"id":8,"totalEarned":30}}`,
		`{"event":"sale.created","programId":"a","revision":1,"test":true,"body":{"id":9,"totalEarned":1}}`,
	} {
		for range 2 {
			id := fmt.Sprint("evt_", i)
			request := httptest.NewRequest("POST", "/", strings.NewReader(payload))
			request.Header = must(webhooks.Sign(secrets, id, time.Now(), []byte(payload)))
			request.Header.Set("Content-Type", "application/json")
			answer := httptest.NewRecorder()
			if receiver.ServeHTTP(answer, request); answer.Code != 204 {
				t.Errorf("%s: %d %s", payload, answer.Code, answer.Body)
			}
		}
	}
	var got string
	err := host.QueryRow(t.Context(), "SELECT string_agg(concat_ws(' ', program, id, revision, total, gone), ', ' ORDER BY program, id) FROM mirror").Scan(&got)
	if want := "a 7 2 20.5 f, a 8 4 t, b 7 1 99 f"; err != nil || got != want {
		t.Errorf("the copy is %q, error %v, want %q", got, err, want)
	}
	s.books("mirrored", 0)
}

// TestPages: the blocks of these pages compile as pasted, beside what they take from the host.
func TestPages(t *testing.T) {
	pasted.Build(t, map[string]string{
		"README.md":             "",
		"../docs/postgresql.md": "",
		"../docs/users.md":      usersHost,
	})
}

const usersHost = `
import (
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/pgstore"
)

type host struct {
	pool    *pgxpool.Pool
	store   *pgstore.Store
	program *tributary.Program
}

type member struct{ id, firstName, lastName, email string }
`

// TestReadme: the Go code of the README is part of an example that runs. Its imports are looked at by TestPages.
func TestReadme(t *testing.T) {
	readme := string(must(os.ReadFile("README.md")))
	examples := ""
	for _, name := range must(filepath.Glob("example*_test.go")) {
		examples += squeeze(string(must(os.ReadFile(name)))) + "\n"
	}
	blocks := strings.Split(readme, "```go\n")[1:]
	if len(blocks) == 0 {
		t.Fatal("no block of Go")
	}
	for _, block := range blocks {
		code, _, _ := strings.Cut(block, "```")
		if !strings.HasPrefix(code, "import (") && !strings.Contains(examples, squeeze(code)) {
			t.Errorf("not in an example:\n%s", code)
		}
	}
}

// squeeze removes the indentation.
func squeeze(code string) string {
	lines := strings.Split(strings.TrimSpace(code), "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return strings.Join(lines, "\n")
}
