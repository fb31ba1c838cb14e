// Package adapter is the kit for packages of payment providers: those of this module are
// made with it, and so can be one of your own. A provider's package is a [Scheme], which
// says how its requests are signed, and one function from a verified body to a
// [pay.Action]:
//
//	func Map(body []byte, cfg adapter.Config) (pay.Action, error) {
//		return adapter.Map("acme", body, func(d *adapter.Draft, root adapter.Value) {
//			d.Begin(root.Get("id"), root.Get("type"), root.Get("created").Time())
//			…
//		})
//	}
//
//	func Handler(p *tributary.Program, cfg adapter.Config) (http.Handler, error) {
//		return adapter.Endpoint{
//			Config: cfg, Scheme: adapter.HMACHex("Acme-Signature", cfg.Secrets),
//			Map: func(body []byte) (pay.Action, error) { return Map(body, cfg) },
//		}.Handler(p)
//	}
//
// [Value] reads the fields of a payload, [Draft] makes the action of them, [Endpoint]
// receives, waits, warns and answers. What arrives in any order, twice, or without its
// sale is the work of [pay.Apply] and the program, not of an adapter.
//
// Package paytest tells whether an adapter is right.
//
// Source: docs/adapters.md.
package adapter
