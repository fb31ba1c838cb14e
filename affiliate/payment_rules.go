package affiliate

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tributary-go/tributary/internal/mailbox"
	"github.com/tributary-go/tributary/internal/plaintext"
)

// The checks of facts by themselves.

// Limits of one fact and of all facts of a payment.
const (
	maxProvider  = 32
	maxKeys      = 6    // of a fact
	maxTries     = 8    // of a fact
	maxPieces    = 100  // refunds or disputes of a fact
	maxOfPayment = 1000 // keys, refunds or disputes of a payment
	maxAhead     = 5 * time.Minute
)

// normalizePayment checks a fact by itself and brings it into canonical form.
func (p *Program) normalizePayment(f *PaymentFact, now Instant) error {
	if named, err := ParseCurrency(string(f.Currency)); err == nil {
		f.Currency = named
	}
	if err := first(
		checkProvider(f.Provider), checkKeys(f.Keys), checkAt(f.At, now),
		fieldOtherCurrency.about("currency").when(f.Currency != p.cfg.Currency && (!f.Sale.Or(Paid{}).alone() || !f.Currency.Known())),
		f.Payer.check(),
		checkSum("refunded", f.Refunded),
	); err != nil {
		return err
	}
	f.Payer.clean()
	if err := checkPieces("refunds", f.Refunds, func(r RefundFact) (string, Amount, *Error) {
		return r.ID, r.Amount, oneOf("refunds.state", r.State, refundRanks)
	}); err != nil {
		return err
	}
	for i := range f.Refunds {
		if err := f.Refunds[i].checkParts(); err != nil {
			return err
		}
	}
	if err := checkPieces("disputes", f.Disputes, func(d DisputeFact) (string, Amount, *Error) {
		return d.ID, d.Amount, oneOf("disputes.state", d.State, disputeRanks)
	}); err != nil {
		return err
	}
	paid, ok := f.Sale.Get()
	if !ok {
		return nil
	}
	if err := p.normalizePaid(&paid, f.Currency != p.cfg.Currency); err != nil {
		return err
	}
	f.Sale = Set(paid)
	return nil
}

func checkProvider(provider string) *Error {
	ok := provider != "" && len(provider) <= maxProvider
	for i := range len(provider) {
		c := provider[i]
		ok = ok && (c >= 'a' && c <= 'z' || c >= '0' && c <= '9')
	}
	return fieldNotAProvider.about("provider").when(!ok)
}

func checkKeys(keys []string) *Error {
	if len(keys) == 0 {
		return fieldRequired.Of("keys")
	}
	if len(keys) > maxKeys {
		return FieldTooLarge.Of("keys")
	}
	for _, key := range keys {
		if err := neededText("keys", key); err != nil {
			return err
		}
	}
	return nil
}

// neededText checks an id of a provider, which must be there.
func neededText(field, s string) *Error {
	return cmp.Or(fieldRequired.about(field).when(plaintext.Blank(s)), checkText(field, s, maxName, false))
}

func checkAt(at time.Time, now Instant) *Error {
	return cmp.Or(fieldRequired.about("at").when(at.IsZero()), fieldInFuture.about("at").when(InstantOf(at).After(now.Add(maxAhead))))
}

func checkSum(field string, sum Opt[Amount]) *Error {
	amount := sum.Or(Amount{})
	return cmp.Or(fieldNotAtLeastZero.about(field).when(amount.Sign() < 0), boundOfSale(field, amount))
}

// checkPieces checks the refunds or the disputes of a fact.
func checkPieces[T any](field string, all []T, of func(T) (id string, amount Amount, bad *Error)) error {
	if len(all) > maxPieces {
		return FieldOver100Entries.Of(field)
	}
	for _, one := range all {
		id, amount, bad := of(one)
		if err := first(
			neededText(field+".id", id),
			fieldNotPositive.about(field+".amount").when(amount.Sign() <= 0),
			boundOfSale(field+".amount", amount),
			bad,
		); err != nil {
			return err
		}
	}
	return nil
}

// checkParts checks what a refund says of its tax and shipping, and gives both when it
// says one.
func (f *RefundFact) checkParts() error {
	f.Tax, f.Shipping = unlessNull(f.Tax), unlessNull(f.Shipping)
	if f.Tax.IsZero() && f.Shipping.IsZero() {
		return nil
	}
	f.Tax, f.Shipping = Set(f.Tax.Or(Amount{})), Set(f.Shipping.Or(Amount{}))
	in := Refund{Amount: Set(f.Amount), Tax: f.Tax, Shipping: f.Shipping}
	return first(in.checkParts())
}

