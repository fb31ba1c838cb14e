package servertest

import "net/http"

const addressRule = "contract 2.12, url: addresses by the host's policy, in every form alike; metadata services are always closed"

// closedHosts returns hosts that no setting of a server opens: the services that
// hand out a cloud machine's credentials, and their network.
func closedHosts() []string {
	return []string{
		"169.254.169.254", "168.63.129.16", "100.100.100.200", "192.0.0.192", "[fe80::1]", "[fd00:ec2::254]", "[fd20:ce::254]",
		"[::ffff:169.254.169.254]", "[64:ff9b::a9fe:a9fe]", "[2002:a9fe:a9fe::]",
	}
}

// loopbackForms returns addresses that lead to 127.0.0.1, as that address itself
// does.
func loopbackForms() []string {
	return []string{"127.0.0.1:8443", "[::ffff:127.0.0.1]", "[64:ff9b::7f00:1]"}
}

// privateHosts returns addresses that are not public. A server may open them.
func privateHosts() []string {
	return append(loopbackForms(),
		"127.0.0.1", "[::1]", "0.0.0.0", "[::]", "10.0.0.1", "172.16.0.1", "192.168.1.1", "100.64.0.1", "[fc00::1]", "192.0.2.1", "198.18.0.1", "224.0.0.1",
		"240.0.0.1", "255.255.255.255", "[2002:7f00:1::]",
	)
}

// addressCases returns the URLs of endpoints that a server's settings open or close.
func addressCases() []serverCase {
	var cases []serverCase
	for _, host := range closedHosts() {
		cases = append(cases, refusals(addressRule, "POST /webhooks", refusedCase{"B442 host " + host, `{"events":["*"],"url":"https://` + host + `/"}`, urlNotAllowed})...)
	}
	for _, host := range privateHosts() {
		cases = append(cases, serverCase{"B442 host " + host, addressRule, func(x *exam) { x.takes("https://"+host+"/", urlNotAllowed) }})
	}
	return append(cases,
		serverCase{"B442 what is open", addressRule, func(x *exam) {
			open := false
			for _, host := range privateHosts() {
				open = x.takes("https://"+host+"/", urlNotAllowed) || open
			}
			if x.server.PrivateAddresses && !open {
				x.fail(Failure{"POST /webhooks", "an address that is not public, as Server.PrivateAddresses says", "all of them refused"})
			}
			itself := x.takes("https://127.0.0.1/", urlNotAllowed)
			for _, form := range loopbackForms() {
				if x.takes("https://"+form+"/", urlNotAllowed) != itself {
					x.fail(Failure{"POST /webhooks, https://" + form + "/", "what https://127.0.0.1/ is answered", "another answer"})
				}
			}
		}},
		serverCase{"B439 url https://hooks.conform.example:80/", "contract 2.12, url: https, and port 80 only where http is open", func(x *exam) {
			plain := x.takes("http://hooks.conform.example/", urlNotHTTPS)
			if port := x.takes("https://hooks.conform.example:80/", urlNotHTTPS); port != plain {
				x.fail(Failure{"POST /webhooks, https://hooks.conform.example:80/", "what http://hooks.conform.example/ is answered", "another answer"})
			}
		}},
		serverCase{"B452 PUT url of loopback", "contract 4.2, PUT: the rows of POST", func(x *exam) {
			x.endpoint(`"events":["*"],"active":false`).as("w")
			a := x.do("PUT /webhooks", `{"webhookId":"{{w}}","url":"https://127.0.0.1/"}`)
			if open := x.takes("https://127.0.0.1/", urlNotAllowed); open {
				a.has(`{"url":"https://127.0.0.1/"}`)
				return
			}
			a.refused(urlNotAllowed)
		}},
	)
}

// takes reports whether the server accepts the URL of an endpoint. The case
// fails when the server accepts a URL that must be closed, and when it refuses
// one for another reason. The endpoint is deleted afterwards.
func (x *exam) takes(url string, want denial) bool {
	a := x.do("POST /webhooks", `{"events":["*"],"active":false,"url":"`+url+`"}`)
	if a.status == http.StatusOK {
		deleteWebhook(x, a.id())(x.ctx)
		if x.server.PrivateAddresses {
			a.has(`{"url":"` + url + `"}`)
			return true
		}
	}
	a.refused(want)
	return false
}
