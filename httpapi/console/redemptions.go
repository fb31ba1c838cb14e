package console

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/page"
)

// Redemptions over a limit, which wait until somebody has seen them.

// The parameters that name the redemption of a sale, or that of an order without one.
const (
	paramSale  = "sale"
	paramOrder = "order"
)

// Accept returns the query of the form that accepts a redemption.
func (*view) Accept(r affiliate.OverdrawnRedemption) string { return "?" + acceptQuery(&r) }

// redemptions lists the redemptions that wait, the newest first.
func redemptions(v *visit) (view, error) {
	a, err := v.program.Attention(v.Ctx(), mostWaiting)
	return view{title: "Redemptions over a limit", template: "redemptions",
		Data: waitingList[affiliate.OverdrawnRedemption]{a.Overdrawn}}, err
}

func acceptQuery(r *affiliate.OverdrawnRedemption) string {
	if id, sold := r.SaleID.Get(); sold {
		return url.Values{paramSale: {fmt.Sprint(id)}}.Encode()
	}
	return url.Values{paramOrder: {r.ExternalID.Or("")}}.Encode()
}

// overdrawn says which redemption is over a limit.
func (v *visit) overdrawn(r *affiliate.OverdrawnRedemption) string {
	of := "Order " + v.Short(r.ExternalID.Or(""))
	if id, sold := r.SaleID.Get(); sold {
		of = fmt.Sprint("Sale ", id)
	}
	if code, there := r.PromotionalCode.Get(); there {
		of += ", " + v.Short(code.Code)
	}
	if email, known := r.Email.Get(); known {
		of += ", " + v.Short(email)
	}
	return of + ": " + v.Money(r.Discount) + " off"
}

// redemptionAsked returns which redemption the query names.
func (v *visit) redemptionAsked() affiliate.SaleRef {
	if text := v.query.Get(paramSale); text != "" {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 1 {
			return affiliate.SaleRef{ID: -1}
		}
		return affiliate.SaleRef{ID: affiliate.SaleID(n)}
	}
	return affiliate.SaleRef{ExternalID: v.query.Get(paramOrder)}
}

// acceptRedemption says that a redemption over a limit was seen.
var acceptRedemption = &action{
	name: "redemptions.accept", object: "redemption", done: "It waits for nobody any more.",
	form: func(v *visit) (form, error) {
		r, err := v.program.OverdrawnRedemption(v.Ctx(), v.redemptionAsked())
		if errors.Is(err, affiliate.ErrNotFound) {
			err = notAllowed("It waits for nobody.")
		}
		return form{
			Title: "Accept a redemption over a limit", Button: "Accept", Back: "redemptions",
			Effects: []string{
				v.overdrawn(&r) + ", of " + v.When(r.CreatedAt) + ".",
				"The customer paid after the hold " + page.Text(r.HoldID, page.InList) +
					" had lapsed, when the place was gone, and has the discount.",
				"It stays counted, and the sale goes on to say it. To give the use back instead, open the sale.",
			},
		}, err
	},
	do: func(v *visit, p *tributary.Program, _ *input) (string, error) {
		v.objects = []string{v.query.Get(paramSale) + v.query.Get(paramOrder)}
		return "redemptions", p.AcceptRedemption(v.Ctx(), v.redemptionAsked())
	},
}
