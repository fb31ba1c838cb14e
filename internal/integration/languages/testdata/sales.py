# Two sales, their sum, and a refusal.
import json, sys, urllib.error, urllib.request
from decimal import Decimal

base, key = sys.argv[1:]


def call(method, path, body=None):
    request = urllib.request.Request(base + "/api/v1" + path, method=method, headers={
        "Authorization": "Bearer " + key, "Content-Type": "application/json", "Amounts": "string"})
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(request, data) as answer:
        return json.load(answer)


for order, total in (("order-1", Decimal("0.1")), ("order-2", Decimal("0.2"))):
    sale = call("POST", "/sales", {"referralId": "ada", "email": order + "@example.net",
                                   "name": "Kim", "externalId": order, "totalEarned": str(total)})
    if sale is None:
        sys.exit("not recorded: " + order)
print(sum(Decimal(sale["totalEarned"]) for sale in call("GET", "/sales")))
try:
    call("POST", "/sales", {"referralId": "ada", "email": "kim@example.net",
                            "totalEarned": str(0.1 + 0.2)})
except urllib.error.HTTPError as refused:
    print(refused.code, refused.headers["Error-Code"], refused.headers["Error-Field"])
