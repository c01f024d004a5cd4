import { randomBytes } from "node:crypto";
import { z } from "zod";
import type { Author } from "#/src/model/author.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { defaultScopes, type Scope } from "#/src/model/roles.ts";
import { findDomain } from "#/storage/queries/accounts/accounts.ts";
import { findAgent, listAddresses, listAgents } from "#/storage/queries/accounts/agents.ts";
import type { AddressRow, AgentKind, AgentRow } from "#/storage/rows.ts";
import type { Store } from "#/storage/store.ts";
import type { CreateAgent } from "#/storage/transactions/accounts/create-agent.ts";
import { formatAddress, readAddress } from "../address.ts";
import { pauseOf } from "../agent-facts.ts";
import { primaryAddress } from "../principal.ts";
import { scramIterations, scramSaltBytes } from "../scram.ts";
import { makePassword, makeToken, type TokenFacts } from "./credentials.ts";
import { personInvitation } from "./invitations.ts";
import { type AdministrationRooms, administrationOperation } from "./operation.ts";
import { isoTime, nameField, ownerField, scopesField, selectOwner } from "./selectors.ts";
import {
  approverSubscribes,
  describeSendingPolicy,
  type PolicyInput,
  readSendingPolicy,
  sendingPolicyFields,
  subscribeApprover,
} from "./sending-policy.ts";
import { createWebhook, readUrl, urlField, webhookTypesField } from "./webhooks.ts";

export interface NewOwner {
  readonly id: string;
  readonly kind: AgentKind;
  readonly address: string;
  readonly name: string;
  /** Shown once; an agent alone has one. */
  readonly token?: string;
  /** Shown once. */
  readonly password: string;
}

interface OwnerInput extends PolicyInput {
  readonly address: string;
  readonly name?: string | undefined;
  readonly quotaBytes?: number | undefined;
}

interface FirstCredentials {
  readonly token?: TokenFacts | undefined;
  readonly password?: { readonly scopes?: readonly Scope[] | undefined } | undefined;
}

interface MadeOwner {
  readonly id: string;
  readonly name: string;
  readonly address: string;
  /** Shown once. */
  readonly token?: string;
  readonly password?: string;
}

/** An agent or a person with their mailbox, policy and first credentials: all of it or nothing is made. `maker`: a person who makes it. */
export async function createMailboxOwner(
  by: Author,
  { store, settings }: Pick<AdministrationRooms, "store" | "settings">,
  kind: AgentKind,
  input: OwnerInput,
  first: FirstCredentials,
  maker?: CreateAgent["maker"],
): Promise<MadeOwner> {
  const address = readAddress(input.address);
  const domain = await findDomain(store, address.domain);
  if (domain === undefined) throw unknownDomain(address.domain);
  const name = input.name ?? address.localPart;
  const salted = { scramSalt: randomBytes(scramSaltBytes), scramIterations };
  const token = first.token && makeToken(first.token);
  const password = first.password && (await makePassword(salted, "first", first.password.scopes));
  const { agent } = await store.write(by, "createAgent", {
    account: domain.account,
    kind,
    name,
    address,
    at: store.clock.now(),
    quotaBytes: input.quotaBytes ?? settings.storage.quotaBytes,
    ...salted,
    maker,
    policy: await readSendingPolicy(store, domain.account, input),
    approverSubscribes: approverSubscribes(formatAddress(address)),
    token: token?.kept,
    password: password?.kept,
  });
  return {
    id: store.ids.encode("agent", agent),
    name,
    address: formatAddress(address),
    ...(token && { token: token.secret }),
    ...(password && { password: password.secret }),
  };
}

/** The same with an app password, and for an agent a token. */
export async function createOwner(
  by: Author,
  rooms: AdministrationRooms,
  kind: AgentKind,
  input: OwnerInput & { readonly scopes?: readonly Scope[] | undefined },
): Promise<NewOwner> {
  const { scopes } = input;
  const token = { name: "first", scopes: scopes ?? defaultScopes, expiresAt: null };
  const first = { password: { scopes }, ...(kind === "agent" && { token }) };
  const { id, address, name, ...secrets } = await createMailboxOwner(by, rooms, kind, input, first);
  return { id, kind, address, name, ...secrets, password: secrets.password! };
}

