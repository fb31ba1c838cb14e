package servertest

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary/affiliate"
)

// TestPrivateAddresses: when a server opens other addresses than
// Server.PrivateAddresses says, the named cases fail.
func TestPrivateAddresses(t *testing.T) {
	var closed, loopback, private affiliate.AddressPolicy
	loopback.AllowNetworks = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	private.AllowHTTP = true
	for _, p := range []string{"127.0.0.0/8", "::1/128", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"} {
		private.AllowNetworks = append(private.AllowNetworks, netip.MustParsePrefix(p))
	}
	right := func(next http.Handler) http.Handler { return next }
	// swap is a server that reads one URL as another.
	swap := func(url, other string) middleware {
		return asked(func(_ *http.Request, body []byte) []byte { return []byte(strings.ReplaceAll(string(body), url, other)) })
	}
	for name, tt := range map[string]struct {
		policy affiliate.AddressPolicy
		said   bool
		wrong  middleware
		failed []string
	}{
		"OK closed":       {closed, false, right, nil},
		"OK private":      {private, true, right, nil},
		"OK loopback":     {loopback, true, right, nil},
		"said, but shut":  {closed, true, right, []string{"B442 what is open"}},
		"open, not said":  {loopback, false, right, []string{"B442 host 127.0.0.1:8443", "B442 host [::ffff:127.0.0.1]", "B442 host [64:ff9b::7f00:1]", "B442 host 127.0.0.1", "B442 what is open", "B452 PUT url of loopback"}},
		"http, not said":  {affiliate.AddressPolicy{AllowHTTP: true}, false, right, []string{"B439 url https://hooks.conform.example:80/"}},
		"metadata":        {private, true, swap("//169.254.169.254/", "//8.8.8.8/"), []string{"B442 host 169.254.169.254", "B452 PUT url of a metadata service", "S reasons"}},
		"metadata mapped": {private, true, swap("//[::ffff:169.254.169.254]/", "//8.8.8.8/"), []string{"B442 host [::ffff:169.254.169.254]"}},
		"a form is shut":  {private, true, swap("//[64:ff9b::7f00:1]/", "//240.0.0.1/"), []string{"B442 what is open"}},
		"a form is open":  {private, true, swap("//[64:ff9b::7f00:1]/", "//8.8.8.8/"), []string{"B442 host [64:ff9b::7f00:1]", "B442 what is open"}},
		"PUT is shut": {private, true, asked(func(r *http.Request, body []byte) []byte {
			if r.Method == http.MethodPut {
				body = []byte(strings.ReplaceAll(string(body), "//127.0.0.1/", "//240.0.0.1/"))
			}
			return body
		}), []string{"B452 PUT url of loopback"}},
		"port 80 is shut": {private, true, swap("example:80/", "example:22/"), []string{"B439 url https://hooks.conform.example:80/"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := Server{PrivateAddresses: tt.said, HTTP: &http.Client{Transport: handlerTransport{tt.wrong(serverWith(t, tt.policy))}}}
			report := judgedAs(t, server, "B439 url", "B442", "B450", "B451 the list", "B452 PUT", "S reasons")
			var failed []string
			for _, r := range report.Results {
				if r.Outcome == Failed {
					failed = append(failed, r.Name)
				}
			}
			if diff := cmp.Diff(tt.failed, failed); diff != "" {
				t.Errorf("cases that fail (-want +got):\n%s%s", diff, report)
			}
		})
	}
}
