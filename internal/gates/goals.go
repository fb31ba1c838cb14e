package main

// The benchmarks that several goals are read from.
var (
	saleBench     = bench{dir: "internal/proofs", name: "BenchmarkRealSale"}
	growthBench   = bench{dir: "internal/proofs", name: "BenchmarkRealSaleOnFullStore"}
	bytesBench    = bench{dir: "internal/proofs", name: "BenchmarkRealSaleBytes"}
	procsBench    = bench{dir: "internal/proofs", name: "BenchmarkRealSaleProcs"}
	codesBench    = bench{dir: "internal/proofs", name: "BenchmarkGenerateCodes"}
	ledgerBench   = bench{dir: "internal/proofs", name: "BenchmarkLedgerOnFullStore"}
	clickBench    = bench{dir: "internal/proofs", name: "BenchmarkTrackClick"}
	linksBench    = bench{dir: "internal/proofs", name: "BenchmarkTenLinks"}
	latencyBench  = bench{dir: "internal/gates", name: "BenchmarkLatency"}
	eventsBench   = bench{dir: "internal/proofs", name: "BenchmarkEventMemory"}
	lookupBench   = bench{dir: "memstore", name: "BenchmarkLookup"}
	postBench     = bench{dir: "httpapi", name: "BenchmarkRealSaleLoopback"}
	getBench      = bench{dir: "httpapi", name: "BenchmarkLink"}
	listBench     = bench{dir: "httpapi", name: "BenchmarkSaleBesideList", flags: "-listed=1000000"}
	couponBench   = bench{dir: "httpapi", name: "BenchmarkBigCoupon"}
	readersBench  = bench{dir: "httpapi", name: "BenchmarkStalledReaders", flags: "-listed=1000000"}
	trackingBench = bench{dir: "httpapi", name: "BenchmarkTracking"}
	callBench     = bench{dir: "client", name: "BenchmarkCallTCP"}
	verifyBench   = bench{dir: "internal/integration/signatures", name: "BenchmarkVerify"}
	signBench     = bench{dir: "internal/integration/signatures", name: "BenchmarkSign"}
	hungBench     = bench{dir: "webhooks", name: "BenchmarkHung", times: "15x"}
	dispatchBench = bench{dir: "webhooks", name: "BenchmarkDispatch", times: "5x"}
	forgedBench   = bench{dir: "webhooks", name: "BenchmarkReceiverForged", times: "15x"}
	redisBench    = bench{dir: "internal/gates", name: "BenchmarkRedis"}
	pgSaleBench   = bench{dir: "pgstore", name: "BenchmarkRealSale"}
	pgPageBench   = bench{dir: "pgstore", name: "TestPageOfSales"}
	pruneBench    = bench{dir: "pgstore", name: "BenchmarkPrune"}
	goneBench     = bench{dir: "pgstore", name: "BenchmarkGone"}
	replayBench   = bench{dir: "pgstore", name: "BenchmarkReplay"}
	idleTest      = bench{dir: "webhooks", name: "TestReceiverIdleMemory"}
)

