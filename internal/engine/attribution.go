package engine

import (
	"errors"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// Whom an order credits. Rule 5.8.

// checkAttribution refuses a value that no program can have.
func checkAttribution(a affiliate.Attribution) error {
	switch a.Touch {
	case "", affiliate.TouchLast, affiliate.TouchFirst:
	default:
		return errors.New("affiliate: Config.Attribution.Touch must be LAST or FIRST")
	}
	switch a.Customer {
	case "", affiliate.CreditEachOrder, affiliate.CreditKeptCustomer:
	default:
		return errors.New("affiliate: Config.Attribution.Customer must be EACH_ORDER or KEEP")
	}
	switch a.Code {
	case "", affiliate.CodeAlways, affiliate.CodeUnbrought:
		return nil
	}
	return errors.New("affiliate: Config.Attribution.Code must be ALWAYS or UNBROUGHT")
}

// A credit is whom an order credits, and why.
type credit struct {
	affiliate uuid.UUID // zero: nobody
	link      uuid.UUID
	by        affiliate.CreditedBy
}

// creditOf decides whom an order credits: of who its code belongs to, what it names, and
// whose its customer is. A code that the order does not have is not found in v.
func (p *Program) creditOf(id *identity, v *verdict) credit {
	how, ref := &p.Cfg.Attribution, &id.Customer.Referral
	known := ref.ID != uuid.Nil
	var c credit
	switch {
	case id.Origin.Affiliate.ID != uuid.Nil:
		c = credit{id.Origin.Affiliate.ID, id.Origin.LinkID(), id.Origin.by}
	case known:
		c = credit{ref.AffiliateID, ref.LinkID, affiliate.CreditEmail}
	}
	keeps := known && how.Customer == affiliate.CreditKeptCustomer
	ofCustomer := c.by == affiliate.CreditEmail || c.by == affiliate.CreditReferral
	if keeps && !ofCustomer {
		c, ofCustomer = credit{ref.AffiliateID, ref.LinkID, affiliate.CreditCustomer}, true
	}
	house := p.Cfg.HouseCodes && v.code.AffiliateID == uuid.Nil
	switch {
	case !v.found, house && c.affiliate == uuid.Nil:
	case !house && (c.affiliate == uuid.Nil || !keeps && how.Code != affiliate.CodeUnbrought):
		c = credit{v.code.AffiliateID, uuid.Nil, affiliate.CreditCode}
	case ofCustomer:
		c.by = affiliate.CreditCustomer
	default:
		c.by = affiliate.CreditBrought
	}
	return c
}

// maxTouches is how many clicks of a visitor are looked at for the first one.
const maxTouches = 100

// firstTouch returns the first click of the visitor that is not too old, in a program where
// it credits, in place of the click that was named.
func (o *Op) firstTouch(named Origin) (Origin, error) {
	if o.Cfg.Attribution.Touch != affiliate.TouchFirst {
		return named, nil
	}
	first := named
	for range maxTouches {
		if first.Click.Earlier == 0 {
			break
		}
		click, err := o.clickNumbered(first.Click.Earlier)
		if errors.Is(err, affiliate.ErrNotFound) || err == nil && lateFor(&click, o) != 0 {
			break
		}
		if err != nil {
			return Origin{}, err
		}
		first.Click = click
	}
	if first.Click.Number == named.Click.Number {
		return named, nil
	}
	first.by, first.Link = affiliate.CreditFirstClick, record.Link{}
	err := o.readClicked(&first)
	return first, err
}
