package console

import (
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/page"
)

var ofLink = noun[affiliate.Link]{get: func(v *visit, id uuid.UUID) (affiliate.Link, error) {
	return first(v.program.Links(v.Ctx(), affiliate.LinkQuery{ID: affiliate.Set(id)}, only))
}}

var newLink = &action{
	name: "links.create", object: "affiliate", done: "The link was added.",
	form: ofAffiliate.form(func(_ *visit, a affiliate.Affiliate) (form, error) {
		return form{
			Title: "Add a link of " + page.Named(a.Name), Button: "Add",
			Fields: []field{{Name: "link", Label: "Link",
				Hint: "The end of the URL, such as spring-sale.", Required: true}},
		}, nil
	}),
	do: ofAffiliate.do(func(v *visit, p *tributary.Program, id uuid.UUID, in *input) error {
		params := affiliate.LinkParams{AffiliateID: id}
		in.into(&params)
		_, err := p.CreateLink(v.Ctx(), params)
		return err
	}),
}

var renameLink = &action{
	name: "links.rename", object: "link", done: "The link was renamed.",
	form: ofLink.form(func(_ *visit, l affiliate.Link) (form, error) {
		return form{
			Title: "Rename the link " + page.Named(l.Link), Button: "Rename", Edits: true,
			Back: "affiliates/" + l.Affiliate.ID.String(),
			Effects: []string{"The old name goes on leading to the link: pages and videos with it " +
				"need no change."},
			Fields: []field{{Name: "newLink", Label: "Link", Required: true, Value: l.Link}},
		}, nil
	}),
	do: func(v *visit, p *tributary.Program, in *input) (string, error) {
		l, err := ofLink.named(v)
		if err != nil {
			return "", err
		}
		_, err = p.RenameLink(v.Ctx(), affiliate.LinkRef{ID: l.ID}, in.text("newLink"))
		return "affiliates/" + l.Affiliate.ID.String(), err
	},
}

var deleteLink = &action{
	name: "links.delete", object: "link", done: "The link was deleted.",
	form: ofLink.form(func(_ *visit, l affiliate.Link) (form, error) {
		return form{
			Title: "Delete the link " + page.Named(l.Link), Button: "Delete", Danger: true,
			Back: "affiliates/" + l.Affiliate.ID.String(),
			Effects: []string{"It has brought " + several(int(l.Referrals), "customer") + " and " +
				several(int(l.Sales), "sale") + ".",
				"It stops working, and so do its former names. Nobody else can have them. Customers who came by it stay with the affiliate."},
			Fields: []field{{Name: "affiliate", Type: "hidden", Value: l.Affiliate.ID.String()}},
		}, nil
	}),
	do: func(v *visit, p *tributary.Program, in *input) (string, error) {
		id, err := v.id(0)
		if err != nil {
			return "", err
		}
		_, err = p.DeleteLink(v.Ctx(), affiliate.LinkRef{ID: id})
		return in.back("affiliates", "affiliate"), err
	},
}
