package generic_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/memstore"
	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/generic"
)

func mountReports(mux *http.ServeMux, program *tributary.Program, cfg generic.Config) error {
	hook, err := generic.Handler(program, cfg)
	if err != nil {
		return err
	}
	mux.Handle("POST /webhooks/payments", hook)
	return nil
}

func guide(t *testing.T) string {
	t.Helper()
	raw, err := os.ReadFile("../../docs/payments-generic.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func blocks(t *testing.T, language string) (all []string) {
	t.Helper()
	for _, m := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllStringSubmatch(guide(t), -1) {
		all = append(all, m[1])
	}
	return all
}

// TestGuide: the commands of the guide report a payment and print what the guide says; its
// second report takes back the half of it.
func TestGuide(t *testing.T) {
	for _, tool := range []string{"sh", "openssl", "curl", "base64", "od"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	program, err := tributary.New(memstore.New(), tributary.Config{Terms: affiliate.Terms{Rate: affiliate.MustPercent("20")}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := program.CreateAffiliate(t.Context(), affiliate.AffiliateParams{FirstName: "Ada", LastName: "Lovelace", Email: "ada@example.com", AffiliateLink: "ada"}); err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	if err := mountReports(mux, program, generic.Config{Secrets: adapter.Secrets{secret}}); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(mux)
	defer server.Close()
	script, answers := blocks(t, "sh")[0], blocks(t, "json")
	send := func(script string) string {
		t.Helper()
		c := exec.CommandContext(t.Context(), "sh", "-euc", script)
		c.Env = append(os.Environ(), "REPORT_SECRET="+secret, "REPORT_URL="+server.URL+"/webhooks/payments")
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return string(out)
	}
	if got := send(script); got != answers[0] {
		t.Errorf("the answer is %s, want %s", got, answers[0])
	}
	body := regexp.MustCompile(`(?s)body='.*?'\n`)
	send(body.ReplaceAllLiteralString(script, "body='"+answers[1]+"'\n"))
	sales, err := program.Sales(t.Context(), affiliate.SaleQuery{}, affiliate.Page{})
	if err != nil || len(sales.Items) != 1 {
		t.Fatal(sales, err)
	}
	if sale := sales.Items[0]; sale.CommissionEarned.String() != "5" || sale.ExternalID != affiliate.Set("order-7") {
		t.Errorf("%s of %v", sale.CommissionEarned, sale.ExternalID) // 20 % of 50 − 25
	}
}

// TestGuideFields: the guide names each field that is read, each value of one, and none else.
func TestGuideFields(t *testing.T) {
	raw, err := os.ReadFile("map.go")
	if err != nil {
		t.Fatal(err)
	}
	text, read := guide(t), 0
	for _, m := range regexp.MustCompile(`(?:Get\(|Only\(|only\(|Range\(|, )"(\w+)"|is none of ([\w, ]+)"`).FindAllStringSubmatch(string(raw), -1) {
		for _, name := range strings.Split(m[1]+m[2], ", ") {
			if read++; !strings.Contains(text, "`"+name+"`") && !strings.Contains(text, "`"+name+"[]`") {
				t.Errorf("the guide does not name %s", name)
			}
		}
	}
	if read < 80 {
		t.Errorf("%d names were found", read)
	}
}
