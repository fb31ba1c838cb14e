// Package otelaffiliate watches a program with OpenTelemetry: a span and
// metrics for each operation of the engine, and for each attempt of a delivery.
//
//	observer, err := otelaffiliate.Observer(tracerProvider, meterProvider, otelaffiliate.Config{})
//	…
//	program, err := tributary.New(store, tributary.Config{Observer: observer, …})
//	registration, err := otelaffiliate.ObserveBacklog(meterProvider, otelaffiliate.Config{}, program)
//
// It uses only the API of OpenTelemetry: the host brings the SDK. Providers are
// parameters; no global is read or set. Spans are children of the span in the
// context of the call, such as that of otelhttp, and parents of those that a
// store makes, such as those of a tracer of pgx.
//
// # Spans
//
// "tributary RecordSale", of kind internal, for each operation:
//
//   - tributary.operation: the name of the method
//   - tributary.program.id
//   - tributary.outcome: see [affiliate.Outcome]
//   - tributary.reason: of a refusal
//   - tributary.runs: how often the store ran the transaction
//   - tributary.events: how many events were committed
//   - error.type: timeout, canceled, store or _OTHER
//
// A refusal leaves the status of a span unset, because the program did what it
// should. A failure sets it to Error.
//
// An operation that looks for work again and again (ClaimDeliveries, Follow,
// Backlog) has a span only when it found something or failed. It is made at its
// end, and the store's spans in it are unsampled: a store without work leaves no
// trace. The metrics count every poll, those that found nothing as idle.
//
// "tributary deliver", of kind client, for each settled attempt of a delivery,
// with tributary.program.id, tributary.endpoint.id, tributary.event,
// tributary.attempt, tributary.delivery.state, http.response.status_code and
// error.type. Its times are those of the request.
//
// # Metrics
//
//   - tributary.operation.duration (s): tributary.operation, tributary.outcome
//   - tributary.events ({event}): tributary.event
//   - tributary.delivery.duration (s): tributary.delivery.state, error.type
//   - tributary.delivery.lag (s): from when an attempt was due to its start
//   - tributary.delivery.oldest_due (s): see [ObserveBacklog]
//
// No attribute has a name, email, key, URL, slug, code or external id, and no
// metric has the id of an endpoint. The id of the program is in metrics only
// with [Config.ProgramInMetrics].
package otelaffiliate
