package stripe_test

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/pay"
	"github.com/tributary-go/tributary/pay/internal/shoptest"
	"github.com/tributary-go/tributary/pay/stripe"
)

// TestCarry: a visitor who came by a link brings the click into the metadata of a
// checkout, and its event credits the affiliate.
func TestCarry(t *testing.T) {
	s := newShop(t)
	var carried map[string]string
	var reference string
	var what pay.Carried
	checkout := httpapi.Attribution(s.Program, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		carried, reference = shoptest.Must(configAt(s).Carry(s.Program, r, stripe.ViaSession, what)), stripe.Reference(s.Program, r)
	}))
	checkout.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil))
	if !maps.Equal(carried, map[string]string{"tributary_via": "session"}) || reference != "" {
		t.Errorf("without a click: %v, %q", carried, reference)
	}
	checkout.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/?ref=ben", nil))
	if carried["tributary_click"] != "3" || carried["tributary_program"] != shoptest.ID.String() || reference != "trib_c_3_"+shoptest.ID.String() {
		t.Errorf("with a click: %v, %q", carried, reference)
	}
	metadata := map[string]any{}
	for name, value := range carried {
		metadata[name] = value
	}
	s.Send(s.session("pi_1", 10000, "metadata", metadata), s.session("pi_2", 5000, "client_reference_id", reference))
	s.Want(s.Ben, "30.00")
}

// TestApplyTwice: what the host applies by itself and what the handler applies are
// one.
func TestApplyTwice(t *testing.T) {
	s := newShop(t)
	e := s.first()
	s.apply(s.mapped(e))
	s.Send(e)
	s.apply(s.mapped(e))
	s.Want(s.Mara, "20.00")
	shoptest.Same(t, "sale.created", s.Fired("sale.created"), 1)
}
