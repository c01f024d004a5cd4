/** Twenty tenants with an account each: one is quiet, nineteen attack at once, each in its own way. Strangers attack at the same time:
 *  `node test/long/abuse/hostile-tenants.ts [--minutes 10]`. */

import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { createOwner } from "#/src/accounts/administration/agents-and-people.ts";
import { administer } from "#/src/accounts/administration/operations.ts";
import { atCommandLine } from "#/src/model/author.ts";
import { defaultScopes } from "#/src/model/roles.ts";
import { type ChildDaemon, startInProcessDaemon } from "../../support/daemon.ts";
import { appendHeld } from "./append-held.ts";
import { type Attack, attack } from "./attack.ts";
import { badTokens } from "./bad-tokens.ts";
import { blobCreate } from "./blob-create.ts";
import { chunkedDribble } from "./chunked-dribble.ts";
import { compress } from "./compress.ts";
import { davLocks } from "./dav-locks.ts";
import { davPut } from "./dav-put.ts";
import { davReports } from "./dav-reports.ts";
import { documents } from "./documents.ts";
import { http2Preface } from "./http2-preface.ts";
import { idempotencyKeys } from "./idempotency-keys.ts";
import { idleSmtp } from "./idle-smtp.ts";
import { largeDrafts } from "./large-drafts.ts";
import { loginFailures } from "./login-failures.ts";
import { mailboxes } from "./mailboxes.ts";
import { mcp } from "./mcp.ts";
import { metadata } from "./metadata.ts";
import { inNetworksFrom } from "./networks.ts";
import { notify } from "./notify.ts";
import { sendBursts } from "./send-bursts.ts";
import { smtpTrickle } from "./smtp-trickle.ts";
import { starttlsSilence } from "./starttls-silence.ts";
import { storeFlags } from "./store-flags.ts";
import { unreadStreams } from "./unread-streams.ts";
import type { VictimAgent } from "./victim.ts";

const { values } = parseArgs({ options: { minutes: { type: "string", default: "1" } } });

/** Each attack is made by one tenant. */
const tenants: readonly Attack[] = [
  ...[appendHeld, blobCreate, chunkedDribble, compress, davLocks, davPut, davReports, documents],
  ...[idempotencyKeys, largeDrafts, mailboxes, mcp, metadata, notify, sendBursts, storeFlags],
  ...[unreadStreams, largeDrafts, mcp],
];
const strangers: readonly Attack[] = [
  ...[badTokens, http2Preface, idleSmtp, loginFailures, smtpTrickle, starttlsSilence],
];
/** The number of networks that each attack has. */
const networks = 1000;

async function createTenants(data: string): Promise<VictimAgent[]> {
  await using daemon = await startInProcessDaemon({ data, agents: 0, people: 0 });
  const { house } = daemon.daemon;
  const agents: VictimAgent[] = [];
  for (let count = 0; count <= tenants.length; count++) {
    const name = `tenant${count}`;
    await administer(atCommandLine, house, "account.create", { name });
    await administer(atCommandLine, house, "domain.add", { name: `${name}.example`, account: name });
    const scopes = [...defaultScopes, "raw" as const];
    const owner = await createOwner(atCommandLine, house, "agent", {
      address: `agent@${name}.example`,
      scopes,
    });
    agents.push(owner as VictimAgent);
  }
  return agents;
}

/** Runs all attacks at once, each from networks of its own. */
function everyone<T>(
  agents: readonly VictimAgent[],
  act: (what: Attack, attackers: readonly VictimAgent[]) => Promise<T>,
): Promise<T[]> {
  return Promise.all(
    [...tenants, ...strangers].map((what, at) => {
      const attackers = Array.from({ length: what.attackers }, () => agents[at % agents.length]!);
      return inNetworksFrom(at * networks, () => act(what, attackers));
    }),
  );
}

await attack(import.meta, {
  title: `${tenants.length} hostile tenants and ${strangers.length} bands of strangers`,
  attackers: tenants.length,
  seconds: Number(values.minutes) * 60,
  isWholeMachine: true,
  fill: createTenants,
  async prepare(daemon: ChildDaemon, agents: readonly VictimAgent[], victim: VictimAgent) {
    await everyone(agents, async ({ prepare }, attackers) => prepare?.(daemon, attackers, victim));
    return undefined;
  },
  async run(daemon, agents, until, victim) {
    await everyone(agents, async ({ title, run }, attackers) => {
      // The other attacks may leave no room to begin, so an attack that fails begins again.
      while (!until.aborted)
        await run(daemon, attackers, until, victim).catch(async (error: unknown) => {
          if (!until.aborted) console.log(`  ${title}: ${String(error).slice(0, 200)}`);
          await delay(1000);
        });
    });
  },
});
