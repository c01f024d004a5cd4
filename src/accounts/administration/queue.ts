/** The queue of outgoing mail, and the suppressed addresses. */

import { z } from "zod";
import { WaypostError } from "#/src/model/errors.ts";
import type { MessageNumber } from "#/src/model/numbers.ts";
import { createReturnPaths } from "#/src/model/return-path.ts";
import { neverAt } from "#/src/model/scheduled.ts";
import {
  findSubmission,
  findSubmissionOfMessage,
  listOpenSubmissions,
  listRecipients,
} from "#/storage/queries/outbound/submissions.ts";
import { listSuppressions } from "#/storage/queries/outbound/suppressions.ts";
import type { Store } from "#/storage/store.ts";
import type { SubmissionRecipientRow, SubmissionRow } from "#/storage/submission.ts";
import { type AdministrationRooms, administrationOperation } from "./operation.ts";
import { isoTime, nameField, ownerField, selectAccount, selectOwner } from "./selectors.ts";

const entriesMax = 1000;

const submissionField = z
  .string()
  .min(1)
  .max(100)
  .describe(
    "Its id, as the list shows it, which also stands behind +b- in the return path; or the message_… that it left as.",
  );
const accountField = nameField
  .optional()
  .describe("Name of the account; not needed while there is one alone.");

function idOf(store: Store, { agent, submission }: SubmissionRow): string {
  return createReturnPaths(store.key("return-path")).tokenOf({ agent, submission });
}

async function selectSubmission(store: Store, id: string): Promise<SubmissionRow> {
  const row = await findSubmissionByName(store, id.trim().toLowerCase());
  if (row === undefined) throw new WaypostError("not_found", `There is no mail ${id} in the queue.`);
  return row;
}

export function findSubmissionByName(store: Store, id: string): Promise<SubmissionRow | undefined> {
  const object = store.ids.decode(id);
  if (object?.kind === "message")
    return findSubmissionOfMessage(store, object.agent, object.object as MessageNumber);
  const name = createReturnPaths(store.key("return-path")).readToken(id);
  return name === undefined ? Promise.resolve(undefined) : findSubmission(store, name.agent, name.submission);
}

async function summarize(store: Store, row: SubmissionRow) {
  const waiting = (await listRecipients(store, row.agent, row.submission)).filter(
    ({ state }) => state === "queued" || state === "scheduled",
  );
  const next = Math.min(...waiting.map(({ nextAttemptAt }) => nextAttemptAt));
  return {
    id: idOf(store, row),
    from: row.envelopeFrom,
    to: waiting.map(({ address }) => address),
    attempts: Math.max(0, ...waiting.map(({ attemptCount }) => attemptCount)),
    status: waiting.find(({ status }) => status !== null)?.status ?? null,
    nextAttemptAt: Number.isFinite(next) && next < neverAt ? isoTime(next) : null,
    createdAt: isoTime(row.createdAt),
  };
}

export async function describeSubmission(store: Store, row: SubmissionRow) {
  const recipients = await listRecipients(store, row.agent, row.submission);
  return {
    id: idOf(store, row),
    from: row.envelopeFrom,
    message: row.message === 0 ? null : store.ids.encode("message", row.agent, row.message),
    size: row.size,
    createdAt: isoTime(row.createdAt),
    sendAt: isoTime(row.sendAt),
    expiresAt: isoTime(row.expiresAt),
    closedAt: isoTime(row.closedAt),
    recipients: recipients.map(describeRecipient),
  };
}

function describeRecipient(row: SubmissionRecipientRow) {
  return {
    address: row.address,
    state: row.state,
    attempts: row.attemptCount,
    nextAttemptAt: row.state === "queued" ? isoTime(row.nextAttemptAt) : null,
    host: row.host,
    status: row.status,
    reply: row.reply,
    updatedAt: isoTime(row.updatedAt),
  };
}

/** Only a daemon sends. */
function sender({ outbound }: AdministrationRooms): NonNullable<AdministrationRooms["outbound"]> {
  if (outbound === undefined) throw new WaypostError("upstream_unavailable", "No daemon sends this mail.");
  return outbound;
}

export const queueOperations = [
  administrationOperation({
    name: "queue.list",
    kind: "mail",
    isRead: true,
    summary: "List the mail that is on its way out, the oldest first.",
    input: z.strictObject({ agent: ownerField.optional().describe("Only of this one: address or id.") }),
    async run({ store }, { agent }) {
      const owner = agent === undefined ? undefined : (await selectOwner(store, agent)).agent;
      const rows = await listOpenSubmissions(store, { agent: owner, limit: entriesMax });
      const mails = [];
      for (const row of rows) mails.push(await summarize(store, row));
      return { mails };
    },
  }),
  administrationOperation({
    name: "queue.show",
    kind: "mail",
    isRead: true,
    summary: "Show a mail with what became of it for each recipient.",
    input: z.strictObject({ id: submissionField }),
    positional: ["id"],
    async run({ store }, { id }) {
      return describeSubmission(store, await selectSubmission(store, id));
    },
  }),
  administrationOperation({
    name: "queue.retry",
    kind: "mail",
    summary: "Try a mail again now.",
    input: z.strictObject({ id: submissionField }),
    positional: ["id"],
    async run(rooms, { id }, by) {
      const count = await sender(rooms).retry(by, await selectSubmission(rooms.store, id));
      if (count === 0)
        throw new WaypostError(
          "precondition_failed",
          "No delivery of that mail can be tried: it is finished or scheduled.",
        );
      return { id, recipients: count };
    },
  }),
  administrationOperation({
    name: "queue.cancel",
    kind: "mail",
    summary:
      "Try a mail no more; scheduled mail goes to Trash. What another server has already taken does not come back.",
    input: z.strictObject({ id: submissionField }),
    positional: ["id"],
    isDestructive: true,
    async run(rooms, { id }, by) {
      await sender(rooms).cancel(by, await selectSubmission(rooms.store, id));
      return describeSubmission(rooms.store, await selectSubmission(rooms.store, id));
    },
  }),
];

export const suppressionOperations = [
  administrationOperation({
    name: "suppression.list",
    kind: "mail",
    isRead: true,
    summary: "List the addresses that get no more mail, as mail to them has failed for good.",
    input: z.strictObject({ account: accountField }),
    async run({ store }, { account: name }) {
      const { account } = await selectAccount(store, name);
      const rows = await listSuppressions(store, account, entriesMax);
      return {
        suppressions: rows.map(({ address, reason, createdAt }) => ({
          address,
          reason,
          createdAt: isoTime(createdAt),
        })),
      };
    },
  }),
  administrationOperation({
    name: "suppression.remove",
    kind: "mail",
    summary: "Let mail go to an address again.",
    input: z.strictObject({
      address: z.string().min(3).max(320).describe("The address."),
      account: accountField,
    }),
    positional: ["address"],
    async run({ store }, { address: text, account: name }, by) {
      const { account } = await selectAccount(store, name);
      const address = text.trim().toLowerCase();
      await store.write(by, "removeSuppression", { account, address });
      return { address, removed: true };
    },
  }),
];
