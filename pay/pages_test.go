package pay_test

import (
	"testing"

	"github.com/tributary-go/tributary/internal/pasted"
)

// TestPages: the blocks of these pages compile as pasted, beside what they take from the host.
func TestPages(t *testing.T) {
	pasted.Build(t, map[string]string{
		"../docs/adapters.md":        acmeHost,
		"../docs/payments.md":        "",
		"../docs/payments-paddle.md": "",
		"../docs/payments-stripe.md": "",
	})
}

// acmeHost is what the page leaves to examples/acmepay.
const acmeHost = `
import (
	"net/http"
	"time"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/adapter"
	"github.com/tributary-go/tributary/pay/paytest"
)

var acmepay = struct {
	Handler func(*tributary.Program, adapter.Config) (http.Handler, error)
	Map     func([]byte, adapter.Config) (pay.Action, error)
}{Handler, Map}

func refund(*adapter.Draft, adapter.Value) {}

func subscription(*adapter.Draft, adapter.Value) {}

func amount(adapter.Value, affiliate.Currency) (_ affiliate.Amount) { return }

const secret = ""

func sign(http.Header, []byte, time.Time) {}

func tell(paytest.Step) []byte { return nil }
`
