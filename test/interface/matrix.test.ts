/** Every operation with every kind of object that it names, every scope, every relation of the caller to the object's owner, and every
 *  state of the credential: the result follows from the table. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { statusOfCode } from "#/protocols/json/errors.ts";
import type { Operation } from "#/protocols/json/operation.ts";
import { operations } from "#/protocols/json/registry.ts";
import { namingFields } from "#/protocols/json/schemas.ts";
import { hasScope } from "#/src/accounts/principal.ts";
import { nobody } from "#/src/model/author.ts";
import type { ErrorCode } from "#/src/model/errors.ts";
import { idPrefix, type ObjectKind, objectKinds } from "#/src/model/ids.ts";
import { scopes as allScopes, type Scope } from "#/src/model/roles.ts";
import { type HttpClient, httpClient } from "../support/clients/http.ts";
import { sampleOf } from "../support/samples.ts";
import { type JsonServer, type Owner, openJsonServer, plainMessage } from "../support/servers/json-server.ts";
import { type Named, type Row, rows } from "./authorization-table.ts";

/** Whose the object is, as seen by who asks. */
const relations = [
  "own",
  "granted",
  "granted INBOX",
  "granted mail:read",
  "grant has ended",
  "same account",
  "other account",
] as const;
type Relation = (typeof relations)[number];

/** A token of each scope, of none that is of use, of pairs that some operations take, and of all. */
const scopeSets: readonly (readonly Scope[])[] = [
  ...allScopes.map((scope) => [scope]),
  ["mail:read", "raw"],
  ["mail", "raw"],
  ["mail:read", "send"],
  ["contacts:read", "raw"],
  ["calendar:read", "raw"],
  [...allScopes],
];

/** What a grant narrows is asked with all that a token can have: what a token narrows is asked of the others. */
const scopeSetsOf = (relation: Relation): readonly (readonly Scope[])[] =>
  relation === "granted mail:read" || relation === "grant has ended" ? [allScopes] : scopeSets;

let server: JsonServer;
let owners: readonly Owner[];
const named = {} as Record<Relation, Named>;
const clients = new Map<string, HttpClient>();
/** By id, as their owners read them. */
const versions = new Map<string, string>();
/** What the owners have before anything is asked. */
let before: unknown;

beforeAll(async () => {
  server = await openJsonServer({ limits: { streamsPerToken: 1000, sendsPerHour: 0, sendsPerDay: 0 } });
  const { ada, bob, eve } = server;
  const [gus, ivy, rex, una] = [
    await createOwner("gus@first.example"),
    await createOwner("ivy@first.example"),
    await createOwner("rex@first.example"),
    await createOwner("una@first.example"),
  ];
  const ownerOf: Record<Relation, Owner> = {
    own: ada,
    granted: gus,
    "granted INBOX": ivy,
    "granted mail:read": rex,
    "grant has ended": una,
    "same account": bob,
    "other account": eve,
  };
  for (const relation of relations) named[relation] = await name(ownerOf[relation]);
  owners = Object.values(ownerOf);
  const scopes = allScopes.filter((scope) => !scope.endsWith(":read"));
  const grant = async (target: Owner, more: object) => {
    const made = await server.administer("grant.create", {
      holder: ada.address,
      target: target.address,
      scopes,
      ...more,
    });
    return made.number as number;
  };
  await grant(gus, {});
  await grant(ivy, { mailboxes: ["INBOX"] });
  await grant(rex, { scopes: ["mail:read"] });
  await grant(una, { expiresInDays: 1 });
  await server.administer("grant.revoke", { number: await grant(una, {}) });
  server.clock.advance(86_400_000);
  for (const scopes of scopeSets) clients.set(scopes.join(), (await server.token(ada, scopes)).client);
  before = await contents();
});
afterAll(() => server[Symbol.asyncDispose]());

/** Every folder, calendar and addressbook of every owner with its counts, the blobs, and the version of every named object. */
async function contents(): Promise<unknown> {
  const described = owners.map(async ({ id, client }) => (await client.ok("part.describe", { id })).content);
  const kept = [...versions.keys()].map(async (id) => {
    const { client } = owners.find(
      ({ agent }) => agent === server.store.ids.decode(id.split("#")[0]!)!.agent,
    )!;
    return [id, (await client.ok("part.describe", { id })).version];
  });
  return { mailboxes: await Promise.all(described), versions: Object.fromEntries(await Promise.all(kept)) };
}

async function createOwner(address: string): Promise<Owner> {
  const { id, token } = (await server.administer("agent.create", { address })) as Record<string, string>;
  const { agent } = server.store.ids.decode(id!)!;
  return { id: id!, token: token!, address, agent, client: httpClient(server.url, token) };
}

