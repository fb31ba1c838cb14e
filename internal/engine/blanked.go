package engine

import (
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

// Records without their personal data. TestErasureKnowsEveryText lists the
// texts that stay, with the reason.

func BlankedAffiliate(r record.Affiliate) record.Affiliate {
	r.FirstName, r.LastName, r.Email, r.ExternalID, r.PayoutEmail = "", "", "", "", ""
	r.Payee, r.PayeeShared, r.Note, r.Answers = "", false, "", nil
	return r
}

func BlankedPayout(r record.Payout) record.Payout {
	r.PayeeName, r.PayeeEmail = "", ""
	return r
}

func BlankedReferral(r record.Referral) record.Referral {
	r.Name, r.Email, r.CustomerID, r.LandingPage = "", "", "", ""
	r.Notes, r.Metadata = affiliate.Opt[string]{}, nil
	return r
}

func BlankedSale(r record.Sale) record.Sale {
	r.Name, r.Email, r.Metadata = "", "", nil
	return r
}

func BlankedClick(r record.Click) record.Click {
	r.DeviceID, r.LandingURL, r.Referrer, r.UserAgent, r.Earlier = "", "", "", "", 0
	return r
}
