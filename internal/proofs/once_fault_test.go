package proofs_test

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/conformance"
	"github.com/tributary-go/tributary/internal/scene"
)

// A fault at any call stores nothing, not even the receipt. The repeat executes
// the request once (B435, G09).
func TestOnceFaults(t *testing.T) {
	for kind, fault := range map[string]func(record.Store, int) record.Store{
		"FailAt": conformance.FailAt, "FailFrom": conformance.FailFrom, "PanicAt": conformance.PanicAt, "CancelAt": conformance.CancelAt,
	} {
		t.Run(kind, func(t *testing.T) {
			scene.EachCreate(t, func(t *testing.T, s scene.OnceShop, c scene.OnceCreate) {
				before := s.Dump()
				for n := 1; ; n++ {
					first, err := quietly(func() (any, error) {
						return c.Run(s.With(fault(s.Store, n)), c.Input, affiliate.Once{Key: "k"})
					})
					if err == nil { // the write has fewer than n calls, so it succeeded
						if n < 5 {
							t.Errorf("done after %d calls", n-1)
						}
						s.Replayed(t, c, affiliate.Once{Key: "k"}, first, nil)
						return
					}
					if !errors.Is(err, conformance.ErrInjected) && !errors.Is(err, context.Canceled) {
						t.Errorf("call %d: %v", n, err)
					}
					if diff := cmp.Diff(before, s.Dump()); diff != "" {
						t.Fatalf("call %d left something (-before +after):\n%s", n, diff)
					}
				}
			})
		})
	}
}

// When an answer is lost after its commit, the repeat gets it. The same is true
// for a refusal, whose receipt is a commit too (B435).
func TestOnceLostAnswers(t *testing.T) {
	scene.EachCreate(t, func(t *testing.T, s scene.OnceShop, c scene.OnceCreate) {
		bad := reflect.Zero(reflect.TypeOf(c.Input)).Interface()
		for key, input := range map[string]any{"good": c.Input, "bad": bad} {
			if _, err := c.Run(s.With(conformance.LoseAnswer(s.Store, 1)), input, affiliate.Once{Key: key}); !errors.Is(err, conformance.ErrInjected) {
				t.Fatalf("%s: %v", key, err)
			}
			before := s.Dump()
			_, err := c.Run(s.Program, input, affiliate.Once{Key: key})
			if (err == nil) != (key == "good") {
				t.Errorf("%s: the repeat gives %v", key, err)
			}
			if diff := cmp.Diff(before, s.Dump()); diff != "" {
				t.Errorf("%s: the repeat changed records (-before +after):\n%s", key, diff)
			}
		}
	})
}

// quietly turns a panic into its error.
func quietly[T any](fn func() (T, error)) (out T, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = v.(error)
		}
	}()
	return fn()
}