function unknownDomain(domain: string): WaypostError {
  return new WaypostError("not_found", `${domain} is no domain of this server.`, {
    hint: `Add it first: waypost domain add ${domain}.`,
    field: "/address",
  });
}

async function describeOwner(store: Store, row: AgentRow, addresses: readonly AddressRow[]) {
  const pause = pauseOf(row);
  return {
    id: store.ids.encode("agent", row.agent),
    address: primaryAddress(row),
    name: row.name,
    state: row.state,
    ...(pause === undefined ? {} : { paused: { reason: pause.reason, since: isoTime(pause.since ?? null) } }),
    aliases: addresses.filter((address) => !address.isPrimary).map(textOf),
    messages: row.messageCount,
    bytes: row.byteCount,
    quotaBytes: row.quotaBytes,
    ...(row.kind === "agent" ? await describeSendingPolicy(store, row.agent) : {}),
    createdAt: isoTime(row.createdAt),
  };
}

function textOf({ localPart, domain }: AddressRow): string {
  return formatAddress({ localPart, domain });
}

const quotaField = z.coerce.number().int().min(0).optional().describe("Most bytes of mail; 0 for no bound.");
const displayNameField = nameField.optional().describe("Name as people read it.");

/** The same for agents and for people: both own a mailbox. */
function ownerOperations(kind: AgentKind) {
  const plural = kind === "agent" ? "agents" : "people";
  const selector = ownerField.describe(`The ${kind}'s address or id (ag_…).`);
  return [
    administrationOperation({
      name: `${kind}.list`,
      kind: "accounts",
      isRead: true,
      summary: `List the ${plural}.`,
      input: z.strictObject({}),
      async run({ store }) {
        const rows = (await listAgents(store)).filter((row) => row.kind === kind);
        const described = [];
        for (const row of rows)
          described.push(await describeOwner(store, row, await listAddresses(store, row.agent)));
        return { [plural]: described };
      },
    }),
    administrationOperation({
      name: `${kind}.show`,
      kind: "accounts",
      isRead: true,
      summary: `Show one ${kind}.`,
      input: z.strictObject({ owner: selector }),
      positional: ["owner"],
      async run({ store }, input) {
        const row = await selectOwner(store, input.owner, kind);
        return describeOwner(store, row, await listAddresses(store, row.agent));
      },
    }),
    administrationOperation({
      name: `${kind}.update`,
      kind: "accounts",
      summary:
        kind === "agent"
          ? "Change the name or the quota of one agent, what it may send and who approves the rest."
          : "Change the name or the quota of one person.",
      input: z.strictObject({
        owner: selector,
        name: displayNameField,
        quotaBytes: quotaField,
        ...(kind === "agent" ? sendingPolicyFields : {}),
      }),
      positional: ["owner"],
      async run({ store }, input, by) {
        const { agent, account } = await selectOwner(store, input.owner, kind);
        // A person has none of its fields.
        const policy = await readSendingPolicy(store, account, input as PolicyInput);
        await store.write(by, "updateAgent", {
          agent,
          ...(input.name === undefined ? {} : { name: input.name }),
          ...(input.quotaBytes === undefined ? {} : { quotaBytes: input.quotaBytes }),
        });
        if (policy !== undefined)
          await store.write(by, "setSendingPolicy", { agent, ...policy, at: store.clock.now() });
        const row = (await findAgent(store, agent))!;
        if (policy?.approver != null) await subscribeApprover(by, store, row);
        return describeOwner(store, row, await listAddresses(store, agent));
      },
    }),
    ...(["pause", "resume"] as const).map((verb) =>
      administrationOperation({
        name: `${kind}.${verb}`,
        kind: "accounts",
        summary:
          verb === "pause" ? `Stop one ${kind} from sending; mail still arrives.` : "Take a pause back.",
        input: z.strictObject({ owner: selector }),
        positional: ["owner"],
        async run({ store, outbound }, input, by) {
          const row = await selectOwner(store, input.owner, kind);
          const state = verb === "pause" ? "paused" : "active";
          await store.write(by, "setAgentState", {
            agent: row.agent,
            state,
            by: "operator",
            at: store.clock.now(),
          });
          // Mail that was queued before the pause is due now.
          if (verb === "resume") outbound?.ring();
          return { address: primaryAddress(row), state };
        },
      }),
    ),
    administrationOperation({
      name: `${kind}.delete`,
      kind: "accounts",
      summary: `Delete one ${kind} with all mail and credentials.`,
      input: z.strictObject({ owner: selector }),
      positional: ["owner"],
      isDestructive: true,
      async run({ store }, input, by) {
        const row = await selectOwner(store, input.owner, kind);
        await store.write(by, "deleteAgent", { agent: row.agent });
        return { address: primaryAddress(row), deleted: true };
      },
    }),
    ...(["alias", "unalias"] as const).map((verb) =>
      administrationOperation({
        name: `${kind}.${verb}`,
        kind: "accounts",
        summary:
          verb === "alias"
            ? `Lead a further address to one ${kind}; *@domain is every address of the domain that is not taken.`
            : `Lead an address no longer to one ${kind}.`,
        input: z.strictObject({
          owner: selector,
          address: z.string().max(300).describe("The further address."),
        }),
        positional: ["owner", "address"],
        async run({ store }, input, by) {
          const row = await selectOwner(store, input.owner, kind);
          const { domain, localPart } = readAddress(input.address);
          const owner = await findDomain(store, domain);
          if (owner?.account !== row.account) throw unknownDomain(domain);
          const target = { agent: row.agent, domain, localPart };
          if (verb === "unalias") await store.write(by, "removeAddress", target);
          else await store.write(by, "addAddress", { ...target, isPrimary: false, at: store.clock.now() });
          return describeOwner(store, row, await listAddresses(store, row.agent));
        },
      }),
    ),
  ];
}

