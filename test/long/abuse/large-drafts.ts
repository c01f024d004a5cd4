/** As many drafts at once as allowed, with 1 MiB of text, HTML, attachments and data: `node test/long/abuse/large-drafts.ts`. */
import { type Attack, attack } from "./attack.ts";
import { bearer, overAndOver, send } from "./clients.ts";

const logins = 3;
const atOnce = 60;
const bytes = 1_000_000;
const bodies = [
  { text: "ä€😀 ".repeat(bytes / 12) },
  { html: "<b>".repeat(bytes / 3) },
  { html: `<p>${"word &amp; word <br>".repeat(bytes / 20)}` },
  { text: "x".repeat(bytes) },
  { text: "short", agent: { type: "urn:x", data: Array.from({ length: 40_000 }, (_, n) => ({ n })) } },
  { text: "short", attachments: [{ data: "A".repeat(900_000), name: "a.bin" }] },
].map((body) => JSON.stringify({ body: { to: ["a@outside.example"], subject: "large", ...body } }));

export const largeDrafts: Attack = {
  title: `${atOnce} drafts of ${bytes} octets at once`,
  attackers: logins,
  run: (daemon, attackers, until) =>
    overAndOver(atOnce, until, (at, round) =>
      send(daemon, "/v1/draft.create", bodies[(at + round) % bodies.length]!, {
        network: 1 + (at % 3),
        until,
        fields: bearer(attackers[at % logins]!),
      }),
    ),
};

await attack(import.meta, largeDrafts);
