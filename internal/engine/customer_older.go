package engine

import (
	"errors"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/refusal"
)

// OlderRef is the ref under which the ledger of imports keeps that a customer, by any address
// of their mailbox or by the host's own id, has bought before the program began. It holds a
// digest under Config.ErasureKey, and neither address nor id.
func (c *Config) OlderRef(n Name) string { return olderRef(c.Digest(n)) }

func olderRef(name uuid.UUID) string { return "customer:" + name.String() }

// older reports whether the ledger has one of a customer's names. Source: docs/rules.md 3.5.
func (o *Op) older(c *Customer) (bool, error) {
	names, err := o.knownBy(c)
	if err != nil {
		return false, err
	}
	for _, name := range names {
		_, err := o.Tx.Imports.Find(record.TextKey(record.ByRef, olderRef(name)))
		if err == nil {
			return true, nil
		}
		if !errors.Is(err, affiliate.ErrNotFound) {
			return false, refusal.Internal("look up an older customer", err)
		}
	}
	return false, nil
}

// notFirst makes the first payment of a customer who is older than the program the second.
func (o *Op) notFirst(s *Stage, c *Customer) error {
	if s.Payment != 1 {
		return nil
	}
	older, err := o.older(c)
	if older {
		s.Payment = 2
	}
	return err
}
