/** The way of one mail: the lines of the log about it, what the store knows of it, and what became of it in the queue. */
import { z } from "zod";
import { WaypostError } from "#/src/model/errors.ts";
import type { AgentNumber, MessageNumber } from "#/src/model/numbers.ts";
import { findAgent } from "#/storage/queries/accounts/agents.ts";
import { listEntriesOfMessage } from "#/storage/queries/mail/entries.ts";
import { listMailboxes } from "#/storage/queries/mail/mailboxes.ts";
import { findMessage } from "#/storage/queries/mail/messages.ts";
import { findHold, findHoldOfMessage } from "#/storage/queries/outbound/holds.ts";
import type { MailboxRow, MessageRow } from "#/storage/rows.ts";
import type { Store } from "#/storage/store.ts";
import { primaryAddress } from "../principal.ts";
import { describeHold } from "./holds.ts";
import { jobsOf } from "./job-operations.ts";
import { administrationOperation } from "./operation.ts";
import type { AdministrationResult } from "./operation-call.ts";
import { describeSubmission, findSubmissionByName } from "./queue.ts";
import { isoTime } from "./selectors.ts";
import { worksOf } from "./transfers.ts";

const idsMax = 1000;
/** Members of a log line with further ids of the same mail. */
const linking = ["message", "messages", "submission", "hold"] as const;

export const traceOperation = administrationOperation({
  name: "mail.trace",
  command: "trace",
  kind: "records",
  isRead: true,
  summary:
    "Show the whole way of a mail: the log about it, where it is stored and why, and what became of it in the queue.",
  input: z.strictObject({
    id: z
      .string()
      .min(1)
      .max(200)
      .describe(
        "message_…, the id of a submission or hold_…, req_…, or the word after 'as' in an SMTP reply.",
      ),
    related: z
      .array(z.string().min(1).max(200))
      .max(idsMax)
      .optional()
      .describe("Further ids of the mail, of a log that was read elsewhere; the log file is not read then."),
  }),
  positional: ["id"],
  run: (rooms, { id, related }, by, call) =>
    jobsOf(rooms).run("mail.trace", by, call, async (watcher) => {
      const lines = related === undefined ? await worksOf(rooms).traceLog(id, by, watcher) : [];
      const ids = new Set([id, ...(related ?? []), ...idsOf(lines ?? [])]);
      const found = {
        ...(lines === undefined ? {} : { lines }),
        ...(await describeStored(rooms.store, [...ids].slice(0, idsMax))),
      };
      if (related === undefined) assertFound(id, found);
      return found;
    }),
});

export function idsOf(lines: readonly AdministrationResult[]): string[] {
  return lines
    .flatMap((line) => linking.flatMap((name) => line[name] as string | string[] | undefined))
    .filter((one): one is string => typeof one === "string");
}

async function describeStored(store: Store, ids: readonly string[]) {
  const stored = new Map<string, AdministrationResult>();
  const holds = new Map<string, AdministrationResult>();
  const queue = new Map<string, AdministrationResult>();
  const unread = [...ids];
  const seen = new Set<string>();
  for (let id = unread.shift(); id !== undefined; id = unread.shift()) {
    if (seen.has(id) || seen.size > idsMax) continue;
    seen.add(id);
    const submission = await findSubmissionByName(store, id.trim().toLowerCase());
    if (submission !== undefined) {
      const shown = await describeSubmission(store, submission);
      queue.set(shown.id, shown);
      if (shown.message !== null) unread.push(shown.message);
    }
    const object = store.ids.decode(id);
    // Nothing of a deleted owner is known.
    const owner = object === undefined ? undefined : await findAgent(store, object.agent);
    if (object === undefined || owner === undefined) continue;
    const hold =
      object.kind === "hold"
        ? await findHold(store, object.agent, object.object)
        : object.kind === "message"
          ? await findHoldOfMessage(store, object.agent, object.object as MessageNumber)
          : undefined;
    if (hold !== undefined) {
      const shown = await describeHold(store, hold);
      holds.set(shown.id, shown);
      unread.push(shown.message);
    }
    if (object.kind !== "message") continue;
    const message = await findMessage(store, object.agent, object.object as MessageNumber);
    if (message !== undefined)
      stored.set(id, {
        id,
        mailbox: primaryAddress(owner),
        ...(await describeMessage(store, object.agent, message)),
      });
  }
  return { stored: [...stored.values()], holds: [...holds.values()], queue: [...queue.values()] };
}