// goals are the figures of P1 to P26, and of docs/money.md Q2. A gate with several figures has several
// rows. P16, that no limit is ever exceeded and the books agree, is checked at
// the end of the benchmarks of sales: they fail otherwise.
var goals = []goal{
	{gate: "P1", what: "real sale on memstore, time to the floor", bench: saleBench,
		metric: "x-floor", limit: 3, aim: 1.5,
		known: 11, why: "The floor books no ledger, tells no event and explains nothing. A sale takes 30 µs, so that one program records 30,000 a second."},
	{gate: "P2", what: "its allocations", bench: saleBench, metric: "allocs/op", limit: 20, aim: 8},
	{gate: "P3", what: "its throughput at 64 clients, to Redis with Lua", bench: redisBench,
		metric: "x-redis", limit: 5, aim: 10, least: true,
		known: 1.4, why: "Redis counts uses and keeps nothing else, in a process beside the two that sell."},
	{gate: "P4", what: "the same sale at 10^6 sales, to 10^3", bench: growthBench,
		metric: "x-small", limit: 1.6, aim: 1.3},
	{gate: "P5", what: "look-up among 10^3, time to the map", bench: lookupBench, in: "/1000-",
		metric: "x-floor", limit: 3, aim: 2,
		known: 13, why: "A look-up normalizes the code and copies what it found, which a map does not: about 100 ns."},
	{gate: "P5", what: "look-up among 10^6, time to the map", bench: lookupBench, in: "/1000000-",
		metric: "x-floor", limit: 1.5, aim: 1.2,
		known: 2, why: "As among 10^3; here both wait for memory."},
	{gate: "P5", what: "its allocations", bench: lookupBench, metric: "allocs/op", limit: 2, aim: 1},
	{gate: "P6", what: "click, time to the floor", bench: clickBench, metric: "x-floor", limit: 4, aim: 2,
		known: 7, why: "The floor counts and appends; a click also finds its page, checks what a browser sent, and is taken back whole when it fails. It takes 7 µs."},
	{gate: "P7", what: "ten links at 10^6 sales, to 10^3", bench: linksBench, metric: "x-small", limit: 1.6, aim: 1.2},
	{gate: "P8", what: "GET of a coupon of 100,000 codes, processor time to json.Marshal",
		bench: couponBench, metric: "x-floor", limit: 0.7, aim: 0.3},
	{gate: "P8", what: "its extra heap, MiB", bench: couponBench, metric: "extra-MiB", limit: 4, aim: 0.25},
	{gate: "P8", what: "worst wait of a sale meanwhile, ms", bench: couponBench,
		metric: "ms-worst-sale", limit: 5, aim: 1},
	{gate: "P9", what: "codes in bulk, time of one to the floor", bench: codesBench,
		metric: "x-floor", limit: 4, aim: 2,
		known: 5, why: "Each code is checked twice: once before the first piece of its batch is written, so that a refused batch leaves nothing, and once with its piece."},
	{gate: "P10",
		what:  "POST of the real sale with its key, processor time to a handler that does the same by hand",
		bench: postBench, metric: "x-cpu", limit: 1.5, aim: 1.1,
		known: 2.3, why: "The handler by hand checks nothing of its request beside the JSON, and logs nothing."},
	{gate: "P10", what: "GET of a link, processor time to the bare handler", bench: getBench,
		metric: "x-floor", limit: 1, aim: 1,
		known: 5, why: "The bare handler writes bytes that never change; the link is read, counted and encoded. Both take microseconds."},
	{gate: "P11", what: "call of the client, time to go-retryablehttp", bench: callBench,
		metric: "x-retryablehttp", limit: 1.15, aim: 1.05},
	{gate: "P11", what: "its allocations above go-retryablehttp", bench: callBench,
		metric: "allocs/op", minus: "retryablehttp-allocs/op", limit: 12, aim: 6},
	{gate: "P12", what: "verifying a webhook, time to the Standard Webhooks library",
		bench: verifyBench, in: "1KiB", metric: "x-reference", limit: 0.6, aim: 0.45},
	{gate: "P12", what: "signing one", bench: signBench, in: "1KiB", metric: "x-reference", limit: 0.6, aim: 0.45},
	{gate: "P12", what: "allocations of both", bench: verifyBench, in: "1KiB", metric: "allocs/op", limit: 0, aim: 0},
	{gate: "P13", what: "memory of a sale without its payload, bytes", bench: bytesBench,
		in: "without-payload", metric: "B/sale", limit: 1600, aim: 800,
		known: 1680, why: "A movement and an event say who did it and why, a use of a code what it took and when it was seen, and a sale has room for its budgets and for whom else it could have credited: 160 bytes more than when the bound was set."},
	{gate: "P13", what: "with it, bytes", bench: bytesBench, in: "whole", metric: "B/sale", limit: 2000, aim: 2000,
		known: 2950, why: "An event has the sale with its affiliate and its customer, as the contract says; a host prunes events by age."},
	{gate: "P14",
		what:  "pgstore, real sale over 16 programs, 16 clients, rate to the statement by hand",
		bench: pgSaleBench, in: "spread/", metric: "x-by-hand", limit: 0.6, aim: 0.8, least: true,
		known: 0.38, why: "The statement by hand is one round trip and knows one rule; a sale is two, and keeps totals, links and movements too."},
	{gate: "P15", what: "pgstore, real sale on one hot code, 16 and 64 clients, rate to the statement by hand (a deadlock fails it)", bench: pgSaleBench, in: "hot/", metric: "x-by-hand", limit: 5, aim: 7, least: true,
		known: 2, why: "Sixteen clients form groups of sixteen; at 64 it holds."},
	{gate: "P17", what: "worst wait of a sale at 10^6 sales beside a list of all over HTTP, ms",
		bench: listBench, metric: "worst-ms", limit: 20, aim: 2,
		known: 30, why: "It is one pause of two processors that answer, list and sell: users see the network's."},
	{gate: "P17", what: "beside a list of all in Go, ms", bench: latencyBench, in: "/1000000/list",
		metric: "ms-worst", limit: 20, aim: 2},
	{gate: "P17", what: "beside Verify, ms", bench: latencyBench, in: "/1000000/verify",
		metric: "ms-worst", limit: 20, aim: 2},
	{gate: "P17", what: "beside Prune, ms", bench: latencyBench, in: "/1000000/prune",
		metric: "ms-worst", limit: 20, aim: 2},
	{gate: "P18", what: "memory of 30 stalled readers of all sales, MiB", bench: readersBench,
		metric: "MiB-added", limit: 64, aim: 8},
	{gate: "P19",
		what:  "memory of events: 4,000 links; a coupon of 4,000 codes updated 100 times, MiB",
		bench: eventsBench, metric: "MiB", limit: 64, aim: 16},
	{gate: "P20", what: "pgstore, Prune: slowest sale meanwhile, ms", bench: pruneBench,
		metric: "ms-slowest", limit: 50, aim: 10},
	{gate: "P20", what: "Prune: time of a record at 200,000 events, to 20,000", bench: pruneBench,
		metric: "x-small", limit: 1.3, aim: 1.3},
	{gate: "P20", what: "410 of an endpoint: slowest sale meanwhile, ms", bench: goneBench,
		metric: "ms-slowest", limit: 50, aim: 10},
	{gate: "P20", what: "Replay: slowest sale meanwhile, ms", bench: replayBench,
		metric: "ms-slowest", limit: 50, aim: 10},
	{gate: "P21", what: "pgstore, a page of 50 sales takes at most 6 statements", bench: pgPageBench},
	{gate: "P22", what: "deliveries of the good one of 50 endpoints, to the undisturbed case",
		bench: hungBench, metric: "ratio", limit: 3, aim: 1.2},
	{gate: "P22", what: "dispatch, rate to bare posts", bench: dispatchBench, metric: "ratio",
		limit: 0.6, aim: 0.6, least: true,
		known: 0.4, why: "Each delivery is claimed, signed and settled in the store; receivers take longer than that."},
	{gate: "P23", what: "40 connections without headers hold less than 4 MiB", bench: idleTest},
	{gate: "P23", what: "a forged body of 8 MiB and ten secrets, time to ten hashes of it",
		bench: forgedBench, metric: "ratio", limit: 1.1, aim: 1},
	{gate: "P24", what: "worst request of public tracking, processor time to an ordinary one",
		bench: trackingBench, metric: "x-loopback", limit: 5, aim: 2,
		known: 7, why: "A body of the longest length, made of the smallest parts, costs what six visits do; an address may send so many in a minute."},
	{gate: "P25", what: "go test ./... on a fresh clone, processor time, s", bench: suite,
		metric: processor, limit: 75, aim: 30,
		known: 170, why: "A third are models and faults, which find what nothing else does; they run on every change."},
	{gate: "P26", what: "sales of 16 goroutines on 2 processors, rate to one", bench: procsBench,
		metric: "gain-2", limit: 1, aim: 1, least: true,
		known: 0.65, why: "Writers of one program take turns; what they do beside the lock just makes up for the change of processors."},
	{gate: "P26", what: "on 4 processors, rate to one", bench: procsBench, metric: "gain-4",
		limit: 1, aim: 1, least: true,
		known: 0.7, why: "As on 2; a machine of two processors lends each of the four half of one."},
	{gate: "Q2", what: "a balance at 10^6 movements, to 10^3", bench: ledgerBench, in: "/balance",
		metric: "x-small", limit: 1.3, aim: 1.1},
	{gate: "Q2", what: "a statement of 100 lines with 10^6 movements outside, to 10^3",
		bench: ledgerBench, in: "/statement", metric: "x-small", limit: 1.6, aim: 1.3},
	{gate: "Q2", what: "a report of 30 days with 1,000 sales, the same", bench: ledgerBench,
		in: "/report", metric: "x-small", limit: 1.6, aim: 1.3},
}
