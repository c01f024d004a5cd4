/** Clients take as many locks as one login may have, list them and release them, in a loop: `node test/long/abuse/dav-locks.ts`. */
import { type Attack, attack } from "./attack.ts";
import { bearer, overAndOver, send } from "./clients.ts";
import { collectionsOf } from "./dav.ts";

const logins = 3;
const atOnce = 40;
const lock =
  '<lockinfo xmlns="DAV:"><lockscope><SCOPE/></lockscope><locktype><write/></locktype><owner>x</owner></lockinfo>';
const discovery = '<propfind xmlns="DAV:"><prop><lockdiscovery/><supportedlock/></prop></propfind>';

export const davLocks: Attack = {
  title: `${atOnce} clients lock and look at locks`,
  attackers: logins,
  run: async (daemon, attackers, until) => {
    const collections = await Promise.all(attackers.map((one) => collectionsOf(daemon, one, until)));
    await overAndOver(
      atOnce,
      until,
      (at, round) => {
        const { calendar } = collections[at % logins]!;
        const isLook = round % 5 === 0;
        const body = isLook ? discovery : lock.replace("SCOPE", round % 2 === 0 ? "shared" : "exclusive");
        const path = isLook ? calendar : `${calendar}l${at}-${round}.ics`;
        const fields = {
          ...bearer(attackers[at % logins]!),
          "content-type": "application/xml",
          depth: isLook ? "1" : "0",
        };
        return send(daemon, path, body, {
          network: 1 + (at % 3),
          until,
          method: isLook ? "PROPFIND" : "LOCK",
          fields,
        });
      },
      0,
    );
  },
};

await attack(import.meta, davLocks);
