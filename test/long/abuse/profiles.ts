/** Strangers ask for the profile for Apple's systems, each for another address: `node test/long/abuse/profiles.ts`. */
import { type Attack, attack } from "./attack.ts";
import { overAndOver, send } from "./clients.ts";

const strangers = 60;

export const profiles: Attack = {
  title: `${strangers} strangers ask for profiles`,
  attackers: 1,
  async run(daemon, [owner], until) {
    const domain = owner!.address.split("@")[1]!;
    await overAndOver(
      strangers,
      until,
      (at, round) =>
        send(daemon, `/apple.mobileconfig?emailaddress=a${at}.${round}%40${domain}`, "", {
          ...{ network: 1 + (at % 3), until, method: "GET" },
        }),
      5,
    );
  },
};

await attack(import.meta, profiles);