async function name(owner: Owner): Promise<Named> {
  const { client, id } = owner;
  const message = await server.deliver(owner, plainMessage());
  const { content } = await client.ok("part.describe", { id: message });
  const filed = await server.deliver(owner, plainMessage("Filed"));
  const { thread: filedThread } = (await client.ok("part.describe", { id: filed })).content;
  const [folder, draft, blob] = [
    await client.ok("folder.create", { path: "Work" }),
    await client.ok("draft.create", { body: { text: "Hello" } }),
    await client.ok("blob.create", { data: "" }),
  ];
  await client.ok("message.update", { id: filed, folder: folder.ref });
  const hold = await client.ok("send", { body: { to: [owner.address], text: "Hello" }, hold: "always" });
  const { addressbooks, calendars } = (await client.ok("part.describe", { id })).content;
  const addressbook = addressbooks[0].id as string;
  const calendar = calendars[0].id as string;
  const { ref: event } = await client.ok("event.create", { body: { start: "2026-03-02T10:00:00" } });
  const { ref: contact } = await client.ok("contact.create", { body: { name: "Ada" } });
  const inBook = `${addressbook}#${contact}`;
  for (const one of [
    message,
    filed,
    folder.ref,
    draft.ref,
    blob.ref,
    hold.hold,
    addressbook,
    contact,
    inBook,
    calendar,
    event,
    `${calendar}#${event}`,
  ])
    versions.set(one, (await client.ok("part.describe", { id: one })).version);
  return {
    agent: id,
    message,
    filed,
    filedThread,
    inbox: content.folder,
    folder: folder.ref,
    thread: content.thread,
    draft: draft.ref,
    blob: blob.ref,
    hold: hold.hold,
    addressbook,
    contact,
    calendar,
    event,
  };
}

function expectedOf(row: Row, relation: Relation, scopes: readonly Scope[]): number {
  const operation = operations.find((one) => one.name === row.operation)!;
  const owned = new Set(scopes);
  const { scope } = operation;
  if (scope !== "any" && scope !== "kind" && !hasScope(owned, scope)) return 403;
  if (row.field === "") return row.reached;
  if (row.first !== undefined && !hasScope(owned, row.first)) return 403;
  // An object of another mailbox is looked for after the caller's rights on its own mailbox were checked.
  const needed = (relation === "own" ? row.own?.scopes : undefined) ?? row.scopes;
  const isReached =
    needed.every((one) => hasScope(owned, one)) || row.or?.some((one) => hasScope(owned, one)) === true;
  if (row.isBeside === true) {
    if (!isReached) return 403;
    if (relation === "own") return ownOf(row);
    if (relation === "other account") return 404;
    return relation === "same account" || relation === "grant has ended" ? 403 : 400;
  }
  if (relation === "other account") return 404;
  if (relation === "same account" || relation === "grant has ended" || !isReached) return 403;
  if (relation === "granted mail:read" && row.scopes.some((one) => one !== "mail:read")) return 403;
  if (relation === "granted INBOX" && ["all", "drafts", "holds"].includes(row.folder)) return 403;
  return relation === "own" ? (row.own?.reached ?? row.reached) : row.reached;
}

/** The status where the object is of the caller's mailbox too: that of the row that is not about another mailbox. */
function ownOf({ operation, field }: Row): number {
  return rows.find((one) => one.operation === operation && one.field === field && one.isBeside !== true)!
    .reached;
}

/** A request that must be refused has the right version, so that only the expected refusal can stop it. A request that the caller may make
 *  has no version, so that it changes nothing. */
async function ask(client: HttpClient, row: Row, relation: Relation, expected: number): Promise<Answer> {
  const { operation, input } = row;
  const request = input(named[relation], named.own) as { readonly id?: string; readonly draft?: string };
  const version =
    row.reached === 409 && expected !== 409 ? versions.get(request.id ?? request.draft ?? "") : undefined;
  const versioned = version === undefined ? request : { ...request, version };
  if (operation !== "watch") {
    const { status, body } = await client.call(operation, versioned);
    // In a batch the answer to an id stands at its place.
    const refusal = body.results?.[0].error;
    const error = refusal ?? body.error;
    if (body.created === true) await removeMade(body);
    return { status: refusal === undefined ? status : statusOfCode[refusal.code as ErrorCode], error };
  }
  await using stream = await client.watch(request);
  return { status: stream.status, error: undefined };
}

