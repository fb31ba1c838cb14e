package pay_test

import (
	"errors"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
)

// What depends on the order of reports, as docs/payments.md says.

func factOf(s *shoptest.Shop, key string, paid affiliate.Paid) affiliate.PaymentFact {
	paid.TotalEarned, paid.Gross, paid.ExternalID = affiliate.MustAmount("100"), affiliate.MustAmount("100"), key
	return affiliate.PaymentFact{Provider: "acme", Keys: []string{key}, Payer: affiliate.PayerFact{ID: "c1"}, At: s.Now, Currency: "USD", Sale: affiliate.Set(paid)}
}

// TestCodeWithoutEmail: a payment that a code credits has a customer by the provider's id, whose renewals credit who
// brought them, whether the email is told before it or after it.
func TestCodeWithoutEmail(t *testing.T) {
	tomas := affiliate.PayerFact{ID: "c1", Email: "tomas@customers.example", Name: "Tomas"}
	for _, told := range []bool{true, false} {
		s := shoptest.New(t)
		tell := func() {
			if err := s.Payments().ReportPayer(t.Context(), "acme", tomas); err != nil {
				t.Fatal(err)
			}
		}
		if told {
			tell()
		}
		shoptest.Must(s.Payments().ReportPayment(t.Context(), factOf(s, "p1", affiliate.Paid{Tries: []affiliate.Credit{{PromoCode: "MARA20"}}})))
		s.Want(s.Mara, "20.00")
		tell()
		shoptest.Must(s.Payments().ReportPayment(t.Context(), factOf(s, "p2", affiliate.Paid{Renewal: true})))
		s.Want(s.Mara, "40.00")
		shoptest.Must(s.Payments().ReportPayment(t.Context(), factOf(s, "p3", affiliate.Paid{Renewal: true, Tries: []affiliate.Credit{{ReferralID: "mara"}}})))
		s.Want(s.Mara, "60.00")
	}
}

// TestRefundInAnotherCurrency: it is refused, and told first it keeps its payment from being booked.
func TestRefundInAnotherCurrency(t *testing.T) {
	refund := func(s *shoptest.Shop) error {
		_, err := s.Payments().ReportPayment(t.Context(), affiliate.PaymentFact{
			Provider: "acme", Keys: []string{"p1"}, At: s.Now, Currency: "EUR",
			Refunds: []affiliate.RefundFact{{ID: "r1", Amount: affiliate.MustAmount("10"), State: affiliate.RefundSucceeded}},
		})
		return err
	}
	brought := affiliate.Paid{Tries: []affiliate.Credit{{PromoCode: "MARA20"}}}
	s := shoptest.New(t)
	shoptest.Must(s.Payments().ReportPayment(t.Context(), factOf(s, "p1", brought)))
	if err := refund(s); err == nil {
		t.Error("it is taken")
	}
	s.Want(s.Mara, "20.00")

	s = shoptest.New(t)
	if err := refund(s); err != nil {
		t.Error(err)
	}
	if _, err := s.Payments().ReportPayment(t.Context(), factOf(s, "p1", brought)); err == nil {
		t.Error("the payment is booked")
	}
	s.Want(s.Mara, "0.00")
}

// TestOthersMarks: a renewal waits for the first payment of its customer, unless what it carries is of
// another program, whatever that is.
func TestOthersMarks(t *testing.T) {
	for _, c := range []pay.Carried{{Code: "MARA20"}, {Hold: "cart"}, {Click: "1"}, {Slug: "mara"}} {
		for program, want := range map[uuid.UUID]error{shoptest.ID: pay.ErrLater, uuid.MustParse("0197c2f0-1a2b-7c3d-8e4f-5a6b7c8d9e02"): nil} {
			s := shoptest.New(t)
			c.Program, c.Signed = program, true
			a := pay.Action{Kind: pay.KindSale, Payment: factOf(s, "p2", affiliate.Paid{Renewal: true}), Carried: c, Wait: true}
			if _, err := pay.Apply(t.Context(), s.Program, a); !errors.Is(err, want) {
				t.Errorf("%+v: %v, want %v", c, err, want)
			}
		}
	}
}
