package console

import (
	"github.com/google/uuid"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi/internal/page"
)

// link returns the one that the path names.
func (v *visit) link() (affiliate.Link, error) {
	id, err := v.id(0)
	if err != nil {
		return affiliate.Link{}, err
	}
	list, err := v.program.Links(v.ctx(), affiliate.LinkQuery{ID: affiliate.Set(id)}, affiliate.Page{Limit: 1})
	if err != nil {
		return affiliate.Link{}, err
	}
	if len(list.Items) == 0 {
		return affiliate.Link{}, affiliate.ErrNotFound
	}
	return list.Items[0], nil
}

// newLink gives an affiliate one more link.
var newLink = &action{
	name: "links.create", object: "affiliate", done: "The link was added.",
	form: affiliateForm(func(_ *visit, a affiliate.Affiliate) (form, error) {
		return form{
			Title: "Add a link of " + page.Named(a.Name), Button: "Add",
			Fields: []field{{Name: "link", Label: "Link",
				Hint: "The end of the URL, such as spring-sale.", Required: true}},
		}, nil
	}),
	do: ofAffiliate(func(v *visit, p *tributary.Program, id uuid.UUID, in *input) error {
		_, err := p.CreateLink(v.ctx(), affiliate.LinkParams{AffiliateID: id, Link: in.text("link")})
		return err
	}),
}

// renameLink gives a link another name.
var renameLink = &action{
	name: "links.rename", object: "link", done: "The link was renamed.",
	form: func(v *visit) (form, error) {
		l, err := v.link()
		return form{
			Title: "Rename the link " + page.Named(l.Link), Button: "Rename", Edits: true,
			Back:    "affiliates/" + l.Affiliate.ID.String(),
			Effects: []string{"The old name goes on leading to the link: pages and videos with it need no change."},
			Fields:  []field{{Name: "newLink", Label: "Link", Required: true, Value: l.Link}},
		}, err
	},
	do: func(v *visit, p *tributary.Program, in *input) (string, error) {
		l, err := v.link()
		if err != nil {
			return "", err
		}
		_, err = p.RenameLink(v.ctx(), affiliate.LinkRef{ID: l.ID}, in.text("newLink"))
		return "affiliates/" + l.Affiliate.ID.String(), err
	},
}

// deleteLink deletes a link.
var deleteLink = &action{
	name: "links.delete", object: "link", done: "The link was deleted.",
	form: func(v *visit) (form, error) {
		l, err := v.link()
		return form{
			Title: "Delete the link " + page.Named(l.Link), Button: "Delete", Danger: true,
			Back: "affiliates/" + l.Affiliate.ID.String(),
			Effects: []string{"It has brought " + several(int(l.Referrals), "customer") + " and " +
				several(int(l.Sales), "sale") + ".",
				"It stops working, and so do its former names. Nobody else can have them. Customers who came by it stay with the affiliate."},
			Fields: []field{{Name: "affiliate", Type: "hidden", Value: l.Affiliate.ID.String()}},
		}, err
	},
	do: func(v *visit, p *tributary.Program, in *input) (string, error) {
		id, err := v.id(0)
		if err != nil {
			return "", err
		}
		_, err = p.DeleteLink(v.ctx(), affiliate.LinkRef{ID: id})
		return in.back("affiliates", "affiliate"), err
	},
}