export const agentOperations = [
  administrationOperation({
    name: "agent.create",
    kind: "accounts",
    summary: "Create an agent: a mailbox with a token and an app password, both shown once.",
    input: z.strictObject({
      address: ownerField.describe("Its address, in a domain of this server."),
      name: displayNameField,
      quotaBytes: quotaField,
      scopes: scopesField
        .optional()
        .describe("What its token and its app password may do; without it the usual of each."),
      webhookUrl: urlField
        .optional()
        .describe("Where its events go: an https URL; the secret that signs them is shown once."),
      webhookTypes: webhookTypesField,
      ...sendingPolicyFields,
    }),
    positional: ["address"],
    async run(rooms, { webhookUrl, webhookTypes, ...input }, by) {
      const { store, settings, webhooks } = rooms;
      // Checked before the agent is created, so that a refusal leaves no agent behind.
      const url =
        webhookUrl === undefined ? undefined : readUrl(webhookUrl, settings.webhooks, "/webhookUrl");
      const created = await createOwner(by, rooms, "agent", input);
      if (url === undefined) return { ...created };
      const { agent } = store.ids.decode(created.id)!;
      const webhook = await createWebhook(by, store, agent, url, webhookTypes ?? []);
      webhooks?.changed();
      return { ...created, webhook };
    },
  }),
  ...ownerOperations("agent"),
];

export const personOperations = [
  administrationOperation({
    name: "person.create",
    kind: "accounts",
    summary: "Create a person: a mailbox with an app password, shown once.",
    input: z.strictObject({
      address: ownerField.describe("Their address, in a domain of this server."),
      name: displayNameField,
      quotaBytes: quotaField,
    }),
    positional: ["address"],
    run: async (rooms, input, by) => ({ ...(await createOwner(by, rooms, "person", input)) }),
  }),
  personInvitation,
  ...ownerOperations("person"),
];
