/** Looks at each condition once a minute. One that begins is told once: a line in the log, and a mail to the mailbox that answers for the server's
 *  domain (postmaster). What stood before a restart is in the store. Of several daemons on one store, one does it. */
import type { Logger } from "pino";
import type { Settings } from "#/config/schema.ts";
import type { Accounts } from "#/src/accounts/accounts.ts";
import { findOwnDomain, findResponsible } from "#/src/accounts/role-mailboxes.ts";
import { server } from "#/src/model/author.ts";
import { after } from "#/src/model/background.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import { createOutage } from "#/src/model/outage.ts";
import { deliverMail } from "#/src/outbound/gate/gate.ts";
import { composeNotice, type NoticeRooms } from "#/src/outbound/holds/approver-mail.ts";
import { findConditions } from "#/storage/queries/deployment.ts";
import {
  type Condition,
  type ConditionName,
  conditionNames,
  conditions,
  type LookedAt,
} from "./conditions.ts";

export interface StandingCondition {
  readonly condition: ConditionName;
  readonly subject: string;
  readonly text: string;
  readonly since: number;
}

export interface ConditionRooms extends NoticeRooms {
  readonly accounts: Pick<Accounts, "findAgentFacts">;
  readonly settings: Pick<Settings, "server">;
  readonly log: Logger;
}

export interface Conditions {
  /** What stands as of the last look. */
  standing(): readonly StandingCondition[];
  /** Looks each minute from now on. */
  watch(at: LookedAt): { look(): Promise<void>; stop(): Promise<void> };
}

interface Kept extends StandingCondition {
  isTold: boolean;
}

const firstMs = 5000;
const everyMs = 60_000;

export function createConditions(rooms: ConditionRooms): Conditions {
  const { store, log } = rooms;
  let kept: ReadonlyMap<string, Kept> | undefined;

  async function look(at: LookedAt): Promise<void> {
    if (!store.leases.isHeld("maintenance")) return;
    kept ??= await readKept();
    const had = kept;
    const now = new Map<string, Kept>();
    for (const condition of conditionNames) {
      const subjects = new Set(
        [...had.values()].filter((one) => one.condition === condition).map(({ subject }) => subject),
      );
      const found = await (conditions[condition] as Condition).look(at, subjects);
      for (const { subject, text } of found) {
        const key = `${condition} ${subject}`;
        const { since = store.clock.now(), isTold = false } = had.get(key) ?? {};
        now.set(key, { condition, subject, text, since, isTold });
      }
    }
    kept = now;
    const begun = [...now].filter(([key]) => !had.has(key)).map(([, one]) => one);
    const ended = [...had].filter(([key]) => !now.has(key)).map(([, one]) => one);
    for (const { condition, text } of begun)
      log.warn({ condition, what: text }, conditions[condition].meaning);
    for (const { condition, text } of ended) log.info({ condition, what: text }, "over");
    const untold = [...now.values()].filter(({ isTold }) => !isTold);
    const isTold = untold.length > 0 && (await tell(untold));
    if (isTold) for (const one of untold) one.isTold = true;
    if (begun.length > 0 || ended.length > 0 || isTold) await keep([...now.values()]);
  }

  async function readKept(): Promise<Map<string, Kept>> {
    const rows = JSON.parse((await findConditions(store)) ?? "[]") as Kept[];
    // Another version may have had other conditions.
    const known = rows.filter(({ condition }) => conditionNames.includes(condition));
    return new Map(known.map((one) => [`${one.condition} ${one.subject}`, one]));
  }

  /** A store that takes nothing takes no notice either: the next look tries again. */
  async function keep(standing: readonly Kept[]): Promise<void> {
    await unlessRefused(async () => {
      await store.write(server, "keepConditions", { standing: JSON.stringify(standing) });
    });
  }

  async function tell(untold: readonly Kept[]): Promise<boolean> {
    return unlessRefused(async () => {
      const domain = await findOwnDomain(store, rooms.settings.server.domain);
      const mailbox = domain === undefined ? undefined : await findResponsible(store, domain);
      const facts = mailbox && (await rooms.accounts.findAgentFacts(mailbox.agent));
      if (facts === undefined) return;
      const about = [...new Set(untold.map(({ condition }) => condition))];
      const text = about
        .map((condition) => {
          const lines = untold.filter((one) => one.condition === condition).map((one) => `    ${one.text}`);
          return [`${conditions[condition].meaning}:`, lines.join("\n"), conditions[condition].remedy].join(
            "\n\n",
          );
        })
        .join("\n\n");
      const subject = `${rooms.settings.server.hostname}: ${conditions[about[0]!].meaning.toLowerCase()}${about.length > 1 ? ", and more" : ""}`;
      const end = "You get this once; waypost status shows what stands, and the log says when it is over.";
      await deliverMail(store, await composeNotice(rooms, facts, { subject, text: `${text}\n\n${end}` }));
    });
  }

  return {
    standing: () => [...(kept?.values() ?? [])].map(({ isTold: _, ...one }) => one),
    watch(at) {
      const outage = createOutage(log, "conditions could not be looked at");
      let running: Promise<void> = Promise.resolve();
      let timer = after(firstMs, turn).unref();
      const lookOnce = (): Promise<void> => {
        running = running.then(() => look(at)).then(outage.worked, outage.failed);
        return running;
      };
      async function turn(): Promise<void> {
        await lookOnce();
        timer = after(everyMs, turn).unref();
      }
      return {
        look: lookOnce,
        async stop() {
          clearTimeout(timer);
          await running;
          clearTimeout(timer);
        },
      };
    },
  };
}

/** False where the store refused it. */
async function unlessRefused(work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (!isWaypostError(error) || error.code === "internal") throw error;
    return false;
  }
}
