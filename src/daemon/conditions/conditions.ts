/** What an operator has to hear of before users do: one table. Each condition says when it begins and when it ends, with another number for the end, so
 *  that it does not come and go at each look. While it stands, `waypost_condition` counts it; when it begins, there is a line of `warn`
 *  and a notice (`watch-conditions.ts`). */
import { statfs } from "node:fs/promises";
import type { Settings } from "#/config/schema.ts";
import { countOverdue, countWaitingSince, listFullMailboxes } from "#/storage/queries/load.ts";
import type { Store } from "#/storage/store.ts";
import type { AcmeTrouble } from "../acme/acme-runner.ts";

export interface LookedAt {
  readonly store: Store;
  readonly settings: Pick<Settings, "server">;
  readonly certificate: { readonly expiresAt: number; readonly isSelfSigned: boolean };
  /** Names for which no certificate was obtained at the last try. */
  troubles(): readonly AcmeTrouble[];
  freeBytes(folder: string): Promise<number>;
}

/** One thing that is so now. `subject` tells those of the same condition apart. */
export interface Standing {
  readonly subject: string;
  readonly text: string;
}

export interface Condition {
  /** The help of the metric, and the title of the notice. */
  readonly meaning: string;
  /** What to do, for the notice. */
  readonly remedy: string;
  /** `had`: the subjects that stood at the last look; they end by the second number. */
  look(at: LookedAt, had: ReadonlySet<string>): Promise<readonly Standing[]>;
}

const mebibyte = 1024 * 1024;
const minuteMs = 60_000;
const dayMs = 86_400_000;

const disk = { beginsBytes: 256 * mebibyte, endsBytes: 384 * mebibyte };
const overdue = { beginsMs: 15 * minuteMs, endsMs: 2 * minuteMs };
/** So many recipients that wait for an hour are no matter of one domain that is slow. */
const waiting = { sinceMs: 60 * minuteMs, begins: 20, ends: 5 };
const expiry = { beginsMs: 14 * dayMs, endsMs: 21 * dayMs };
const quota = { beginsPercent: 90, endsPercent: 85 };
/** Mailboxes that are named. */
const mailboxesMax = 100;

export const conditions = {
  disk_full: {
    meaning: "The disk of the store is nearly full",
    remedy:
      "Below 64 MiB no mail is accepted. Make room, or move the data to a larger disk: waypost backup, and docs/operate.md.",
    async look({ store, freeBytes }, had) {
      const free = await freeBytes(store.folder);
      if (free >= (had.has("") ? disk.endsBytes : disk.beginsBytes)) return [];
      return [{ subject: "", text: `${Math.floor(free / mebibyte)} MiB are free at ${store.folder}` }];
    },
  },
  queue_overdue: {
    meaning: "Mail waits in the queue that should have left",
    remedy: "waypost queue list shows it with the last reply, and waypost trace <id> one mail.",
    async look({ store }, had) {
      const now = store.clock.now();
      const untried = await countOverdue(store, now - (had.has("") ? overdue.endsMs : overdue.beginsMs));
      const old = await countWaitingSince(store, now - waiting.sinceMs, 1000);
      if (untried === 0 && old < (had.has("") ? waiting.ends : waiting.begins)) return [];
      const said = [
        ...(untried === 0 ? [] : [`${untried} recipients are due and were not tried`]),
        ...(old === 0 ? [] : [`${old === 1000 ? "1000 or more" : old} wait for more than an hour`]),
      ];
      return [{ subject: "", text: said.join("; ") }];
    },
  },
  certificate_failing: {
    meaning: "A certificate is not renewed",
    remedy:
      "Look whether the name leads to this server, and whether the authority reaches its port 80 or 443: waypost domain check.",
    async look({ store, settings, certificate, troubles }, had) {
      const { hostname } = settings.server;
      const left = certificate.expiresAt - store.clock.now();
      const isNear = !certificate.isSelfSigned && left < (had.has("") ? expiry.endsMs : expiry.beginsMs);
      return [
        ...troubles().map(({ name, reason }) => ({ subject: name, text: `${name}: ${reason}` })),
        ...(isNear
          ? [
              {
                subject: "",
                text: `the certificate of ${hostname} expires ${new Date(certificate.expiresAt).toUTCString()}`,
              },
            ]
          : []),
      ];
    },
  },
  quota_nearly_full: {
    meaning: "A mailbox has used nine tenths of its quota",
    remedy:
      "A full mailbox refuses mail. waypost agent update or waypost person update with --quota-bytes gives it more.",
    async look({ store }, had) {
      const rows = await listFullMailboxes(store, quota.endsPercent, mailboxesMax);
      return rows.flatMap(({ agent, address, byteCount, quotaBytes }) => {
        const subject = store.ids.encode("agent", agent);
        const percent = Math.floor((byteCount * 100) / quotaBytes);
        if (percent < quota.beginsPercent && !had.has(subject)) return [];
        return [{ subject, text: `${address} uses ${percent} % of ${Math.ceil(quotaBytes / mebibyte)} MiB` }];
      });
    },
  },
} as const satisfies Record<string, Condition>;
export type ConditionName = keyof typeof conditions;
export const conditionNames = Object.keys(conditions) as readonly ConditionName[];

export async function freeBytes(folder: string): Promise<number> {
  const { bsize, bavail } = await statfs(folder);
  return bsize * bavail;
}
