import { randomBytes } from "node:crypto";
import { isIP } from "node:net";
import { z } from "zod";
import type { Settings } from "#/config/schema.ts";
import type { Author } from "#/src/model/author.ts";
import { type EventType, eventTypes } from "#/src/model/changes.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { isPublicAddress } from "#/src/model/public-address.ts";
import { findAgent } from "#/storage/queries/accounts/agents.ts";
import {
  findWebhook,
  listWebhookAttempts,
  listWebhooks,
  listWebhooksOfAgent,
} from "#/storage/queries/accounts/webhooks.ts";
import type { WebhookRow } from "#/storage/rows.ts";
import type { Store } from "#/storage/store.ts";
import { primaryAddress } from "../principal.ts";
import { administrationOperation } from "./operation.ts";
import { isoTime, numberField, ownerField, selectOwner } from "./selectors.ts";

/** Bound on the webhooks of one mailbox: each reads the event log separately. */
const webhooksMax = 10;
/** Standard Webhooks requires 24 to 64 bytes. */
const secretBytes = 32;
const urlCharactersMax = 2000;

export const webhookTypesField = z
  .array(z.enum(eventTypes))
  .min(1)
  .optional()
  .describe(`Only these event types, of ${eventTypes.join(", ")}.`);
export const urlField = z
  .string()
  .min(1)
  .max(urlCharactersMax)
  .describe("Where the events go: an https URL.");

export const webhookOperations = [
  administrationOperation({
    name: "webhook.add",
    kind: "webhooks",
    summary: "Send the events of a mailbox to an address; the secret that signs them is shown once.",
    input: z.strictObject({
      owner: ownerField.describe("Whose events: address or id (ag_…)."),
      url: urlField,
      types: webhookTypesField,
    }),
    positional: ["owner", "url"],
    async run({ store, settings, webhooks }, input, by) {
      const row = await selectOwner(store, input.owner);
      const url = readUrl(input.url, settings.webhooks, "/url");
      const { number, ...created } = await createWebhook(by, store, row.agent, url, input.types ?? []);
      webhooks?.changed();
      return { number, owner: primaryAddress(row), ...created };
    },
  }),
  administrationOperation({
    name: "webhook.list",
    kind: "webhooks",
    isRead: true,
    summary: "List the webhooks, of one mailbox or of all.",
    input: z.strictObject({ owner: ownerField.optional() }),
    async run({ store }, { owner }) {
      const rows =
        owner === undefined
          ? await listWebhooks(store)
          : await listWebhooksOfAgent(store, (await selectOwner(store, owner)).agent);
      const described = [];
      for (const row of rows) described.push(await describeWebhook(store, row));
      return { webhooks: described };
    },
  }),
  administrationOperation({
    name: "webhook.remove",
    kind: "webhooks",
    summary: "Send nothing more to a webhook, and forget it.",
    input: z.strictObject({ number: numberField }),
    positional: ["number"],
    async run({ store, webhooks }, { number }, by) {
      await store.write(by, "deleteWebhook", { webhook: number });
      webhooks?.changed();
      return { number, removed: true };
    },
  }),
  administrationOperation({
    name: "webhook.resume",
    kind: "webhooks",
    summary: "Take up a webhook again that was given up, from where it stood.",
    input: z.strictObject({
      number: numberField,
      from: z
        .enum(["position", "now"])
        .default("position")
        .describe("position: nothing is left out (as far as events are kept); now: with the next event."),
    }),
    positional: ["number"],
    async run({ store, webhooks }, { number, from }, by) {
      await store.write(by, "resumeWebhook", { webhook: number, isFromNow: from === "now" });
      webhooks?.changed();
      return describeWebhook(store, await selectWebhook(store, number));
    },
  }),
  administrationOperation({
    name: "webhook.test",
    kind: "webhooks",
    summary: "Send a test event to a webhook now, and say what came of it.",
    input: z.strictObject({ number: numberField }),
    positional: ["number"],
    async run({ store, webhooks }, { number }) {
      const { url } = await selectWebhook(store, number);
      if (webhooks === undefined)
        throw new WaypostError("unavailable", "Nothing is sent from here.", {
          hint: "Ask the command line for it.",
        });
      const { status, error } = await webhooks.test(number);
      return { number, url, delivered: error === null, status, error };
    },
  }),
  administrationOperation({
    name: "webhook.resend",
    kind: "webhooks",
    summary: "Send one request of a webhook's history once more, with the same events.",
    input: z.strictObject({
      message: z.string().min(1).max(100).describe("As the history names it: msg_…"),
    }),
    positional: ["message"],
    async run({ webhooks }, { message }) {
      if (webhooks === undefined)
        throw new WaypostError("unavailable", "Nothing is sent from here.", {
          hint: "Ask the command line for it.",
        });
      const { status, error } = await webhooks.resend(message);
      return { message, delivered: error === null, status, error };
    },
  }),
  administrationOperation({
    name: "webhook.history",
    kind: "webhooks",
    isRead: true,
    summary: "Show the last requests to a webhook, the newest first.",
    input: z.strictObject({
      number: numberField,
      limit: z.coerce.number().int().min(1).max(100).default(20).describe("How many."),
    }),
    positional: ["number"],
    async run({ store }, { number, limit }) {
      await selectWebhook(store, number);
      const rows = await listWebhookAttempts(store, number, limit);
      return {
        attempts: rows.map(({ message, at, status, error, eventCount }) => ({
          at: isoTime(at),
          message,
          events: eventCount,
          status,
          error,
        })),
      };
    },
  }),
];

