package engine

import (
	"encoding/binary"

	"github.com/google/uuid"
)

// NumberIn returns the number in an id that record.NumberID made.
func NumberIn(id uuid.UUID) int64 { return int64(binary.BigEndian.Uint64(id[8:])) }
