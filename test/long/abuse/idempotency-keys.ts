/** Writes with a new idempotency key each, and many writes at once with the same key: `node test/long/abuse/idempotency-keys.ts`. */
import { type Attack, attack } from "./attack.ts";
import { bearer, overAndOver, send } from "./clients.ts";

const logins = 3;
const atOnce = 60;

export const idempotencyKeys: Attack = {
  title: `${atOnce} writes at once with idempotency keys`,
  attackers: logins,
  run: (daemon, attackers, until) =>
    overAndOver(
      atOnce,
      until,
      (at, round) => {
        const key = at % 2 === 0 ? "k".repeat(100) : `${at}-${round}-${"k".repeat(100)}`;
        const body = { name: `f${at}-${round}`, idempotency_key: key.slice(0, 100) };
        const [operation, more] =
          at % 3 === 0 ? ["blob.create", { data: "A".repeat(60_000) }] : ["folder.create", {}];
        return send(daemon, `/v1/${operation}`, JSON.stringify({ ...body, ...more }), {
          network: 1 + (at % 3),
          until,
          fields: bearer(attackers[at % logins]!),
        });
      },
      0,
    ),
};

await attack(import.meta, idempotencyKeys);
