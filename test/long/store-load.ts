/** Producers that deliver, flag and expunge as fast as the store accepts it; one write in twenty is made to be refused. They keep a
 *  journal of what was acknowledged. The producers of `item-load.ts` and `invitation-load.ts` run with them. As a program:
 *  `store-load.ts <folder> <journal> <tag>`, until it is killed. */

import fs from "node:fs";
import { pathToFileURL } from "node:url";
import { nobody } from "#/src/model/author.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import type { MailboxNumber } from "#/src/model/numbers.ts";
import { openStore } from "#/storage/open-store.ts";
import { listAgents } from "#/storage/queries/accounts/agents.ts";
import { findMailboxByName } from "#/storage/queries/mail/mailboxes.ts";
import type { AgentRow } from "#/storage/rows.ts";
import type { Store } from "#/storage/store.ts";
import { startInvitationLoad } from "./invitation-load.ts";
import { startItemLoad } from "./item-load.ts";
import { formatLine, type JournalLine } from "./journal.ts";
import { factsOf } from "./made-facts.ts";

const producers = 40;

/** Makes agents for the load when the store has none. */
export async function prepareStore(store: Store, count: number): Promise<void> {
  if ((await listAgents(store)).length > 0) return;
  const at = store.clock.now();
  const { account } = await store.write(nobody, "createAccount", { name: "load", at });
  await store.write(nobody, "createDomain", { name: "load.test", account, at });
  for (let number = 1; number <= count; number++)
    await store.write(nobody, "createAgent", {
      account,
      kind: "agent",
      name: `agent${number}`,
      address: { domain: "load.test", localPart: `agent${number}` },
      quotaBytes: null,
      scramSalt: new Uint8Array(16),
      scramIterations: 4096,
      at,
    });
}

export interface Load {
  /** Resolves when the producers have finished their current writes. */
  stop(): Promise<void>;
}

/** Runs the producers. They wait after a temporary refusal; `onRefusal` gets its reason. */
export async function startLoad(
  store: Store,
  journal: number,
  tag: string,
  onRefusal: (reason: string) => void = () => {},
): Promise<Load> {
  const agents = await listAgents(store);
  const inboxes = new Map<number, MailboxNumber>();
  for (const { agent } of agents)
    inboxes.set(agent, (await findMailboxByName(store, agent, "INBOX"))!.mailbox);
  let isStopping = false;
  const say = (line: JournalLine): void => void fs.writeSync(journal, formatLine(line));

  /** Makes a write. Undefined after a temporary refusal. */
  async function attempt<R>(write: () => Promise<R>): Promise<R | undefined> {
    try {
      return await write();
    } catch (error) {
      if (!isWaypostError(error) || error.code !== "upstream_unavailable") throw error;
      onRefusal(error.details.reason ?? error.message);
      await new Promise((resolve) => setTimeout(resolve, 5));
      return undefined;
    }
  }

  async function produce(number: number): Promise<void> {
    for (let round = 0; !isStopping; round++) {
      const { agent, account } = agents[(number + round) % agents.length]!;
      const mailbox = inboxes.get(agent)!;
      const mark = `${tag}-${number}-${round}`;
      if (round % 20 === 7) await provokeRefusal(store, { agent, account });
      const at = store.clock.now();
      const facts = await factsOf(mark, number % 8 === 0 && round % 16 === 0 ? 300_000 : 1500);
      const delivered = await attempt(() =>
        store.write(nobody, "deliverMessage", {
          facts,
          recipients: [
            {
              account,
              agent,
              mailboxRole: "inbox",
              trace: Buffer.from("Return-Path: <>\r\n"),
              flags: 0,
              provenance: "{}",
              isAuthenticated: false,
              source: "load",
            },
          ],
          internalDate: at,
          at,
        }),
      );
      if (delivered === undefined) continue;
      const { uid } = delivered.deliveries[0]!;
      const line = { agent, uid, mark };
      say({ ...line, action: "deliver", isDone: true });
      const place = { agent, mailbox, uids: [[uid, uid]] as const, at };
      const flag = { ...place, mode: "add" as const, keywords: ["load"] };
      if (
        round % 3 === 0 &&
        (await attempt(() => store.write(nobody, "storeFlags", { actor: nobody, ...flag, flags: 1 }))) !==
          undefined
      )
        say({ ...line, action: "flag", isDone: true });
      if (
        round % 4 !== 0 ||
        (await attempt(() => store.write(nobody, "storeFlags", { actor: nobody, ...flag, flags: 8 }))) ===
          undefined
      )
        continue;
      say({ ...line, action: "expunge", isDone: false });
      if (
        (await attempt(() => store.write(nobody, "expungeMessages", { ...place, actor: nobody }))) !==
        undefined
      )
        say({ ...line, action: "expunge", isDone: true });
    }
  }

  const running = Promise.all([
    ...Array.from({ length: producers }, (_, number) => produce(number)),
    startItemLoad(store, journal, tag, attempt, () => isStopping),
    startInvitationLoad(store, journal, tag, attempt, () => isStopping),
  ]);
  return {
    async stop() {
      isStopping = true;
      await running;
    },
  };
}

async function provokeRefusal(store: Store, { agent }: Pick<AgentRow, "agent" | "account">): Promise<void> {
  const place = { agent, mailbox: 999_999_999 as MailboxNumber };
  try {
    await store.write(nobody, "expungeMessages", { actor: nobody, ...place, at: 0 });
  } catch (error) {
    if (isWaypostError(error) && (error.code === "not_found" || error.code === "upstream_unavailable"))
      return;
    throw error;
  }
  throw new Error("A write to a mailbox that is not there was acknowledged");
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const [folder, journal, tag] = process.argv.slice(2);
  const store = await openStore({ folder: folder! });
  await startLoad(store, fs.openSync(journal!, "a"), tag!);
  // Keeps the process alive until it is killed, or until the store ends it.
  setInterval(() => {}, 1000);
}