interface StoredProvenance {
  readonly source: string;
  readonly addressed?: false;
  readonly checks?: {
    readonly spf?: { readonly result: string; readonly domain?: string };
    readonly dkim?: readonly { readonly result: string; readonly domain?: string }[];
    readonly dmarc?: { readonly result: string; readonly domain?: string; readonly policy?: string };
    readonly spam?: { readonly action: string; readonly score: number; readonly isSpam: boolean };
  };
}

async function describeMessage(store: Store, agent: AgentNumber, row: MessageRow) {
  const boxes = new Map((await listMailboxes(store, agent)).map((box) => [box.mailbox, box]));
  const entries = await listEntriesOfMessage(store, agent, row.message);
  const folders = entries.flatMap(({ mailbox }) => boxes.get(mailbox) ?? []);
  const provenance = JSON.parse(row.provenance) as StoredProvenance;
  const { spf, dkim = [], dmarc } = provenance.checks ?? {};
  const junk = whyInJunk(folders, provenance);
  return {
    receivedAt: isoTime(row.receivedAt),
    from: row.fromAddress,
    size: row.size,
    came: provenance.source,
    authenticated: row.isAuthenticated,
    ...(spf === undefined ? {} : { spf: resultOf(spf) }),
    ...(dkim.length === 0 ? {} : { dkim: dkim.map(resultOf) }),
    ...(dmarc === undefined ? {} : { dmarc: resultOf(dmarc) }),
    folders: folders.map(({ name }) => name),
    ...(junk === undefined ? {} : { junk }),
    received: receivedLines(row.trace),
  };
}

function resultOf({ result, domain }: { readonly result: string; readonly domain?: string }): string {
  return domain === undefined ? result : `${result} (${domain})`;
}

/** Why mail was put into Junk when it came. */
function whyInJunk(
  folders: readonly MailboxRow[],
  { checks: { dmarc, spam } = {} }: StoredProvenance,
): string | undefined {
  if (!folders.some(({ role }) => role === "junk")) return undefined;
  if (spam?.isSpam === true) return `the spam filter said ${spam.action}, with a score of ${spam.score}`;
  if (dmarc?.result === "fail" && ["quarantine", "reject"].includes(dmarc.policy ?? ""))
    return `DMARC failed, and ${dmarc.domain ?? "the author's domain"} asks for ${dmarc.policy} (evidence.failed_dmarc)`;
  return "it was moved there after it had come; waypost log says by whom";
}

/** The trace fields of this copy: by whom it was handed in, and with which id of the log. */
function receivedLines(trace: Uint8Array): string[] {
  return Buffer.from(trace)
    .toString()
    .replaceAll(/\r\n[ \t]+/g, " ")
    .split("\r\n")
    .filter((line) => /^(?:Return-Path|Delivered-To|Received):/.test(line));
}

/** Throws `not_found` if neither log nor store nor queue has anything. */
export function assertFound(id: string, found: AdministrationResult): void {
  const {
    lines = [],
    stored,
    holds,
    queue,
  } = found as Readonly<Record<string, readonly unknown[] | undefined>>;
  if (lines.length > 0 || [stored, holds, queue].some((list) => list !== undefined && list.length > 0))
    return;
  throw new WaypostError("not_found", `Nothing is known about ${id}.`, {
    hint:
      "lines" in found
        ? "It may have left the log; waypost queue list shows what is on its way out."
        : "The store knows message_…, hold_… and submissions. Other ids are in the log, which is in no file (log.file): journalctl -u waypost -o cat | waypost trace <id> --log -",
  });
}