// check refuses ids that cannot be stored.
func (f *PayerFact) check() *Error {
	return cmp.Or(optional("payer.id", f.ID, maxName), optional("payer.customerId", f.CustomerID, maxName))
}

// ignored names what clean drops.
func (f PayerFact) ignored() (names []string) {
	was := f
	f.clean()
	if plaintext.Bare(was.Email) != "" && f.Email == "" {
		names = append(names, "payer.email")
	}
	if !plaintext.Blank(was.Name) && f.Name == "" {
		names = append(names, "payer.name")
	}
	return names
}

// clean drops an email and a name that the engine does not accept.
func (f *PayerFact) clean() {
	f.Email, _ = mailbox.Canonical(f.Email)
	f.Name = plaintext.Trim(f.Name)
	if plaintext.Blank(f.Name) || checkText("name", f.Name, maxName, false) != nil {
		f.Name = ""
	}
}

var stages = []Stage{PaidLater, PaidOfAgreed, PaidNothing}

// alone reports whether a payment says by itself what was paid, in one currency.
func (paid Paid) alone() bool {
	return paid.Stage == PaidNow && paid.GrossCurrency == "" && !paid.Free
}

// normalizePaid checks what a payment says about its sale. Of one in a foreign currency
// only Gross counts.
func (p *Program) normalizePaid(paid *Paid, foreign bool) error {
	if err := first(
		fieldNotAllowed.about("promoCode").when(paid.PromoCode != ""),
		fieldNotAllowed.about("referralId").when(paid.ReferralID != ""),
		fieldNotAllowed.about("email").when(paid.Email != ""),
		fieldNotAllowed.about("name").when(paid.Name != ""),
		fieldNotAllowed.about("idempotencyKey").when(paid.Once.Key != "" || paid.Once.Refused != nil),
		fieldNotAllowed.about("integrationSalesSource").when(paid.Integration != ""),
		FieldTooLarge.about("tries").when(len(paid.Tries) > maxTries),
		checkSum("gross", Set(paid.Gross)),
		oneOfOrNone("stage", paid.Stage, stages),
		fieldOtherCurrency.about("grossCurrency").when(paid.GrossCurrency != "" && (!paid.GrossCurrency.Known() || paid.Stage != PaidNow)),
		fieldNotPositive.about("gross").when(paid.Stage != PaidNothing && paid.Gross.IsZero() != paid.Free),
		fieldNotAllowed.about("gross").when(paid.Stage == PaidNothing && (!paid.Gross.IsZero() || !paid.TotalEarned.IsZero())),
		fieldNotAllowed.about("free").when(paid.Stage != PaidNow && paid.Free),
		fieldNotAtLeastZero.about("payment").when(paid.Payment < 0),
	); err != nil {
		return err
	}
	code := ""
	for _, try := range paid.Tries {
		if err := try.check(); err != nil {
			return err
		}
		code = cmp.Or(code, try.PromoCode, try.CodeExternalID)
	}
	if paid.Stage == PaidNothing || foreign {
		return first(optional("externalId", paid.ExternalID, maxName), optional("externalInvoiceId", paid.ExternalInvoiceID, maxName))
	}
	paid.PromoCode = code // a free order needs one
	paid.leaveOutProductName()
	err := p.normalizeCharge(&paid.NewSale)
	paid.PromoCode = ""
	return err
}

// check requires one field, with a text that may be looked up.
func (c Credit) check() error {
	set := 0
	for _, s := range [...]string{c.PromoCode, c.CodeExternalID, c.ReferralID} {
		if s == "" {
			continue
		}
		set++
		if err := first(neededText("tries", s)); err != nil {
			return err
		}
	}
	return first(fieldRequired.about("tries").when(set == 0), fieldNotAllowed.about("tries").when(set > 1))
}

// integrationOf is the integration of a provider, as far as the list has it.
func integrationOf(provider string) Integration {
	name := Integration(strings.ToUpper(provider))
	if slices.Contains(integrations, name) {
		return name
	}
	return ""
}

// conflictOf is the refusal of a payment with two sales.
func conflictOf(a, b *SaleRecord) error {
	low, high := min(a.Number, b.Number), max(a.Number, b.Number)
	return paymentConflict.Of(strconv.FormatInt(low, 10) + ", " + strconv.FormatInt(high, 10))
}
