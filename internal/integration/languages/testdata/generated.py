# Two sales, their sum, and a refusal, by the client that was generated.
import sys
from decimal import Decimal

directory, base, key = sys.argv[1:]
sys.path.insert(0, directory)
from openapi_client import ApiClient, ApiException, Configuration, RecordSaleRequest, SalesApi

sales = SalesApi(ApiClient(Configuration(host=base), "Amounts", "string"))
sales.api_client.configuration.access_token = key


def record(order, total):
    sales.record_sale(RecordSaleRequest(referral_id="ada", email=order + "@example.net", name="Kim",
                                        external_id=order, total_earned=str(total)))


record("order-1", Decimal("0.1"))
record("order-2", Decimal("0.2"))
print(sum(Decimal(sale.total_earned) for sale in sales.search_sales()))
try:
    record("order-3", 0.1 + 0.2)
except ApiException as refused:
    print(refused.status, refused.headers["Error-Code"], refused.headers["Error-Field"])
