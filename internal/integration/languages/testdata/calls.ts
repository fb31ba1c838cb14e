// Three calls with the types that openapi-typescript makes: a record, a refusal, a list.
import createClient from "openapi-fetch";
import type { paths } from "./api.js";

const [baseUrl, key] = process.argv.slice(2);
const api = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${key}` } });

const made = await api.POST("/api/v1/affiliates", {
  body: { firstName: "Ada", lastName: "Lovelace", email: "ada@example.com", affiliateLink: "ada" },
});
console.log(made.response.status, made.data?.email);

const refused = await api.POST("/api/v1/links", { body: { link: "ada", affiliateEmail: "ada@example.com" } });
console.log(refused.response.status, refused.error?.error);

const listed = await api.GET("/api/v1/links", { params: { query: { affiliateEmail: "ada@example.com" } } });
console.log(listed.response.status, Array.isArray(listed.data) ? listed.data.map((link) => link.link) : listed.data);