/** What a request has made is removed by its owner, so that no later row finds it. */
async function removeMade({
  ref,
  version,
}: {
  readonly ref: string;
  readonly version: string;
}): Promise<void> {
  const { kind, agent } = server.store.ids.decode(ref)!;
  const owner = owners.find((one) => one.agent === agent)!;
  await owner.client.ok(`${kind}.delete`, { id: ref, version });
  // Drafts go there first.
  const { content } = await owner.client.ok("search", { folder: "trash" });
  for (const one of content.items)
    await owner.client.ok("message.delete", { id: one.id, version: one.version });
}

interface Answer {
  readonly status: number;
  /** As it was answered: a failing row shows why. */
  readonly error: unknown;
}

const titleOf = ({ operation, field, kind, scopes, folder }: Row, index: number): string =>
  `${index + 1} ${operation}${field === "" ? "" : ` ${field} ${kind}_…`} (${scopes.join(" and ") || "any scope"}, ${folder})`;

/** That it has a row for each operation, and for each kind of object that a field takes, the compiler says (`authorization-table.ts`), from
 *  what the fields declare. */
describe("a field that names an object", () => {
  const fields = operations.flatMap(({ name, input }) =>
    namingFieldsOf(input, "").map((field) => ({ operation: name, ...field })),
  );

  it("says in its description which kinds it takes, or stands in a field that does", () => {
    const told = fields.map(({ operation, path, kinds, description }) => ({
      field: `${operation} ${path}`,
      kinds: kinds.map(idPrefix).filter((prefix) => !description.includes(`${prefix}…`)),
    }));
    expect(told.filter(({ kinds }) => kinds.length > 0)).toEqual([]);
  });

  it("is the only one whose description has the form of an id", () => {
    const described = operations.flatMap((operation) =>
      describedOf(operation).map((one) => `${operation.name} ${one}`),
    );
    const declared = new Set(
      fields.flatMap(({ operation, path, kinds }) =>
        kinds.map((kind) => `${operation} ${path} ${idPrefix(kind)}`),
      ),
    );
    const isDeclared = (one: string): boolean =>
      [...declared].some((field) => field === one || field.replace(/\/\w+ /, " ") === one);
    expect(described.filter((one) => !isDeclared(one))).toEqual([]);
  });

  it("refuses an id of each kind that it does not take, and says where it stands", async () => {
    const client = clients.get(allScopes.join())!;
    const answers: string[] = [];
    for (const { operation, path, kinds } of fields) {
      const { input, kind } = rows.find((one) => one.operation === operation && one.field === path)!;
      const isBody = path.startsWith("/body") || path.startsWith("/attach");
      // A folder may be named by its path, too: an id of another kind is a path that no folder has.
      const isRefused = (status: number, field: string): boolean =>
        kinds.join() === "folder"
          ? status >= 400
          : status === 400 && field !== "" && (path === field || path.startsWith(`${field}/`));
      for (const other of objectKinds.filter((one) => !kinds.includes(one))) {
        const id = named.own[idMembers[other][0]];
        const members = idMembers[kind as ObjectKind].map((member) => [member, id] as const);
        const wrong = { ...named.own, ...Object.fromEntries(members) };
        const request = input(wrong, isBody ? named.own : wrong) as { readonly id?: string };
        const version = versions.get(request.id ?? "");
        const asked = version === undefined ? request : { ...request, version };
        const { status, body } = await client.call(operation, asked);
        const field = ((body.error?.field as string | undefined) ?? "").replace(/\/\d+(?=\/|$)/g, "");
        if (!isRefused(status, field)) answers.push(`${operation} ${path} ${other}: ${status} ${field}`);
      }
    }
    expect(answers).toEqual([]);
  });
});

/** Where `Named` has ids of the kind. */
const idMembers = {
  agent: ["agent"],
  message: ["message", "filed"],
  thread: ["thread", "filedThread"],
  folder: ["folder", "inbox"],
  calendar: ["calendar"],
  event: ["event"],
  addressbook: ["addressbook"],
  contact: ["contact"],
  draft: ["draft"],
  hold: ["hold"],
  blob: ["blob"],
} as const satisfies Record<ObjectKind, readonly (keyof Named)[]>;

interface NamingField {
  /** As in the table. */
  readonly path: string;
  readonly kinds: readonly ObjectKind[];
  /** Of the field, or of the list that it stands in. */
  readonly description: string;
}

function namingFieldsOf(schema: z.core.$ZodType, path: string, outer = ""): NamingField[] {
  const description = (schema as z.ZodType).description ?? outer;
  const kinds = namingFields.get(schema as z.ZodType)?.kinds;
  if (kinds !== undefined) return [{ path, kinds, description }];
  const { def } = (schema as z.ZodType)._zod as { def: z.core.$ZodTypeDef };
  if (def.type === "optional")
    return namingFieldsOf((def as z.core.$ZodOptionalDef).innerType, path, description);
  if (def.type === "array") return namingFieldsOf((def as z.core.$ZodArrayDef).element, path, description);
  if (def.type !== "object") return [];
  return Object.entries((def as z.core.$ZodObjectDef).shape).flatMap(([name, inner]) =>
    namingFieldsOf(inner, `${path}/${name}`, description),
  );
}

