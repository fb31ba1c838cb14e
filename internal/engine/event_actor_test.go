package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/internal/scene"
)

// An event says who changed its object, and tells receivers nothing of it.
func TestActor(t *testing.T) {
	w := scene.New(t)
	ctx := t.Context()
	ada := w.Join("ada")
	long := strings.Repeat("ö", 101)
	for i, actor := range []string{"kim", "", long, "a\x00b\xff\n"} {
		w.Now = w.Now.Add(1_000_000)
		scene.Must(w.By(actor).UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: ada.ID}, affiliate.AffiliateUpdate{LastName: scene.TextOf(fmt.Sprint("Name ", i))}))
	}
	scene.Must(0, w.By("kim").From(affiliate.SourceManual).With(w.Store).Forfeiting().DeleteAffiliate(ctx, affiliate.AffiliateRef{ID: ada.ID}))
	var got []string
	for _, e := range scene.Must(w.Events(ctx, affiliate.EventQuery{ObjectID: affiliate.Set(ada.ID.String())}, affiliate.Page{})).Items {
		got = append(got, e.Actor)
		if strings.Contains(string(e.Payload), "kim") {
			t.Errorf("receivers are told who: %s", e.Payload)
		}
	}
	scene.Equal(t, []string{"kim", "a\uFFFDb\uFFFD\uFFFD", long[:200], "", "kim", ""}, got)
	w.Verifies()
}

// An event says why its object was changed, in one line, and tells receivers nothing of it. A reason is
// for what is done with it alone.
func TestReason(t *testing.T) {
	w := scene.New(t)
	ctx := t.Context()
	ada, ben := w.Join("ada"), w.Join("ben")
	long := strings.Repeat("ö", 501)
	for i, reason := range []string{"kim asked", "", long, "two\nlines\xff"} {
		w.Now = w.Now.Add(1_000_000)
		scene.Must(w.By("kim").Because(reason).UpdateAffiliate(ctx, affiliate.AffiliateRef{ID: ada.ID}, affiliate.AffiliateUpdate{LastName: scene.TextOf(fmt.Sprint("Name ", i))}))
	}
	scene.Must(w.Because("kim has left").By("kim").From(affiliate.SourceManual).With(w.Store).SetAffiliateStatus(ctx, affiliate.AffiliateBanned, ada.ID, ben.ID))
	of := func(id uuid.UUID) (got []string) {
		for _, e := range scene.Must(w.Events(ctx, affiliate.EventQuery{ObjectID: affiliate.Set(id.String())}, affiliate.Page{})).Items {
			got = append(got, e.Reason)
			if strings.Contains(string(e.Payload), "kim") {
				t.Errorf("receivers are told why: %s", e.Payload)
			}
		}
		return got
	}
	scene.Equal(t, []string{"kim has left", "two\uFFFDlines\uFFFD", long[:1000], "", "kim asked", ""}, of(ada.ID))
	scene.Equal(t, []string{"kim has left", ""}, of(ben.ID))
	w.Verifies()
}
