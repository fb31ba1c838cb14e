package pgstore

import (
	"slices"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate/record"
)

// page notes what the records of a page show besides themselves: the affiliate,
// links and referral of a sale, the totals of an affiliate. So they are read
// together, and not for each record. Only a page does it: a list without a limit
// may be longer than what fits into memory.
func (tab *table[T]) page(found []T) {
	if tab.sql.Name == "affiliates" && len(found) > 1 {
		totals := tableOf[record.Totals](tab.t)
		for _, rec := range found {
			totals.want(record.Key{ID: rec.RecordID()})
		}
	}
	if tab.sql.Name != "sales" || len(found) < 2 {
		return
	}
	affiliates, links, referrals := tableOf[record.Affiliate](tab.t), tableOf[record.Link](tab.t), tableOf[record.Referral](tab.t)
	for _, rec := range found {
		for _, key := range rec.AppendKeys(tab.t.room[0][:0]) {
			switch key.Index {
			case record.OfAffiliate:
				affiliates.want(record.Key{ID: key.ID})
				links.want(key)
			case record.OfReferral:
				referrals.want(record.Key{ID: key.ID})
			}
		}
	}
}

// expects reports whether a View has read or noted a whole list.
func (tab *table[T]) expects(q record.Query) bool {
	whole := q.Key.Index != "" && q.After == uuid.Nil && q.Limit == 0
	return whole && (tab.knows(q.Key) || slices.Contains(tab.wanted, q.Key))
}
