package payment

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/mailbox"
	"github.com/tributary-go/tributary/internal/plaintext"
	"github.com/tributary-go/tributary/internal/refusal"
)

// The checks of facts by themselves.

// The lists of values, so that a check of input copies none.
var integrations = affiliate.Integrations()

// Limits of one fact and of all facts of a payment.
const (
	maxProvider  = 32
	MaxKeys      = 6    // of a fact
	maxTries     = 8    // of a fact
	maxPieces    = 100  // refunds or disputes of a fact
	maxOfPayment = 1000 // keys, refunds or disputes of a payment
)

// normalizePayment checks a fact by itself and brings it into canonical form.
func normalizePayment(p *engine.Program, f *affiliate.PaymentFact, now affiliate.Instant) error {
	if named, err := affiliate.ParseCurrency(string(f.Currency)); err == nil {
		f.Currency = named
	}
	if err := refusal.First(
		CheckProvider(f.Provider), checkKeys(f.Keys), checkAt(f.At, now),
		refusal.CurrencyUnknown.When(!f.Currency.Known()),
		refusal.FieldNotPositive.About("exchangeRate").When(f.ExchangeRate.Scaled() < 0),
		payerFactCheck(&f.Payer),
		checkSum("refunded", f.Refunded),
	); err != nil {
		return err
	}
	clean(&f.Payer)
	if err := checkPieces("refunds", f.Refunds, func(r affiliate.RefundFact) (string, affiliate.Amount, *affiliate.Error) {
		return r.ID, r.Amount, refusal.OneOf("refunds.state", r.State, engine.RefundRanks)
	}); err != nil {
		return err
	}
	for i := range f.Refunds {
		if err := checkParts(&f.Refunds[i]); err != nil {
			return err
		}
	}
	if err := checkPieces("disputes", f.Disputes, func(d affiliate.DisputeFact) (string, affiliate.Amount, *affiliate.Error) {
		return d.ID, d.Amount, refusal.OneOf("disputes.state", d.State, engine.DisputeRanks)
	}); err != nil {
		return err
	}
	paid, ok := f.Sale.Get()
	if !ok {
		return nil
	}
	if err := refusal.First(engine.CheckTold("paidAt", paid.PaidAt, now)); err != nil {
		return err
	}
	if err := normalizePaid(p, &paid); err != nil {
		return err
	}
	f.Sale = affiliate.Set(paid)
	return nil
}

func CheckProvider(provider string) *affiliate.Error {
	ok := provider != "" && len(provider) <= maxProvider
	for i := range len(provider) {
		c := provider[i]
		ok = ok && (c >= 'a' && c <= 'z' || c >= '0' && c <= '9')
	}
	return refusal.FieldNotAProvider.About("provider").When(!ok)
}

func checkKeys(keys []string) *affiliate.Error {
	if len(keys) == 0 {
		return refusal.FieldMissing.Of("keys")
	}
	if len(keys) > MaxKeys {
		return refusal.FieldTooLarge.Of("keys")
	}
	for _, key := range keys {
		if err := NeededText("keys", key); err != nil {
			return err
		}
	}
	return nil
}

// NeededText checks an id of a provider, which must be there.
func NeededText(field, s string) *affiliate.Error {
	return cmp.Or(refusal.FieldMissing.About(field).When(plaintext.Blank(s)), refusal.CheckText(field, s, refusal.MaxName, false))
}

func checkAt(at time.Time, now affiliate.Instant) *affiliate.Error {
	return cmp.Or(refusal.FieldMissing.About("at").When(at.IsZero()), engine.CheckTold("at", at, now))
}

func checkSum(field string, sum affiliate.Opt[affiliate.Amount]) *affiliate.Error {
	amount := sum.Or(affiliate.Amount{})
	return cmp.Or(refusal.FieldNotAtLeastZero.About(field).When(amount.Sign() < 0), refusal.BoundOfSale(field, amount))
}

// checkPieces checks the refunds or the disputes of a fact.
func checkPieces[T any](field string, all []T, of func(T) (id string, amount affiliate.Amount, bad *affiliate.Error)) error {
	if len(all) > maxPieces {
		return refusal.FieldOver100Entries.Of(field)
	}
	for _, one := range all {
		id, amount, bad := of(one)
		if err := refusal.First(
			NeededText(field+".id", id),
			refusal.FieldNotPositive.About(field+".amount").When(amount.Sign() <= 0),
			refusal.BoundOfSale(field+".amount", amount),
			bad,
		); err != nil {
			return err
		}
	}
	return nil
}

// checkParts checks the tax and shipping of a refund. When only one is given, it sets
// the other to 0.
func checkParts(f *affiliate.RefundFact) error {
	f.Tax, f.Shipping = refusal.UnlessNull(f.Tax), refusal.UnlessNull(f.Shipping)
	if f.Tax.IsZero() && f.Shipping.IsZero() {
		return nil
	}
	f.Tax, f.Shipping = affiliate.Set(f.Tax.Or(affiliate.Amount{})), affiliate.Set(f.Shipping.Or(affiliate.Amount{}))
	in := affiliate.Refund{Amount: affiliate.Set(f.Amount), Tax: f.Tax, Shipping: f.Shipping}
	return refusal.First(engine.CheckRefundParts(&in))
}

// payerFactCheck refuses ids that cannot be stored.
func payerFactCheck(f *affiliate.PayerFact) *affiliate.Error {
	return cmp.Or(refusal.Optional("payer.id", f.ID, refusal.MaxName), refusal.Optional("payer.customerId", f.CustomerID, refusal.MaxName))
}

