package imports

import (
	"errors"

	"github.com/google/uuid"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/affiliate/imported"
	"github.com/tributary-go/tributary/affiliate/record"
	"github.com/tributary-go/tributary/internal/engine"
	"github.com/tributary-go/tributary/internal/refusal"
)

// The codes of an imported coupon.

// A codePlan says what happens to a code of a row.
type codePlan struct {
	imported.Code
	owner  uuid.UUID
	known  bool             // it is not new
	stored uuid.UUID        // it is there already; zero: it is not
	note   *affiliate.Error // why it is left out
}

// planCodes decides which codes of a row are stored. coupon is zero for a new
// one.
func (im *importing) planCodes(row *imported.Coupon, coupon uuid.UUID) ([]codePlan, error) {
	var codes []codePlan
	own := map[record.Key]bool{}
	for _, code := range row.Codes {
		_, found, err := importedAs(im.Op, code.Ref)
		if err != nil {
			return nil, err
		}
		if found {
			continue
		}
		planned := codePlan{Code: code}
		if err := im.placeCode(&planned, coupon, own); err != nil {
			return nil, err
		}
		codes = append(codes, planned)
	}
	return codes, nil
}

// placeCode finds the owner of a code, and whether the code is free.
func (im *importing) placeCode(planned *codePlan, coupon uuid.UUID, own map[record.Key]bool) error {
	to, err := follow(im.Op, planned.Via)
	switch {
	case err == nil:
		planned.owner = to.affiliate.ID
	case !errors.Is(err, affiliate.ErrNotFound):
		return err
	case planned.AffiliateID == uuid.Nil && planned.AffiliateEmail == "":
		planned.note = refusal.UnknownRef.About("codes").When(len(planned.Via) > 0)
	default:
		owner, err := im.OwnerOfNewCode(planned.AffiliateID, planned.AffiliateEmail)
		if err != nil {
			return err
		}
		planned.owner = owner.ID
	}
	for _, key := range (record.Code{Code: planned.Code.Code, ExternalID: planned.ExternalID}).AppendKeys(nil) {
		if !key.Index.Unique() {
			continue
		}
		other, err := im.Tx.Codes.Find(key)
		switch {
		case err != nil && !errors.Is(err, affiliate.ErrNotFound):
			return refusal.Internal("look up code", err)
		case err == nil && other.CouponID == coupon && key.Index == record.ByCode:
			planned.stored, planned.known = other.ID, true
			return nil
		case err == nil || own[key]:
			planned.note = engine.CodeClashes(refusal.CodeTaken)[key.Index]
		}
		own[key] = true
	}
	return nil
}

// storeCodes writes the planned codes, and returns how many are new. When a
// code is added later, its uses are added to the coupon too.
func (im *importing) storeCodes(coupon record.Coupon, codes []codePlan, later bool) (added int, err error) {
	var used int64
	for i := range codes {
		planned := &codes[i]
		if planned.note != nil {
			im.note(planned.Ref, planned.note, "")
			continue
		}
		if planned.stored == uuid.Nil {
			if err := im.insertCode(planned, coupon.ID); err != nil {
				return 0, err
			}
			used += planned.TimesRedeemed
			added++
		}
		if planned.Ref == "" {
			continue
		}
		if err := im.enroll(record.Import{Ref: planned.Ref, Kind: record.ImportedAsCode, Object: planned.stored, Adopted: planned.known}); err != nil {
			return 0, err
		}
	}
	if !later || used == 0 {
		return added, nil
	}
	coupon.TimesRedeemed += used
	coupon.OpeningRedeemed += used
	if err := im.Tx.Coupons.Replace(coupon); err != nil {
		return 0, refusal.Internal("write coupon", err)
	}
	return added, nil
}

// insertCode writes a new code.
func (im *importing) insertCode(planned *codePlan, coupon uuid.UUID) error {
	rec := im.CodeRecord(planned.CodeParams)
	rec.ID, rec.CouponID, rec.AffiliateID, rec.Revision = im.NewIDAt(planned.CreatedAt), coupon, planned.owner, 0
	rec.TimesRedeemed, rec.OpeningRedeemed = planned.TimesRedeemed, planned.TimesRedeemed
	rec.CreatedAt = affiliate.InstantOf(planned.CreatedAt)
	rec.UpdatedAt = rec.CreatedAt
	planned.stored = rec.ID
	if err := im.Tx.Codes.Insert(rec); err != nil {
		return refusal.Internal("write code", err)
	}
	return nil
}
