package engine

import (
	"encoding/binary"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate/imported"
	"github.com/tributary-go/tributary/affiliate/record"
)

// NumberIn returns the number in an id that record.NumberID made.
func NumberIn(id uuid.UUID) int64 { return int64(binary.BigEndian.Uint64(id[8:])) }

var ImportKinds = []imported.Kind{
	record.ImportedAsAffiliate, record.ImportedAsLink, record.ImportedAsCoupon, record.ImportedAsCode,
	record.ImportedAsReferral, record.ImportedAsSale, record.ImportedAsBonus, record.ImportedAsPayout,
}