/** Returns the secret that signs its requests; no other call returns it. */
export async function createWebhook(
  by: Author,
  store: Store,
  agent: AgentNumber,
  url: string,
  eventTypes: readonly EventType[],
) {
  const secret = `whsec_${randomBytes(secretBytes).toString("base64")}`;
  const types = [...new Set(eventTypes)];
  const { webhook } = await store.write(by, "createWebhook", {
    agent,
    url,
    secret,
    types,
    limit: webhooksMax,
    at: store.clock.now(),
  });
  return { number: webhook, url, types: shownTypes(types), secret };
}

async function selectWebhook(store: Store, number: number): Promise<WebhookRow> {
  const row = await findWebhook(store, number);
  if (row === undefined)
    throw new WaypostError("not_found", "There is no such webhook.", { field: "/number" });
  return row;
}

async function describeWebhook(store: Store, row: WebhookRow) {
  const owner = await findAgent(store, row.agent);
  return {
    number: row.webhook,
    owner: owner === undefined ? null : primaryAddress(owner),
    url: row.url,
    types: shownTypes(row.types),
    state: row.state,
    failures: row.failureCount,
    failingSince: isoTime(row.failingSince),
    nextAttemptAt: row.failureCount === 0 ? null : isoTime(row.nextAttemptAt),
    createdAt: isoTime(row.createdAt),
  };
}

function shownTypes(types: readonly string[]): "all" | readonly string[] {
  return types.length === 0 ? "all" : types;
}

/** Checks of a URL without looking up its host name; the addresses are checked with every connection. */
export function readUrl(
  text: string,
  { allowPrivateAddresses }: Settings["webhooks"],
  field: string,
): string {
  const badUrl = (message: string): WaypostError =>
    new WaypostError("invalid", message, {
      field,
      hint: "webhooks.allow_private_addresses lets private addresses and http be.",
    });
  if (text.length > urlCharactersMax) throw badUrl(`The URL has more than ${urlCharactersMax} characters.`);
  const url = URL.parse(text);
  if (url === null || !["https:", "http:"].includes(url.protocol))
    throw badUrl("The URL is no https address.");
  if (url.username !== "" || url.password !== "" || url.hash !== "")
    throw badUrl("The URL must have no credentials and no fragment.");
  if (allowPrivateAddresses) return url.href;
  if (url.protocol !== "https:") throw badUrl("Events go out encrypted: the URL must begin with https.");
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (host === "localhost" || (isIP(host) !== 0 && !isPublicAddress(host)))
    throw badUrl("The address is not of the public internet.");
  return url.href;
}