// ignored returns the fields that clean drops.
func ignored(f affiliate.PayerFact) (names []string) {
	was := f
	clean(&f)
	if plaintext.Bare(was.Email) != "" && f.Email == "" {
		names = append(names, "payer.email")
	}
	if !plaintext.Blank(was.Name) && f.Name == "" {
		names = append(names, "payer.name")
	}
	return names
}

// clean drops an email and a name that the engine does not accept.
func clean(f *affiliate.PayerFact) {
	f.Email, _ = mailbox.Canonical(f.Email)
	f.Name = plaintext.Trim(f.Name)
	if plaintext.Blank(f.Name) || refusal.CheckText("name", f.Name, refusal.MaxName, false) != nil {
		f.Name = ""
	}
}

var stages = []affiliate.Stage{affiliate.PaidLater, affiliate.PaidOfAgreed, affiliate.PaidNothing, affiliate.PaidUntold}

// unpriced reports whether a payment tells no amount.
func unpriced(s affiliate.Stage) bool { return s == affiliate.PaidNothing || s == affiliate.PaidUntold }

// normalizePaid checks what a payment says about its sale.
func normalizePaid(p *engine.Program, paid *affiliate.Paid) error {
	if err := refusal.First(
		refusal.FieldNotAllowed.About("promoCode").When(paid.PromoCode != ""),
		refusal.FieldNotAllowed.About("referralId").When(paid.ReferralID != ""),
		refusal.FieldNotAllowed.About("holdId").When(paid.HoldID != ""),
		refusal.FieldNotAllowed.About("offer").When(paid.Offer),
		refusal.FieldNotAllowed.About("email").When(paid.Email != ""),
		refusal.FieldNotAllowed.About("name").When(paid.Name != ""),
		refusal.FieldNotAllowed.About("currency").When(paid.Currency != ""),
		refusal.FieldNotAllowed.About("exchangeRate").When(!paid.ExchangeRate.IsZero()),
		refusal.FieldNotAllowed.About("idempotencyKey").When(paid.Once.Key != "" || paid.Once.Refused != nil),
		refusal.FieldNotAllowed.About("integrationSalesSource").When(paid.Integration != ""),
		refusal.FieldTooLarge.About("tries").When(len(paid.Tries) > maxTries),
		checkSum("gross", affiliate.Set(paid.Gross)),
		refusal.OneOfOrNone("stage", paid.Stage, stages),
		refusal.FieldOtherCurrency.About("grossCurrency").When(paid.GrossCurrency != "" && (!paid.GrossCurrency.Known() || paid.Stage != affiliate.PaidNow)),
		refusal.FieldNotPositive.About("gross").When(!unpriced(paid.Stage) && paid.Gross.IsZero() != paid.Free),
		refusal.FieldNotAllowed.About("gross").When(unpriced(paid.Stage) && (!paid.Gross.IsZero() || !paid.TotalEarned.IsZero())),
		refusal.FieldNotAllowed.About("free").When(paid.Stage != affiliate.PaidNow && paid.Free),
		refusal.FieldNotAtLeastZero.About("payment").When(paid.Payment < 0),
		refusal.FieldNotAllowed.About("awaits").When(paid.Awaits != "" && paid.Stage != affiliate.PaidUntold && paid.Stage != affiliate.PaidOfAgreed),
		refusal.Optional("awaits", paid.Awaits, refusal.MaxName),
	); err != nil {
		return err
	}
	code := ""
	for _, try := range paid.Tries {
		if err := check(try); err != nil {
			return err
		}
		code = cmp.Or(code, try.PromoCode, try.CodeExternalID, try.HoldID)
		paid.Offer = paid.Offer || try.Offer
	}
	if unpriced(paid.Stage) {
		paid.Offer = false
		return refusal.First(refusal.Optional("externalId", paid.ExternalID, refusal.MaxName), refusal.Optional("externalInvoiceId", paid.ExternalInvoiceID, refusal.MaxName))
	}
	paid.PromoCode = code // a free order needs one, or an offer
	engine.LeaveOutProductName(&paid.SaleParams)
	_, err := p.NormalizeCharge(&paid.SaleParams)
	paid.PromoCode, paid.Offer = "", false
	return err
}

// check requires exactly one field, with a text that can be looked up.
func check(c affiliate.Credit) error {
	set := 0
	if c.Offer {
		set++
	}
	for _, s := range [...]string{c.PromoCode, c.CodeExternalID, c.ReferralID, c.HoldID} {
		if s == "" {
			continue
		}
		set++
		if err := refusal.First(NeededText("tries", s)); err != nil {
			return err
		}
	}
	return refusal.First(refusal.FieldMissing.About("tries").When(set == 0), refusal.FieldNotAllowed.About("tries").When(set > 1))
}

// integrationOf returns the integration of a provider, as far as the list has it.
func integrationOf(provider string) affiliate.Integration {
	name := affiliate.Integration(strings.ToUpper(provider))
	if slices.Contains(integrations, name) {
		return name
	}
	return ""
}

// ConflictOf returns the refusal of a payment with two sales.
func ConflictOf(a, b *record.Sale) error {
	low, high := min(a.Number, b.Number), max(a.Number, b.Number)
	return refusal.PaymentConflict.Of(strconv.FormatInt(low, 10) + ", " + strconv.FormatInt(high, 10))
}
