package console

import (
	"net/url"

	"github.com/tributary-go/tributary/affiliate"
)

var deliveryStates = []affiliate.DeliveryState{
	affiliate.DeliveryPending, affiliate.DeliveryDelivered, affiliate.DeliveryFailed, affiliate.DeliverySkipped, affiliate.DeliveryCanceled,
}

type hookList struct {
	Endpoints  []affiliate.Endpoint
	Deliveries []affiliate.Delivery
	States     []option
}

// webhooks shows the endpoints and the deliveries.
func webhooks(v *visit) (view, error) {
	hooks, err := v.program.Endpoints(v.ctx(), affiliate.Page{Limit: 50})
	if err != nil {
		return view{}, err
	}
	list, err := v.program.Deliveries(v.ctx(), affiliate.DeliveryFilter{State: affiliate.DeliveryState(v.query.Get("state"))}, v.page50())
	return view{title: "Webhooks", template: "webhooks", next: list.Next, Data: &hookList{hooks.Items, list.Items, options(deliveryStates...)}}, err
}

// deliveryPage shows a delivery with its attempts.
func deliveryPage(v *visit) (view, error) {
	d, err := v.delivery()
	return view{title: "Delivery of " + string(d.Event), template: "delivery", Data: &d}, err
}

func (v *visit) delivery() (affiliate.Delivery, error) {
	id, err := v.id(0)
	if err != nil {
		return affiliate.Delivery{}, err
	}
	return v.program.Delivery(v.ctx(), id)
}

// replayDelivery sends a delivery again.
var replayDelivery = &action{
	name: "webhooks.replay", object: "delivery", done: "The delivery will be sent again.",
	form: func(v *visit) (form, error) {
		d, err := v.delivery()
		return form{
			Title: "Send this delivery again", Button: "Send again", Back: "webhooks/deliveries/" + d.ID.String(),
			Effects: []string{"The same bytes are sent once more, with the same webhook-id: a good receiver sees that it is a repeat."},
		}, err
	},
	do: func(v *visit, p *affiliate.Program, _ url.Values) (string, error) {
		id, err := v.id(0)
		if err != nil {
			return "", err
		}
		_, err = p.Replay(v.ctx(), affiliate.ReplayRange{DeliveryID: id})
		return "webhooks/deliveries/" + id.String(), err
	},
}
