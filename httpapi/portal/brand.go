package portal

import (
	"fmt"
	"net/url"

	"github.com/tributary-go/tributary/httpapi/internal/page"
	"github.com/tributary-go/tributary/internal/mailbox"
)

// A Brand is the host's own look of the pages. Empty: that of Tributary.
type Brand struct {
	// Color is that of links and of the main buttons, such as "#0b5d57". Where it would be hard to
	// read it is darker, and on dark screens lighter.
	Color string

	// Logo is shown beside the name of the program: PNG or JPEG, at most 200 KiB.
	Logo []byte

	// Contact is where affiliates ask: an email address, or an http or https URL.
	Contact string
}

// look checks a brand and returns the look of its pages, and where its contact leads.
func (b Brand) look() (l page.Look, contact string, err error) {
	if l, err = page.NewLook(b.Color, b.Logo); err != nil || b.Contact == "" {
		return l, "", err
	}
	if u, err := url.Parse(b.Contact); err == nil && web(u) {
		return l, b.Contact, nil
	}
	if mail, ok := mailbox.Canonical(b.Contact); ok {
		return l, "mailto:" + mail, nil
	}
	return l, "", fmt.Errorf("the contact %q is no email address and no http or https URL", b.Contact)
}

// Logo returns where the logo is; empty: there is none.
func (v *view) Logo() string {
	if v.face.Logo.Name == "" {
		return ""
	}
	return "assets/" + v.face.Logo.Name
}

// Contact returns where affiliates ask, and Asks how it is written; empty: nowhere.
func (v *view) Contact() string { return v.contact }
func (v *view) Asks() string    { return v.Short(v.cfg.Brand.Contact) }
