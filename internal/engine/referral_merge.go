package engine

import (
	"cmp"
	"errors"
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/refusal"
)

// MergeCustomers makes one customer of two: the sales, clicks, payers and erasures of from are into's, and from is
// removed. Every sale keeps its affiliate and what it earned. What into says of the customer stays, and what only
// from says is taken over. It fires sale.updated for each sale, referral.deleted, and referral.updated if into
// changes.
func (o *Op) MergeCustomers(from, into record.Referral) (record.Referral, error) {
	was, err := o.Totals(from.ID)
	if err != nil {
		return into, err
	}
	for _, move := range []func() error{
		func() error { return o.moveSales(&from, &into) },
		func() error { return rebind(o.Tx.Clicks, from.ID, func(r *record.Click) { r.ReferralID = into.ID }) },
		func() error { return rebind(o.Tx.Payers, from.ID, func(r *record.Payer) { r.ReferralID = into.ID }) },
		func() error {
			return rebind(o.Tx.Erasures, from.ID, func(r *record.Erasure) { r.ReferralID = into.ID })
		},
		func() error { return o.Count(into.ID, Tally{Clicks: was.Clicks, Pruned: was.PrunedClicks}) },
		func() error { return o.alsoKnown(from.ID, &into) },
		func() error { return o.dropCustomer(from) },
	} {
		if err := move(); err != nil {
			return into, refusal.Internal("merge customers", err)
		}
	}
	before := into
	if !isErased(&into) {
		into.Name, into.Email = cmp.Or(into.Name, from.Name), cmp.Or(into.Email, from.Email)
		into.CustomerID, into.LandingPage = cmp.Or(into.CustomerID, from.CustomerID), cmp.Or(into.LandingPage, from.LandingPage)
	}
	_, err = o.SaveReferral(before, into)
	return into, err
}

// dropCustomer removes a customer of whom nothing is left, and fires referral.deleted.
func (o *Op) dropCustomer(rec record.Referral) error {
	if err := o.removeReferral(rec); err != nil {
		return err
	}
	return o.emitDeleted(affiliate.ReferralDeleted, rec.ID, 0, rec.Revision+1)
}

// rebind changes the records of a referral.
func rebind[R record.Record[R]](t record.Table[R], referral uuid.UUID, change func(*R)) error {
	return Each(t, record.Key{Index: record.OfReferral, ID: referral}, func(r R) error {
		change(&r)
		return t.Replace(r)
	})
}

// moveSales gives the sales of a customer to another one. A conversion that the other one has too stays without a
// customer, who has one of each name.
func (o *Op) moveSales(from, into *record.Referral) error {
	sales, err := Gather(o.Tx.Sales, record.Query{Key: record.Key{Index: record.OfReferral, ID: from.ID}})
	if err != nil {
		return err
	}
	for _, before := range sales {
		after := before.Clone()
		after.ReferralID, after.Name, after.Email = into.ID, cmp.Or(after.Name, into.Name), cmp.Or(after.Email, into.Email)
		if isErased(into) {
			after = BlankedSale(after)
		}
		if before.Conversion != "" {
			switch _, err := o.Tx.Sales.Find(record.ConversionKey(into.ID, before.Conversion)); {
			case err == nil:
				after.ReferralID = uuid.Nil
			case !errors.Is(err, affiliate.ErrNotFound):
				return err
			}
		}
		if _, err := o.SaveSale(before, after, affiliate.CauseUpdate); err != nil {
			return err
		}
	}
	return nil
}

// alsoKnown gives the places of codes that a referral has to whatever a customer is known by.
func (o *Op) alsoKnown(referral uuid.UUID, c *record.Referral) error {
	ids := o.knownBy(&Customer{Referral: *c})
	return Each(o.Tx.Uses, record.Key{Index: record.OfUser, ID: o.Cfg.digest('r', string(referral[:]))}, func(use record.Use) error {
		has, err := o.usesFor(use.RedemptionID)
		for _, id := range ids {
			if err == nil && !slices.ContainsFunc(has, func(u record.Use) bool { return u.Customer == id }) {
				use.ID, use.Customer = o.NewID(), id
				err = o.Tx.Uses.Insert(use)
			}
		}
		return err
	})
}
