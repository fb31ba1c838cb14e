package client_test

import (
	"context"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary"
	"github.com/tributary-go/tributary/client"
	"github.com/tributary-go/tributary/internal/api"
	"github.com/tributary-go/tributary/internal/scene"
)

// operations names what a type does over the wire: its methods that take a
// context.
func operations[T any]() []string {
	var names []string
	for m := range reflect.TypeFor[T]().Methods() {
		for in := range m.Type.Ins() {
			if in == reflect.TypeFor[context.Context]() && m.Name != "Do" { // which calls any operation
				names = append(names, m.Name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// TestOperations: every method of the client that takes a context is an
// operation of the wire.
func TestOperations(t *testing.T) {
	shared := slices.DeleteFunc(operations[*client.Client](), func(name string) bool { return name == "PartnerToken" }) // the pages are the server's
	shared = slices.Sorted(slices.Values(append(shared, operations[client.Webhooks]()...)))
	if diff := cmp.Diff(operations[api.Operations](), shared); diff != "" {
		t.Errorf("methods of the interface, and of the client (-want +got):\n%s", diff)
	}
}

// TestInvocations: the tests that call every operation really call all of them.
func TestInvocations(t *testing.T) {
	var called []string
	for _, inv := range invocations() {
		called = append(called, inv.name)
	}
	slices.Sort(called)
	called = slices.Compact(called) // a job has its own, and so has a status
	if diff := cmp.Diff(operations[api.Operations](), called); diff != "" {
		t.Errorf("operations, and those that are called (-want +got):\n%s", diff)
	}
}

// Why a method of the engine has no route, or not yet.
const (
	beside = "it runs beside the store"
	server = "it is for the process of the server"
	view   = "it makes another view of the same program"
	other  = "another method has its route"
	facts  = "the module of a payment provider calls it in the host's process"
)

// offWire are the methods of the engine that no route offers.
//
// Source: docs/contract.md 4.6.
var offWire = map[string]string{
	"ImportReferrals": beside, "ImportAffiliates": beside, "ImportCoupons": beside, "ImportSales": beside, "ImportPayouts": beside,
	"AffiliateData": beside, "ReferralData": beside,
	"ClaimDeliveries": server, "SettleDeliveries": server, "Ping": server, "Backlog": server,
	"With": view, "Rehearsal": view, "From": view, "By": view, "Because": view, "Keyed": view, "Forfeiting": view, "Partner": view, "Webhooks": view, "Payments": view, "Imports": view, "Config": "the host's code; see Settings",
	"WriteCoupon": other, "WriteCoupons": other,
	"PaymentConflict": "Attention lists them", "OverdrawnRedemption": "Attention lists them", "Holds": "a page of the console lists them", "PayoutEntries": "the payout has their ids", "Answers": "the event affiliate.created has them", "AdjustmentReasons": "Adjustments has them",

	"ReportPayment": facts, "ReportSubscription": facts, "ReportPayer": facts, "ProviderPayment": facts, "Payer": facts,

	"Verify":   "VerifyJob is the same check",
	"Simulate": "the settings of a what-if are Go values",
}

// TestEveryMethodHasARoute (console check 2): a method of the engine is an
// operation of the wire, or it is said why it is none.
func TestEveryMethodHasARoute(t *testing.T) {
	routed, seen := operations[api.Operations](), map[string]bool{}
	for name := range scene.Methods(&tributary.Program{}) {
		seen[name] = true
		if _, off := offWire[name]; off == slices.Contains(routed, name) {
			t.Errorf("%s: over the wire %v, and off it %v", name, !off, off)
		}
	}
	for name := range offWire {
		if !seen[name] {
			t.Errorf("the engine has no %s", name)
		}
	}
}
