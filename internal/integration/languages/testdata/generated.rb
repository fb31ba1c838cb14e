# Two sales, their sum, and a refusal, by the client that was generated.
directory, base, key = ARGV
$LOAD_PATH.unshift("#{directory}/lib")
require "bigdecimal"
require "openapi_client"

OpenapiClient.configure do |config|
  config.scheme, config.host = base.split("://")
  config.access_token = key
end
sales = OpenapiClient::SalesApi.new
sales.api_client.default_headers["Amounts"] = "string"

record = lambda do |order, total|
  sales.record_sale(OpenapiClient::RecordSaleRequest.new(
    referral_id: "ada", email: "#{order}@example.net", name: "Kim", external_id: order,
    total_earned: total))
end

record.call("order-1", BigDecimal("0.1").to_s("F"))
record.call("order-2", BigDecimal("0.2").to_s("F"))
puts sales.search_sales.sum { |sale| BigDecimal(sale.total_earned) }.to_s("F")
begin
  record.call("order-3", (0.1 + 0.2).to_s)
rescue OpenapiClient::ApiError => e
  puts [e.code, e.response_headers["Error-Code"], e.response_headers["Error-Field"]].join(" ")
end
