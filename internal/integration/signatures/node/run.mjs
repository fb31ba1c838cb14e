// Reads requests as JSON from standard input and writes, for each, what the two
// libraries say: whether they verify it, and how they sign it.
import { Webhook as Standard } from "standardwebhooks";
import { Webhook as Svix } from "svix";

const libraries = { standardwebhooks: Standard, svix: Svix };

let input = "";
for await (const chunk of process.stdin) input += chunk;

function ask(Webhook, { secret, headers, body, id, timestamp }) {
  const answer = { verified: false, signature: "" };
  const bytes = Buffer.from(body, "base64");
  try {
    const webhook = new Webhook(secret);
    if (id) answer.signature = webhook.sign(id, new Date(timestamp * 1000), bytes.toString("utf8"));
    webhook.verify(bytes, headers);
    answer.verified = true;
  } catch (error) {
    answer.error = String(error);
  }
  return answer;
}

const answers = JSON.parse(input).map((request) =>
  Object.fromEntries(Object.entries(libraries).map(([name, Webhook]) => [name, ask(Webhook, request)])),
);
process.stdout.write(JSON.stringify(answers));
