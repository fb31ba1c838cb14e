package httpapi_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tributary-go/tributary/affiliate"
	"github.com/tributary-go/tributary/httpapi"
	"github.com/tributary-go/tributary/memstore"
)

func TestSmoke(t *testing.T) {
	p, err := affiliate.New(memstore.New(), affiliate.Config{})
	if err != nil {
		t.Fatal(err)
	}
	h, err := httpapi.New(p, httpapi.Config{APIKeys: []string{"k"}})
	if err != nil {
		t.Fatal(err)
	}
	do := func(method, target, body string) {
		r := httptest.NewRequest(method, target, strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer k")
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		t.Logf("%s %s %s -> %d %v\n%s", method, target, body, w.Code, w.Header(), w.Body)
	}
	do("POST", "/api/v1/affiliates", `{"firstName":"Ada","lastName":"L","email":"ada@x.org","affiliateLink":"ada"}`)
	do("POST", "/api/v1/affiliates", `{"firstName":5,"lastName":"","email":"ada@x.org","affiliateLink":""}`)
	do("POST", "/api/v1/affiliates", `{"firstName":"","lastName":5,"email":"ada@x.org","affiliateLink":""}`)
	do("POST", "/api/v1/affiliates", `{"firstName":"a","lastName":"5","email":"adax@x.org","affiliateLink":""}`)
	do("GET", "/api/v1/affiliates?id=ada", ``)
	do("GET", "/api/v1/links", ``)
	do("POST", "/api/v1/coupons", `{"name":"c","percentOff":20}`)
	do("GET", "/api/v1/coupons?name=c", ``)
	do("PUT", "/api/v1/coupons", `{"x":1}`)
	do("PUT", "/api/v1/coupons", `{"x":1,"couponId":"z"}`)
	do("PUT", "/api/v1/coupons", `{"couponId":"z","percentOff":500}`)
	do("POST", "/api/v1/sales", `{"referralId":"ada","email":"t@x.org","name":"T","totalEarned":100.50}`)
	do("POST", "/api/v1/sales", `{"promoCode":5,"totalEarned":100.50}`)
	do("POST", "/api/v1/sales", `{"promoCode":"","totalEarned":100.50}`)
	do("POST", "/api/v1/sales", `{"email":"q@x.org","totalEarned":"1"}`)
	do("PATCH", "/api/v1/sales", `{"saleId":"1","amount":null}`)
	do("PATCH", "/api/v1/sales", `{"saleId":"1","amount":10}`)
	do("GET", "/api/v1/sales?limit=1", ``)
	do("DELETE", "/api/v1/sales?saleId=1", ``)
	do("GET", "/api/v1/nope", ``)
	do("PATCH", "/api/v1/coupons", ``)
}