interface Shape {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Shape>>;
  readonly anyOf?: readonly Shape[];
}

/** What the descriptions of fields say that they take: "/id message_". */
function describedOf(operation: Operation): string[] {
  const top = z.toJSONSchema(operation.input, { io: "input" }) as Shape;
  const prefixes = objectKinds.map(idPrefix);
  const found = new Set<string>();
  const walk = (shape: Shape, path: string): void => {
    if (shape.$ref !== undefined) walk(top.$defs![shape.$ref.split("/").at(-1)!]!, path);
    const isLeaf = shape.properties === undefined;
    for (const [, prefix] of isLeaf ? (shape.description?.matchAll(/\b([a-z]+_)…/g) ?? []) : [])
      if (prefixes.includes(prefix!)) found.add(`${path} ${prefix}`);
    for (const [name, inner] of Object.entries(shape.properties ?? {})) walk(inner, `${path}/${name}`);
    for (const inner of shape.anyOf ?? []) walk(inner, path);
  };
  walk(top, "");
  return [...found];
}

describe("what names an object is answered by scope and by whose the object is", () => {
  for (const [index, row] of rows.entries())
    it(titleOf(row, index), async () => {
      const answers = [];
      const asked = relations.flatMap((relation) =>
        scopeSetsOf(relation).map((scopes) => ({ relation, scopes })),
      );
      for (const { relation, scopes } of sampleOf(asked, 12)) {
        const expected = expectedOf(row, relation, scopes);
        const answer = await ask(clients.get(scopes.join())!, row, relation, expected);
        answers.push({ relation, scopes: scopes.join(), ...answer, expected });
      }
      expect(answers.filter(({ status, expected }) => status !== expected)).toEqual([]);
    });
});

describe("whatever is asked for", () => {
  const askAll = async (
    client: HttpClient,
    expectedOfRow: (row: Row, relation: Relation) => number,
  ): Promise<(Answer & { row: string; isFree: boolean; expected: number })[]> => {
    const answers = [];
    const asked = rows.flatMap((row, index) => relations.map((relation) => ({ row, index, relation })));
    for (const { row, index, relation } of sampleOf(asked, 100)) {
      const operation = operations.find((one) => one.name === row.operation)!;
      const expected = expectedOfRow(row, relation);
      const answer = await ask(client, row, relation, expected);
      const isFree = operation.isFree === true;
      answers.push({ row: `${titleOf(row, index)}: ${relation}`, ...answer, isFree, expected });
    }
    return answers;
  };

  it("is refused with 401 for a credential that is revoked, and for one that has expired", async () => {
    const { token: revoked, number } = await server.token(server.ada, [...allScopes]);
    await server.administer("token.revoke", { number });
    const expired = (await server.administer("token.create", {
      agent: server.ada.address,
      name: "short",
      scopes: [...allScopes],
      expiresInDays: 1,
    })) as { token: string };
    server.clock.advance(86_400_000);
    for (const token of [revoked, expired.token]) {
      const answers = await askAll(httpClient(server.url, token), () => 401);
      expect(answers.filter(({ status }) => status !== 401)).toEqual([]);
    }
  });

  it("is refused with 402 for an account that cannot incur usage, but for what explains", async () => {
    const { account } = (await server.accounts.findAgentFacts(server.ada.agent))!;
    await server.store.write(nobody, "updateAccount", { account, state: "not_billable" });
    const answers = await askAll(clients.get(allScopes.join())!, () => 402);
    expect(answers.filter(({ status, isFree }) => status !== (isFree ? 200 : 402))).toEqual([]);
    await server.store.write(nobody, "updateAccount", { account, state: "active" });
  });

  it("is answered to a mailbox that is paused, but for a mail that would be sent", async () => {
    const { address } = server.ada;
    await server.administer("agent.pause", { owner: address });
    const client = clients.get(allScopes.join())!;
    const withAll = (row: Row, relation: Relation): number => expectedOf(row, relation, allScopes);
    const answers = await askAll(client, withAll);
    expect(answers.filter(({ status, expected }) => status !== expected)).toEqual([]);
    const { status, body } = await client.call("send", { body: { to: [address], text: "Hello" } });
    expect([status, body.error.code]).toEqual([503, "paused"]);
    await server.administer("agent.resume", { owner: address });
  });

  it("leaves nothing behind", async () => {
    expect(await contents()).toEqual(before);
  });
});
