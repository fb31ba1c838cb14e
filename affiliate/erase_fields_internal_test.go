package affiliate

import (
	"encoding/json"
	"reflect"
	"testing"
)

// TestErasureKnowsEveryText: every text of a record that is erased with a
// person is blank afterwards, or is listed here with the reason why it stays. A
// new text fails the test until it is handled.
func TestErasureKnowsEveryText(t *testing.T) {
	textsAfterErasure(t, AffiliateRecord.blanked, nil)
	textsAfterErasure(t, ReferralRecord.blanked, map[string]string{
		".Plan": "the name of what was bought",
	})
	textsAfterErasure(t, SaleRecord.blanked, map[string]string{
		".ExternalID":                 "the payment's id, which makes a second delivery of it a duplicate",
		".InvoiceID":                  "the invoice's id",
		".Products":                   "ids of products",
		".Commissions[0].BonusReason": "what the bonus of the affiliate is for",
		".Refunds[0].ID":              "the refund's id, which makes a second delivery of it a duplicate",
	})
	textsAfterErasure(t, ClickRecord.blanked, nil)
	textsAfterErasure(t, PayoutRecord.blanked, map[string]string{
		".ExternalID":   "the payment's id at whoever pays",
		".FailedReason": "what the payer said about the payment", ".ReturnedReason": "what the payer said about the payment",
	})
}

func textsAfterErasure[R Record[R]](t *testing.T, blanked func(R) R, stays map[string]string) {
	var full R
	texts := map[string]bool{}
	for l := range leaves(reflect.ValueOf(&full).Elem(), "") {
		if holdsText(l.v.Type()) {
			l.set(1)
			texts[l.name] = true
		}
	}
	blank := blanked(full)
	kept := map[string]bool{}
	for l := range leaves(reflect.ValueOf(&blank).Elem(), "") {
		if kept[l.name] = texts[l.name] && !l.v.IsZero(); kept[l.name] && stays[l.name] == "" {
			t.Errorf("%T%s stays after an erasure", full, l.name)
		}
	}
	for name := range stays {
		if !kept[name] {
			t.Errorf("%T%s is listed to stay, and does not", full, name)
		}
	}
}

// holdsText reports whether people can write any text into a field.
func holdsText(typ reflect.Type) bool {
	switch typ {
	case reflect.TypeFor[string](), reflect.TypeFor[Opt[string]](), reflect.TypeFor[json.RawMessage](), reflect.TypeFor[[]string]():
		return true
	}
	return false
}
