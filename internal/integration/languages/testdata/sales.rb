# Two sales, their sum, and a refusal.
require "bigdecimal"
require "json"
require "net/http"

BASE, KEY = ARGV

def call(method, path, body = nil)
  headers = { "Authorization" => "Bearer #{KEY}", "Content-Type" => "application/json",
              "Amounts" => "string" }
  uri = URI(BASE + "/api/v1" + path)
  answer = Net::HTTP.start(uri.host, uri.port, use_ssl: uri.scheme == "https") do |http|
    http.send_request(method, uri.request_uri, body&.to_json, headers)
  end
  return answer, JSON.parse(answer.body)
end

{ "order-1" => BigDecimal("0.1"), "order-2" => BigDecimal("0.2") }.each do |order, total|
  _, sale = call("POST", "/sales", { referralId: "ada", email: "#{order}@example.net", name: "Kim",
                                     externalId: order, totalEarned: total.to_s("F") })
  abort "not recorded: #{order}" if sale.nil?
end
_, sales = call("GET", "/sales")
puts sales.sum { |sale| BigDecimal(sale["totalEarned"]) }.to_s("F")
refused, = call("POST", "/sales", { referralId: "ada", email: "kim@example.net",
                                    totalEarned: (0.1 + 0.2).to_s })
puts [refused.code, refused["Error-Code"], refused["Error-Field"]].join(" ")
