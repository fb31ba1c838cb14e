package engine

import (
	"github.com/tributary-go/tributary/affiliate/imported"
	"github.com/tributary-go/tributary/affiliate/record"
)

var ImportKinds = []imported.Kind{
	record.ImportedAsAffiliate, record.ImportedAsLink, record.ImportedAsCoupon, record.ImportedAsCode,
	record.ImportedAsReferral, record.ImportedAsSale, record.ImportedAsBonus, record.ImportedAsPayout,
}
