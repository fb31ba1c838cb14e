package servertest

import (
	"net/url"
	"strings"
)

// An operation is one row of the contract's tables: the form of its answers.
type operation struct {
	answer form
	single []string // of a GET: the parameters that name a single record
	one    form     // the form of that record, which is answered, or null
}

func message(text string, more fields) form {
	return fields{"message": oneOf(text)}.and(more).form
}

// operations returns all operations, by method and path below /api/v1.
func operations() map[string]operation {
	count := fields{"count": anInteger}.form
	return map[string]operation{
		"GET /affiliates":    {listOf(affiliateForm().form), []string{"id", "email", "externalId"}, affiliateForm().form},
		"POST /affiliates":   {answer: affiliateForm().form},
		"PUT /affiliates":    {answer: count},
		"DELETE /affiliates": {answer: message("Affiliate deleted successfully", nil)},

		"GET /links":    {answer: listOf(linkForm().form)},
		"POST /links":   {answer: linkForm().form},
		"PUT /links":    {answer: linkForm().form},
		"DELETE /links": {answer: message("Affiliate link deleted successfully", fields{"deletedLink": fields{"id": anID, "link": aText}.form})},

		"GET /coupons":    {listOf(couponForm().form), []string{"id", "couponId", "externalId", "name"}, couponForm().form},
		"POST /coupons":   {answer: couponForm().form},
		"PUT /coupons":    {answer: couponForm().form},
		"DELETE /coupons": {answer: message("Coupon deleted successfully", fields{"deletedCoupon": fields{"id": anID, "name": aText}.form})},

		"GET /promotional-codes":           {listOf(codeForm().form), []string{"id", "code", "externalId"}, codeForm().form},
		"POST /promotional-codes":          {answer: codeForm().form},
		"PUT /promotional-codes":           {answer: codeForm().form},
		"DELETE /promotional-codes":        {answer: message("Promotional code deleted successfully", fields{"deletedCode": fields{"id": anID, "code": aText}.form})},
		"POST /promotional-codes/validate": {answer: previewForm().form},
		"POST /promotional-codes/compare":  {answer: fields{"best": orNull(fields{"id": anID, "code": aText}.form), "evaluations": listOf(previewForm().form)}.form},

		"GET /holds":    {answer: orNull(holdForm().form)},
		"POST /holds":   {answer: holdForm().form},
		"DELETE /holds": {answer: holdForm().form},

		"GET /referrals":    {listOf(referralForm().form), []string{"id"}, referralForm().form},
		"POST /referrals":   {answer: orNull(referralForm().form)},
		"PUT /referrals":    {answer: referralForm().form},
		"DELETE /referrals": {answer: message("Referral deleted successfully", nil)},

		"GET /sales":    {listOf(saleForm().form), []string{"id"}, saleForm().form},
		"POST /sales":   {answer: orNull(saleForm().form)},
		"PUT /sales":    {answer: saleForm().form},
		"PATCH /sales":  {answer: fields{"success": aBool, "alreadyRefunded": aBool, "reason": oneOf("refunded", "partially_refunded", "already_refunded")}.form},
		"DELETE /sales": {answer: message("Sale deleted successfully", nil)},

		"POST /sales/review": {answer: listOf(saleForm().form)},
		"GET /sales/search":  {answer: listOf(saleForm().form)},

		"GET /payouts":          {listOf(payoutForm().form), []string{"id"}, payoutForm().form},
		"POST /payouts":         {answer: payoutForm().form},
		"PATCH /payouts":        {answer: payoutForm().form},
		"POST /payouts/preview": {answer: fields{"lines": listOf(lineForm().form), "next": orNull(aText)}.form},
		"POST /payouts/run":     {answer: runForm().form},
		"GET /payouts/runs":     {listOf(runForm().form), []string{"externalId"}, runForm().form},
		"GET /payouts/lines":    {answer: listOf(lineForm().form)},
		"GET /statements":       {answer: statementForm().form},
		"GET /sales/explain":    {answer: orNull(explanationForm().form)},

		"GET /balances":        {listOf(balanceForm().form), []string{"affiliateId", "affiliateEmail"}, balanceForm().form},
		"GET /balances/total":  {answer: totalForm().form},
		"GET /balances/ranked": {answer: listOf(balanceForm().form)},
		"GET /movements":       {answer: listOf(movementForm().form)},
		"GET /reports":         {answer: listOf(bucketForm().form)},
		"GET /adjustments":     {listOf(adjustmentForm().form), []string{"id"}, adjustmentForm().form},
		"POST /adjustments":    {answer: adjustmentForm().form},

		"GET /coupons/summaries":        {answer: listOf(without(usability(bareCoupon()).form, "promotionalCodes"))},
		"GET /events":                   {answer: listOf(eventForm().form)},
		"GET /affiliates/search":        {answer: listOf(affiliateForm().form)},
		"GET /referrals/search":         {answer: listOf(referralForm().form)},
		"GET /promotional-codes/search": {answer: listOf(usability(codeForm()).form)},

		"GET /attention": {answer: attentionForm().form},
		"POST /payments/decide": {answer: fields{
			"paymentId": anID, "outcome": aText, "moved": aNumber, "refused": listOf(fields{"reason": aText, "message": aText}.form), "sale": orNull(saleForm().form),
		}.form},
		"GET /program":                    {answer: settingsForm().form},
		"GET /verify":                     {answer: verificationForm().form},
		"POST /affiliates/ensure":         {answer: affiliateForm().form},
		"POST /affiliates/status":         {answer: listOf(affiliateForm().form)},
		"POST /affiliates/plan":           {answer: listOf(affiliateForm().form)},
		"POST /affiliates/tier":           {answer: listOf(affiliateForm().form)},
		"POST /affiliates/tier-exempt":    {answer: listOf(affiliateForm().form)},
		"POST /affiliates/payout-details": {answer: affiliateForm().form},
		"POST /affiliates/invite":         {answer: affiliateForm().form},
		"POST /affiliates/accept-invite":  {answer: affiliateForm().form},
		"POST /referrals/status":          {answer: referralForm().form},
		"POST /referrals/plan":            {answer: listOf(referralForm().form)},
		"POST /clicks":                    {answer: orNull(clickForm().form)},
		"POST /promotional-codes/generate": {answer: fields{
			"count": anInteger, "keySpace": aText, "codes": listOf(fields{"id": anID, "code": aText, "affiliateId": anID}.form),
		}.form},
		"POST /sales/reverse":            {answer: message("Sale reversed successfully", fields{"reversedSale": fields{"id": anInteger}.form})},
		"POST /sales/accept-redemption":  {answer: message("Redemption accepted successfully", nil)},
		"POST /sales/restore-redemption": {answer: message("Redemption restored successfully", nil)},
		"GET /commission-plans":          {listOf(planForm().form), []string{"commissionPlanId"}, planForm().form},
		"POST /commission-plans":         {answer: planForm().form},
		"PUT /commission-plans":          {answer: planForm().form},
		"DELETE /commission-plans":       {answer: message("Commission plan deleted successfully", nil)},
		"POST /commission-tiers/assign":  {answer: progressForm().form},
		"POST /sales/recalculate":        {answer: progressForm().form},
		"GET /commission-tiers":          {listOf(tierForm().form), []string{"commissionTierId"}, tierForm().form},
		"POST /commission-tiers":         {answer: tierForm().form},
		"PUT /commission-tiers":          {answer: tierForm().form},
		"DELETE /commission-tiers":       {answer: message("Tier deleted successfully", nil)},

		"POST /affiliates/erase": {answer: erasureForm().form},
		"POST /referrals/erase":  {answer: erasureForm().form},
		"POST /prune":            {answer: pruningForm().form},

		"POST /partner/token": {answer: fields{"token": aText, "url": aText, "expiresAt": aText}.form},

		"GET /webhooks":                {listOf(endpointForm().form), []string{"webhookId"}, endpointForm().form},
		"POST /webhooks":               {answer: issuedForm().form},
		"PUT /webhooks":                {answer: endpointForm().form},
		"DELETE /webhooks":             {answer: message("Webhook endpoint deleted successfully", fields{"deletedWebhook": fields{"id": anID, "url": aText}.form})},
		"POST /webhooks/rotate-secret": {answer: issuedForm().form},
		"POST /webhooks/test": {answer: fields{
			"delivered": aBool, "statusCode": orNull(anInteger), "durationMs": anInteger, "error": orNull(aText), "eventId": aText,
		}.form},
		"POST /webhooks/replay":    {answer: count},
		"GET /webhooks/deliveries": {listOf(deliveryForm().form), []string{"deliveryId"}, deliveryForm().and(fields{"payload": anObject}).form},
	}
}

// misshapen returns what is wrong with the body of a 200, or the empty text.
func (u *suite) misshapen(method, target string, body any) string {
	path, query, _ := strings.Cut(target, "?")
	if method == "HEAD" {
		return ""
	}
	op, known := u.operations[method+" "+path]
	if !known {
		return ""
	}
	values, _ := url.ParseQuery(query)
	for _, name := range op.single {
		if values.Has(name) {
			return orNull(op.one)(body)
		}
	}
	return op.answer(body)
}
