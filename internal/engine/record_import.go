package engine

import (
	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/record"
)

var ImportKinds = []affiliate.ImportKind{
	record.ImportedAsAffiliate, record.ImportedAsLink, record.ImportedAsCoupon, record.ImportedAsCode,
	record.ImportedAsReferral, record.ImportedAsSale, record.ImportedAsBonus, record.ImportedAsPayout,
}
