package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/pocketbase/pocketbase/apis"
	"github.com/pocketbase/pocketbase/core"

	"github.com/tributary-go/tributary/internal/pasted"
)

// A visit is a visitor of the application, and its superuser.
type visit struct {
	t         *testing.T
	app       core.App
	page      []string          // the commands of the guide
	variables map[string]string // that it exports
	site      string            // its address
	token     string            // of the superuser
	browser   http.Client
}

// begin serves the application as the guide does, in a folder of its own.
func begin(t *testing.T) *visit {
	v := &visit{t: t, page: pasted.Commands(t, "../../../docs/guide-pocketbase.md")}
	v.variables = pasted.Exports(t, v.page[0])
	dir := t.TempDir()
	v.variables["TRIBUTARY_FILE"] = filepath.Join(dir, filepath.Base(v.variables["TRIBUTARY_FILE"]))
	t.Chdir(dir)
	if err := os.CopyFS("pb_public", fstest.MapFS{"index.html": {Data: []byte("the shop")}}); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	v.site = "http://" + listener.Addr().String()
	v.app = core.NewBaseApp(core.BaseAppConfig{DataDir: filepath.Join(dir, "pb_data")})
	if err := v.app.Bootstrap(); err != nil {
		t.Fatal(err)
	}
	if err := v.app.RunAllMigrations(); err != nil {
		t.Fatal(err)
	}
	beside(v.app, func(name string) string { return v.variables[name] })
	v.app.OnServe().BindFunc(func(e *core.ServeEvent) error {
		e.Listener, e.InstallerFunc = listener, nil
		return e.Next()
	})
	ended := make(chan error, 1)
	go func() { ended <- apis.Serve(v.app, apis.ServeConfig{}) }()
	t.Cleanup(func() {
		event := &core.TerminateEvent{App: v.app}
		if err := v.app.OnTerminate().Trigger(event, func(e *core.TerminateEvent) error { return e.App.ResetBootstrapState() }); err != nil {
			t.Error(err)
		}
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	v.superuser()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	v.browser = http.Client{Jar: jar}
	return v
}

// superuser makes one, who signs in.
func (v *visit) superuser() {
	v.t.Helper()
	users, err := v.app.FindCollectionByNameOrId(core.CollectionNameSuperusers)
	if err != nil {
		v.t.Fatal(err)
	}
	user := core.NewRecord(users)
	user.SetEmail("you@shop.example")
	user.SetPassword("a password of this test")
	if err := v.app.Save(user); err != nil {
		v.t.Fatal(err)
	}
	var answer struct{ Token string }
	v.call(http.DefaultClient, "POST", "/api/collections/_superusers/auth-with-password",
		`{"identity": "you@shop.example", "password": "a password of this test"}`, &answer)
	v.token = answer.Token
}

// call sends a request, as the superuser unless it is of the browser, and reads the answer.
func (v *visit) call(client *http.Client, method, path, body string, answer any) {
	v.t.Helper()
	r, err := http.NewRequestWithContext(v.t.Context(), method, v.site+path, strings.NewReader(body))
	if err != nil {
		v.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if client == http.DefaultClient {
		r.Header.Set("Authorization", v.token)
	}
	res, err := client.Do(r)
	if err != nil {
		v.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode/100 != 2 {
		v.t.Fatalf("%s %s: %d %s %v", method, path, res.StatusCode, text, err)
	}
	if answer != nil {
		if err := json.Unmarshal(text, answer); err != nil {
			v.t.Fatal(err)
		}
	}
}

// run runs a block of commands of the guide.
func (v *visit) run(block int) string {
	v.t.Helper()
	return pasted.Shell(v.t, strings.ReplaceAll(v.page[block], "http://127.0.0.1:8090", v.site), v.variables)
}

// order is the newest order.
func (v *visit) order() *core.Record {
	v.t.Helper()
	orders, err := v.app.FindRecordsByFilter("orders", "", "-updated", 1, 0)
	if err != nil || len(orders) != 1 {
		v.t.Fatal(orders, err)
	}
	return orders[0]
}

// change changes an order, as the superuser or what hears from a payment provider.
func (v *visit) change(id, changes string) {
	v.t.Helper()
	v.call(http.DefaultClient, "PATCH", "/api/collections/orders/records/"+id, changes, nil)
}

// paid is now, as an order has it.
func paid() string { return fmt.Sprintf(`{"paid": %q}`, time.Now().UTC().Format(time.RFC3339)) }

// earned compares the commissions of all sales, the newest first.
func (v *visit) earned(want string) {
	v.t.Helper()
	var sales []struct{ CommissionEarned json.Number }
	if err := json.Unmarshal([]byte(v.run(2)), &sales); err != nil {
		v.t.Fatal(err)
	}
	var got []string
	for _, sale := range sales {
		got = append(got, sale.CommissionEarned.String())
	}
	if strings.Join(got, " ") != want {
		v.t.Errorf("earned %v, want %s", got, want)
	}
}

// TestGuide: an order by a link earns when it is paid, once, and loses what is refunded, once.
func TestGuide(t *testing.T) {
	v := begin(t)
	v.run(1)
	v.earned("")
	order := v.order().Id
	for range 2 {
		v.change(order, paid())
		v.earned("10")
	}
	if shown := `"commissionEarned":10`; !strings.Contains(v.run(2), shown) {
		t.Errorf("the guide shows %s", shown)
	}
	for range 2 {
		v.change(order, `{"refunded": 2000}`)
		v.earned("5")
	}
	v.change(order, `{"refunded": 4000}`)
	v.earned("0")
}

// TestCode: an order with a code earns without a click, and one with a code that nobody has credits
// who brought the visitor.
func TestCode(t *testing.T) {
	v := begin(t)
	v.run(1)
	key := "Bearer " + v.variables["TRIBUTARY_KEY"]
	said := pasted.Shell(t, `id=$(curl -sS "$SITE/api/v1/coupons" -H "Authorization: $KEY" -H 'Content-Type: application/json' \
  -d '{"name": "Ten off", "couponType": "PERCENTAGE", "percentOff": 10, "duration": "once"}' | sed 's/^{"id":"\([^"]*\)".*/\1/')
curl -sS "$SITE/api/v1/promotional-codes" -H "Authorization: $KEY" -H 'Content-Type: application/json' \
  -d '{"couponId": "'$id'", "code": "ADA10", "affiliateEmail": "ada@example.com"}'`, map[string]string{"SITE": v.site, "KEY": key})
	if !strings.Contains(said, `"code":"ADA10"`) {
		t.Fatal(said)
	}
	v.call(&v.browser, "POST", "/api/collections/orders/records", `{"email": "grace@example.net", "name": "Grace", "code": "ada10"}`, nil)
	v.change(v.order().Id, paid())
	v.earned("10")
	v.call(&v.browser, "GET", "/?ref=ada", "", nil)
	v.call(&v.browser, "POST", "/api/collections/orders/records", `{"email": "alan@example.net", "name": "Alan", "code": "NOBODYS"}`, nil)
	v.change(v.order().Id, paid())
	v.earned("10 10")
}

// TestVisitor: a visitor says neither what an order costs nor that it is paid, nor who brought them.
func TestVisitor(t *testing.T) {
	v := begin(t)
	v.run(1)
	v.call(&v.browser, "POST", "/api/collections/orders/records",
		`{"email": "grace@example.net", "name": "Grace", "click": "ada", "total": 9000000, "paid": "2026-01-01 00:00:00Z", "refunded": 7}`, nil)
	order := v.order()
	if order.GetString("click") != "" || order.GetInt("total") != 4000 || !order.GetDateTime("paid").IsZero() || order.GetInt("refunded") != 0 {
		t.Errorf("the order is %v", order)
	}
	v.change(order.Id, paid())
	v.earned("")
}

// TestMissed: an order whose hook did not run, because the process ended, is told by the job.
func TestMissed(t *testing.T) {
	v := begin(t)
	v.run(1)
	order := v.order()
	if _, err := v.app.DB().Update("orders", map[string]any{"paid": order.GetString("updated")}, nil).Execute(); err != nil {
		t.Fatal(err)
	}
	v.earned("")
	for _, job := range v.app.Cron().Jobs() {
		if job.Id() == "affiliates" {
			job.Run()
		}
	}
	v.earned("10")
}

// TestVersions: the guide names the versions of this module.
func TestVersions(t *testing.T) {
	page := pasted.Commands(t, "../../../docs/guide-pocketbase.md")
	mod, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile(`(?m)^(?:exclude |\t)(modernc.org/\S+|github.com/pocketbase/pocketbase) (v\S+)$`).FindAllStringSubmatch(string(mod), -1)
	for _, m := range named {
		if !strings.Contains(page[3], m[1]+"@"+m[2]) {
			t.Errorf("the guide has no %s@%s", m[1], m[2])
		}
	}
	if len(named) != 3 {
		t.Errorf("go.mod names %v", named)
	}
}

// TestModule: the commands of the guide take the program into a module.
func TestModule(t *testing.T) {
	if testing.Short() {
		t.Skip("it loads and links a module")
	}
	page := pasted.Commands(t, "../../../docs/guide-pocketbase.md")
	pasted.Module(t, page[3], "../../..")
}
