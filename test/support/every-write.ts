/** The life of a small store in which every named write is used at least once, on rows of every table. Tests of rules that hold
 *  for all writes use it, and it makes the stores that are kept for each version of the schema. */

import { storedFields } from "#/src/mail/list-fields.ts";

import { type Author, nobody } from "#/src/model/author.ts";
import { collectionProperties } from "#/src/model/collection-properties.ts";
import { ofGrantedKinds } from "#/src/model/grants.ts";
import type {
  AccountNumber,
  AgentNumber,
  BlobNumber,
  CollectionNumber,
  MailboxNumber,
  MessageNumber,
  Modseq,
} from "#/src/model/numbers.ts";
import { encodeBlob } from "#/storage/blob.ts";
import { encodeItem, type ItemFacts } from "#/storage/items.ts";
import { findDraft } from "#/storage/queries/mail/drafts.ts";
import { findHold } from "#/storage/queries/outbound/holds.ts";
import { readSendingBasis } from "#/storage/queries/outbound/sending-basis.ts";
import type { MessageFacts } from "#/storage/rows.ts";
import type { Reader } from "#/storage/sql.ts";
import type { WritePiece } from "#/storage/store.ts";
import type { ArgumentsOf } from "#/storage/transactions/index.ts";
import type { DeliverMessage } from "#/storage/transactions/mail/deliver-message.ts";
import type { ReportedOutcome } from "#/storage/transactions/outbound/report-delivery.ts";
import { envelopeTo } from "./submission.ts";

export type Write = WritePiece;

const at = Date.UTC(2026, 0, 1);
const later = at + 120 * 3_600_000;

interface Named {
  readonly account: AccountNumber;
  readonly agent: AgentNumber;
}

/** An author for all of them: each column of an author has a value that is not 0. */
export const everyAuthor: Author = {
  kind: "token",
  agent: 1 as AgentNumber,
  credential: 1,
  door: "v1",
  request: "req_0123456789abc",
};

/** Empty on SQLite: only triggers of PostgreSQL write it. */
export const postgresTables: readonly string[] = ["access_owner"];

export async function writeEverything(reader: Reader, write: Write): Promise<void> {
  // The first agent belongs to the second account, so that the number of an agent and the number of its account differ.
  const { account } = await write("createAccount", { name: "example", at });
  const { account: other } = await write("createAccount", { name: "other", at });
  const key = { domain: "example.org", selector: "s1", algorithm: "ed25519", privateKey: "-", createdAt: at };
  await write("createDomain", { name: "example.org", account, keys: [key], at });
  await write("createDomain", { name: "other.example", account: other, at });
  await write("createDomain", { name: "spare.example", account: other, at });
  await write("addDomainKeys", { name: "example.org", keys: [{ ...key, selector: "s2" }], state: "next" });
  await write("switchDomainKeys", { name: "example.org", forgetBefore: at, at });
  await write("deleteDomain", { name: "spare.example" });
  const bob = await createAgent(other, "bob", "agent", "other.example");
  const ada = await createAgent(account, "ada", "agent", "example.org");
  const mia = await createAgent(account, "mia", "person", "example.org");
  const eve = await createAgent(other, "eve", "person", "other.example");

  async function createAgent(
    owner: AccountNumber,
    name: string,
    kind: "agent" | "person",
    domain: string,
  ): Promise<Named> {
    const { agent } = await write("createAgent", {
      account: owner,
      kind,
      name,
      address: { domain, localPart: name },
      quotaBytes: 1e9,
      scramSalt: new Uint8Array(16),
      scramIterations: 4096,
      at,
    });
    return { account: owner, agent };
  }

  async function mailboxOf(agent: AgentNumber, role: string): Promise<MailboxNumber> {
    const row = await reader.get<{ mailbox: MailboxNumber }>(
      "select mailbox_id as mailbox from mailbox where agent_id = ? and role = ?",
      agent,
      role,
    );
    return row!.mailbox;
  }

  /** Accounts, agents and their rights. */
  const address = { agent: ada.agent, domain: "example.org" };
  await write("addAddress", { ...address, localPart: "sales", isPrimary: false, at });
  await write("addAddress", { ...address, localPart: "old", isPrimary: false, at });
  await write("removeAddress", { ...address, localPart: "old" });
  await write("updateAccount", { account, state: "active" });
  await write("updateAgent", { agent: ada.agent, name: "Ada", quotaBytes: null });
  await write("setAgentState", { agent: ada.agent, state: "paused", by: "operator", at });
  await write("setAgentState", { agent: ada.agent, state: "active", by: "operator", at });
  for (const number of [1, 2]) {
    const hash = new Uint8Array(32).fill(number);
    const token = { agent: ada.agent, name: `token ${number}`, hash, scopes: ["mail"], expiresAt: null, at };
    const { token: made } = await write("createToken", token);
    const keys = { storedKey: hash, serverKey: hash };
    const { password } = await write("createPassword", { agent: mia.agent, name: "phone", ...keys, at });
    const { grant } = await write("createGrant", {
      agent: mia.agent,
      targetAgent: ada.agent,
      scopes: ["mail", "approve"],
      objects:
        number === 1
          ? {
              ...ofGrantedKinds(() => "all" as const),
              mailbox: [await mailboxOf(ada.agent, "inbox")],
              addressbook: [],
            }
          : ofGrantedKinds(() => "all"),
      expiresAt: null,
      at,
    });
    const url = "https://hooks.example/";
    const { webhook } = await write("createWebhook", {
      agent: ada.agent,
      url,
      secret: "whsec",
      types: [],
      limit: 9,
      at,
    });
    if (number === 2) {
      await write("revokeToken", { token: made, at });
      await write("revokePassword", { password, at });
      await write("revokeGrant", { grant, at });
      await write("deleteWebhook", { webhook });
      continue;
    }
    await write("reportWebhook", {
      webhook,
      state: "active",
      position: "3",
      failureCount: 1,
      failingSince: at,
      nextAttemptAt: at,
      attempt: { message: "msg_1", at, status: 500, error: "refused", eventCount: 1 },
      historyMax: 10,
    });
    await write("resumeWebhook", { webhook, isFromNow: false });
  }
  await write("keepFamiliarNetwork", { agent: ada.agent, network: "192.0.2.0/24", at });

  /** Sign-in of a person: twice with an invitation, once with an app password. */
  const sessionOf = (number: number) => ({
    hash: new Uint8Array(32).fill(number),
    device: "Firefox on Linux",
    network: "192.0.2.0/24",
    proof: "invitation" as const,
  });
  const passkeyOf = (number: number) => ({
    credential: new Uint8Array(16).fill(number),
    publicKey: new Uint8Array(77),
    signCount: 1,
    transports: ["internal"],
    host: "mail.example.org",
    name: "Firefox on Linux",
  });
  const challengeOf = (number: number) => ({ nonce: new Uint8Array(16).fill(number), expiresAt: later });
  for (const number of [1, 2, 3]) {
    const hash = new Uint8Array(32).fill(number);
    await write("createInvitation", { agent: mia.agent, hash, expiresAt: at + 1000, at });
    if (number === 3) break;
    const passkey = { ...passkeyOf(number), challenge: challengeOf(number) };
    await write("useInvitation", { hash, session: sessionOf(number), passkey, at });
  }
  await write("createPageSession", { agent: mia.agent, session: sessionOf(3), at });
  await write("usePasskey", {
    passkey: 1,
    signCount: 2,
    challenge: challengeOf(3),
    session: sessionOf(4),
    at,
  });
  const added = { ...passkeyOf(3), challenge: challengeOf(4) };
  await write("addPasskey", { agent: mia.agent, passkey: added, at });
  await write("setPageSettings", { agent: mia.agent, approvesWith: "session", timeZone: "Europe/Berlin" });
  await write("removePasskey", { agent: mia.agent, passkey: 2 });
  const push = {
    agent: mia.agent,
    endpoint: "https://push.example/1",
    publicKey: new Uint8Array(65),
    authSecret: new Uint8Array(16),
    language: "en",
    told: "{}",
    expiresAt: later,
    limit: 9,
    at,
  };
  await write("keepPushSubscription", { ...push, session: 1 });
  await write("keepPushSubscription", {
    ...push,
    password: 1,
    follows: { agent: mia.agent, collection: 1 as CollectionNumber, triggers: "content-update", limit: 9 },
  });
  const { subscription } = await write("keepPushSubscription", { ...push, session: 2 });
  await write("deletePushSubscription", { agent: mia.agent, subscription });
  await write("reportPush", {
    subscription: 1,
    endpoint: push.endpoint,
    standing: { told: "{}", failureCount: 1, failingSince: at, nextAttemptAt: at + 5000 },
  });
  await write("touchPageSession", { session: 1, at: at + 1 });
  await write("endPageSessions", { agent: mia.agent, except: 1, at });
  const link = { name: "jonas", hash: new Uint8Array(32).fill(7), scopes: ["read"], at };
  const jonas = await write("createOperatorLink", { ...link, linkExpiresAt: at + 1000, expiresAt: later });
  await write("useOperatorLink", {
    hash: link.hash,
    session: sessionOf(7),
    passkey: { ...passkeyOf(7), challenge: challengeOf(7) },
    at,
  });
  await write("createOperatorLink", {
    ...link,
    hash: new Uint8Array(32).fill(8),
    linkExpiresAt: at + 1000,
    expiresAt: later,
  });
  await write("useOperatorLink", {
    hash: new Uint8Array(32).fill(8),
    session: sessionOf(8),
    passkey: { ...passkeyOf(8), challenge: challengeOf(8) },
    at,
  });
  await write("useOperatorPasskey", {
    passkey: 1,
    signCount: 2,
    challenge: challengeOf(9),
    session: sessionOf(9),
    at,
  });
  await write("removeOperatorPasskey", { operator: jonas.operator, passkey: 2 });
  await write("touchOperatorSession", { session: 1, at: at + 1 });
  await write("endOperatorSessions", { operator: jonas.operator, except: 1, at });
  await write("pruneSignIns", { now: at, before: at, limit: 10 });
  await write("keepStsPolicy", {
    domain: "far.example",
    id: "1",
    mode: "enforce",
    mx: ["mx.far.example"],
    expiresAt: later,
    at,
  });

  const counted = { kind: "tls", day: 20_000, domain: "far.example", detail: "{}", count: 1 };
  await write("countForReports", { counts: [counted, counted, { ...counted, day: 20_001 }] });
  await write("forgetReportCounts", { kind: "tls", domain: "far.example", day: 20_001 });
  await write("keepReport", {
    domain: "example.org",
    kind: "dmarc",
    reporter: "far.example",
    name: "1",
    organization: "Far",
    beginsAt: at,
    endsAt: later,
    passed: 1,
    failed: 0,
    rows: "[]",
    at,
  });

  /** Mail, in mailboxes. */
  const inbox = await mailboxOf(ada.agent, "inbox");
  const deliveries = await write(
    "deliverMessage",
    letter(await factsOf("To everybody", 30_000), [eve, ada, mia, bob]),
  );
  const first = deliveries.deliveries.find(({ agent }) => agent === ada.agent)!;
  const { mailbox: work } = await write("createMailbox", { agent: ada.agent, name: "Work/2026", at });
  const { mailbox: gone } = await write("createMailbox", { agent: ada.agent, name: "Gone", at });
  await write("renameMailbox", { agent: ada.agent, mailbox: work, name: "Work/Now", at });
  await write("emptyMailbox", { agent: ada.agent, mailbox: gone, at });
  await write("deleteMailbox", { agent: ada.agent, mailbox: gone, at });
  await write("setSubscription", { agent: ada.agent, name: "Work/Now", isSubscribed: true, at });
  await write("setMetadata", {
    agent: ada.agent,
    mailbox: work,
    entries: [0 as const, mia.agent].map((holder) => ({
      holder,
      name: "/comment",
      value: Buffer.from("what is done now"),
    })),
    at,
  });
  const appended = await write("appendMessages", {
    actor: nobody,
    agent: ada.agent,
    mailbox: inbox,
    messages: await Promise.all(["One", "Two", "Three", "Four"].map((subject) => copyOf(subject, ["work"]))),
    at,
  });
  const [one, two, three, four] = appended.uids.map((uid) => [[uid, uid]] as const);
  const place = { agent: ada.agent, mailbox: inbox, actor: nobody, at };
  await write("storeFlags", { ...place, uids: one!, mode: "add", flags: 8, keywords: ["$Junk"] });
  await write("expungeMessages", { ...place, uids: one! });
  await write("copyMessages", {
    actor: nobody,
    agent: ada.agent,
    source: inbox,
    target: work,
    uids: two!,
    at,
  });
  for (const isUndone of [true, false]) {
    const unfinished = await write("copyMessages", {
      actor: nobody,
      agent: ada.agent,
      source: inbox,
      target: work,
      uids: two!,
      part: { copy: undefined, isLast: false, daemon: "ended" },
      at,
    });
    if (isUndone) await write("undoCopy", { agent: ada.agent, copy: unfinished.copy!, at });
  }
  await write("moveMessages", {
    actor: nobody,
    agent: ada.agent,
    source: inbox,
    target: work,
    uids: three!,
    at,
  });
  await write("replaceMessage", {
    actor: nobody,
    agent: ada.agent,
    source: inbox,
    uid: four![0]![0],
    target: inbox,
    message: await copyOf("Four again", []),
    at,
  });
  await write("transferMessages", {
    source: { agent: mia.agent, mailbox: await mailboxOf(mia.agent, "inbox"), actor: nobody },
    target: { agent: ada.agent, mailbox: work, actor: nobody },
    uids: [[1, 1]],
    isMove: false,
    threadKeys: [],
    at,
  });
  await write("keepRecent", { agent: ada.agent, mailbox: inbox, uid: first.uid });
  await write("updateMessages", {
    actor: nobody,
    agent: ada.agent,
    messages: [first.message],
    marks: { flagged: true },
    addLabels: ["important"],
    at,
  });
  const [trashed] = (
    await write("appendMessages", { ...place, messages: [await copyOf("Away with it", [])] })
  ).messages;
  const { version } = (await reader.get<{ version: number }>(
    "select max(modseq) as version from entry where agent_id = ? and message_id = ?",
    ada.agent,
    trashed!,
  ))!;
  await write("deleteMessage", {
    actor: nobody,
    agent: ada.agent,
    message: trashed!,
    version: String(version),
    at,
  });
  const drafted = async (subject: string) => {
    const { facts, provenance } = await copyOf(subject, []);
    return { facts: { ...facts, draftKeys: [digestOf(subject)] }, provenance, isAuthenticated: false };
  };
  const options = JSON.stringify({ to: ["mel@far.example"] });
  const { draft } = await write("createDraft", {
    agent: ada.agent,
    message: await drafted("Draft"),
    options,
    at,
  });
  await write("updateDraft", {
    agent: ada.agent,
    draft,
    version: (await findDraft(reader, ada.agent, draft))!.version,
    message: await drafted("Better"),
    options,
    at,
  });
  const again = { agent: ada.agent, message: await drafted("Never"), options, at };
  const never = await write("createDraft", again);
  await write("deleteDraft", {
    agent: ada.agent,
    draft: never.draft,
    version: (await findDraft(reader, ada.agent, never.draft))!.version,
    at,
  });
  const { blob } = await factsOf("A file", 5000);
  const upload = { agent: ada.agent, blob, name: "a.txt", type: "text/plain", at };
  await write("createUpload", { ...upload, expiresAt: later });
  const made = await write("createUpload", { ...upload, expiresAt: later });
  await write("deleteUpload", {
    agent: ada.agent,
    upload: made.upload,
    version: String(made.modseq),
    at,
  });
  // The body of this upload is in an object store. The upload expires before anybody reads it.
  const object = { name: "far", accounts: [ada.account] };
  await write("createUpload", { ...upload, blob: { ...blob, codec: 2, object }, expiresAt: at + 1 });

  /** Calendars and addressbooks. */
  await write("createDefaultCollections", { agent: ada.agent, at });
  const collectionNamed = {
    agent: ada.agent,
    segment: "work",
    ...collectionProperties.none,
    displayName: "Work",
    color: "#ff0000",
    order: 1,
    components: "VEVENT,VTODO",
    deadProperties: [{ namespace: "urn:example", name: "note", xml: "<note/>" }],
    at,
  };
  const { collection: calendar } = await write("createCollection", { ...collectionNamed, kind: "calendar" });
  const { collection: spare } = await write("createCollection", {
    ...collectionNamed,
    kind: "calendar",
    segment: "spare",
  });
  const ofMia = { ...collectionNamed, agent: mia.agent, kind: "calendar" as const, segment: null };
  const { collection: shared } = await write("createCollection", ofMia);
  await write("updateCollection", {
    agent: ada.agent,
    collection: calendar,
    settings: { displayName: "Work now", timeZone: null },
    setDead: [{ namespace: "urn:example", name: "other", xml: "<other/>" }],
    removeDead: [{ namespace: "urn:example", name: "note" }],
    newDefault: calendar,
    version: undefined,
    at,
  });
  const { collection: old } = await write("createCollection", {
    ...collectionNamed,
    kind: "calendar",
    segment: "old",
  });
  await write("moveCollection", {
    agent: ada.agent,
    collection: old,
    segment: "older",
    isOverwriting: true,
    at,
  });
  const attached = {
    managedId: "attached",
    name: "a.txt",
    mediaType: "text/plain",
    blob: (await factsOf("An attachment", 3000)).blob,
  };
  const put = async (collection: CollectionNumber, uid: string, segment?: string) => ({
    kind: "put" as const,
    collection,
    segment,
    facts: await eventOf(uid),
    provenance: '{"source":"dav"}',
    isAuthenticated: true,
  });
  const {
    agents: [ofAda],
  } = await write("changeItems", {
    agents: [
      {
        agent: ada.agent,
        actor: nobody,
        actions: [
          { ...(await put(calendar, "one", "one.ics")), attachments: { added: [attached] } },
          await put(calendar, "two"),
          await put(calendar, "three"),
        ],
      },
      {
        agent: mia.agent,
        actor: nobody,
        actions: [{ ...(await put(shared, "one")), attachments: { attachmentsOf: [ada.agent] } }],
      },
      { agent: bob.agent, actor: nobody, actions: [] },
    ],
    at,
  });
  const [firstEvent, secondEvent, thirdEvent] = ofAda!.items.map(({ item }) => item);
  await write("changeItems", {
    agents: [
      {
        agent: ada.agent,
        actor: nobody,
        actions: [
          { ...(await put(calendar, "one", "one.ics")), provenance: JSON.stringify({ source: "api" }) },
          { kind: "move", item: secondEvent!, collection: spare, isOverwriting: false },
          { kind: "remove", item: thirdEvent!, expected: { version: String(ofAda!.items[2]!.modseq) } },
        ],
      },
    ],
    at,
  });
  const firstRow = await reader.get<{ modseq: Modseq }>(
    "select modseq from item where agent_id = ? and item_id = ?",
    ada.agent,
    firstEvent!,
  );
  await write("changeItemProperties", {
    agent: ada.agent,
    item: firstEvent!,
    set: [{ namespace: "urn:example", name: "note", xml: "<note/>" }],
    remove: [{ namespace: "urn:example", name: "other" }],
    at,
  });
  await write("retellPeriods", {
    agent: ada.agent,
    item: firstEvent!,
    modseq: firstRow!.modseq,
    periods: (await eventOf("one")).periods,
    horizonMs: later,
  });
  await write("keepZonesDigest", { digest: "one" });
  await write("keepZonesDigest", { digest: "other" });
  await write("keepConditions", { standing: "{}" });
  await write("keepSeeding", { seeding: "done" });
  await write("proveWrite", { octets: Buffer.from("proof") });
  await write("keepAuthorityRow", { name: "account key", value: "first", isFirst: true });
  await write("keepAuthorityRow", { name: "account key", value: "second", isFirst: true });
  await write("keepAuthorityRow", { name: "challenge x", value: "one" });
  await write("keepAuthorityRow", { name: "challenge x", value: undefined });
  await write("deleteCollection", { agent: ada.agent, collection: spare, version: undefined, at });

  /** Mail that is sent, and the decisions about it. */
  await write("setSendingPolicy", {
    agent: ada.agent,
    policy: "always",
    approver: mia.agent,
    allowed: ["far.example"],
    blocked: [],
    at,
  });
  const basisNow = () =>
    readSendingBasis(reader, [ada.agent], { addresses: ["mel@far.example"], domains: ["far.example"] });
  const submission = async (subject: string): Promise<ArgumentsOf<"submitMessage">> => ({
    agent: ada.agent,
    requestedBy: ada.agent,
    facts: await factsOf(subject, 100),
    trace: new Uint8Array(),
    provenance: "{}",
    isAuthenticated: true,
    envelope: envelopeTo("mel@far.example", "kim@far.example", "mia@example.org"),
    hasCopy: true,
    sendAt: at,
    expiresAt: later,
    draft: null,
    decision: { kind: "queue", basis: await basisNow() },
    limits: { perHour: 100, perDay: 100 },
    writtenTo: ["mel@far.example"],
    at,
  });
  const sent = await write("submitMessage", await submission("To far away"));
  await write("submitMessage", await submission("It waits in the queue"));
  const { at: _, ...fromBob } = await submission("You are invited");
  const invited = { ...fromBob, agent: bob.agent, requestedBy: bob.agent };
  const basis = await readSendingBasis(reader, [bob.agent], { addresses: [], domains: [] });
  const { at: _at, ...invitation } = await submission("You are invited too");
  const said = {
    uid: "invited",
    method: "REQUEST",
    instances: [""],
    recipients: [["mailto:mel@far.example", "mel@far.example"]] as const,
    octets: Buffer.from("BEGIN:VCALENDAR"),
  };
  await write("changeItems", {
    agents: [{ agent: mia.agent, actor: nobody, actions: [await put(shared, "invited")] }],
    mails: [
      { ...invitation, envelope: { ...invitation.envelope, calendarUid: "invited" }, calendar: said },
      { ...invited, decision: { kind: "queue", basis } },
    ],
    leaving: {
      agent: mia.agent,
      uid: "invited",
      basis: await readSendingBasis(reader, [mia.agent], { addresses: [], domains: [] }),
      limits: { perHour: 100, perDay: 100 },
      messages: [
        { message: { ...said, recipients: [["mailto:ada@example.org", ""]] }, state: "left" },
        { message: { ...said, recipients: [["mailto:x@bad.example", ""]] }, state: "refused" },
      ],
      superseded: [],
      isOver: false,
    },
    at,
  });
  const arriving = {
    uid: "invited",
    method: "REPLY",
    author: "mel@far.example",
    provenance: "{}",
    octets: Buffer.from("BEGIN:VCALENDAR"),
  };
  const answered = await write("deliverMessage", {
    ...letter(await factsOf("Accepted", 10), [mia]),
    senders: [
      {
        agent: ada.agent,
        basis: await readSendingBasis(reader, [ada.agent], { addresses: [], domains: [] }),
        limits: { perHour: 100, perDay: 100 },
      },
    ],
    calendar: { ...arriving, recipients: [{ agent: mia.agent, addresses: ["mia@example.org"] }] },
  });
  await write("changeItems", {
    agents: [{ agent: mia.agent, actor: nobody, actions: [] }],
    arrivals: [{ agent: mia.agent, message: answered.deliveries[0]!.message }],
    at,
  });
  await write("deliverMessage", {
    ...letter(await factsOf("Declined", 10), [mia]),
    calendar: { ...arriving, recipients: [{ agent: mia.agent, addresses: ["mia@example.org"] }] },
  });
  const held = async (subject: string) => {
    const expiresAt = later;
    const digest = digestOf(subject);
    const asked = await submission(subject);
    const decision = { ...asked.decision, kind: "hold", reason: "always", digest, expiresAt } as const;
    return (await write("submitMessage", { ...asked, decision })).hold!;
  };
  const holds = [await held("May it leave?"), await held("And this?"), await held("And that?")];
  await write("tellApprover", {
    ...letter(await factsOf("Three mails wait", 10), [mia]),
    others: [],
    holds: holds.map((hold) => ({ agent: ada.agent, hold })),
    pauses: [ada.agent],
  });
  const versionOf = async (hold: number) => String((await findHold(reader, ada.agent, hold))!.modseq);
  const actor = { ...nobody, agent: mia.agent, canApprove: true };
  await write("editHold", {
    agent: ada.agent,
    hold: holds[0]!,
    version: await versionOf(holds[0]!),
    facts: await factsOf("May it leave now?", 10),
    trace: new Uint8Array(),
    provenance: "{}",
    isAuthenticated: true,
    envelope: envelopeTo("mel@far.example"),
    digest: digestOf("edited"),
    flags: null,
    actor,
    at,
  });
  for (const [index, action] of (["approve", "decline"] as const).entries()) {
    const hold = holds[index]!;
    await write("decideHold", {
      agent: ada.agent,
      hold,
      version: await versionOf(hold),
      action,
      actor,
      at,
    });
  }
  await write("releaseHold", {
    agent: ada.agent,
    hold: holds[0]!,
    version: await versionOf(holds[0]!),
    envelope: envelopeTo("mel@far.example"),
    basis: await basisNow(),
    expiresAt: later,
    at,
  });
  const schedule = async (subject: string) =>
    write("submitMessage", { ...(await submission(subject)), sendAt: later });
  const [starting, cancelled] = [await schedule("It leaves later"), await schedule("It never leaves")];
  const named = { agent: ada.agent, submission: starting.submission!, at };
  await write("rescheduleMessage", {
    agent: ada.agent,
    message: starting.message,
    version: String(starting.modseq),
    sendAt: at,
    expiresAt: later,
    at,
  });
  await write("placeScheduled", named);
  await write("startScheduled", { ...named, basis: await basisNow() });
  await write("cancelScheduled", { ...named, submission: cancelled.submission! });
  const stored = await reader.get<{ blob: BlobNumber }>(
    "select blob_id as blob from submission where submission_id = ?",
    sent.submission!,
  );
  const copy = letter(await factsOf("To far away", 100), [mia]);
  await write("reportDelivery", {
    agent: ada.agent,
    submission: sent.submission!,
    outcomes: [outcome(1, "failed"), outcome(2, "failed"), outcome(3, "delivered")],
    isDelayTold: false,
    breaker: { bounces: 1, sends: 20 },
    letters: [
      letter(await factsOf("It did not arrive", 10), [ada]),
      { ...copy, stored: { account, blob: stored!.blob } },
      letter(await factsOf("For all of them", 10), [eve, ada]),
    ],
    at,
  });
  const waiting = await reader.get<{ submission: number }>(
    "select submission_id as submission from submission where agent_id = ? and closed_at is null order by submission_id limit 1",
    ada.agent,
  );
  await write("retrySubmission", {
    agent: ada.agent,
    submission: waiting!.submission,
    basis: await readSendingBasis(reader, [ada.agent], { addresses: [], domains: [] }),
    at,
  });
  await write("hurryQueue", { after: at + 1, at, limit: 10 });
  const life = { beat: 1, wants: ["holds"], gone: [] };
  for (const daemon of ["one", "two"]) await write("keepLeases", { ...life, daemon });
  const claims = ["far.example", "else.example"].map((domain) => ({
    agent: ada.agent,
    submission: waiting!.submission,
    domain,
  }));
  await write("claimDeliveries", { daemon: "one", deliveries: claims });
  await write("releaseDeliveries", { daemon: "one", deliveries: claims.slice(1) });
  await write("dropLeases", { daemon: "two" });
  await write("removeSuppression", { account, address: "mel@far.example" });

  /** Files. */
  const content = await encodeItem(Buffer.from("a file"));
  const fileOf = (path: string) =>
    ({ kind: "put", path, mediaType: "text/plain", content, expected: undefined }) as const;
  const folder = {
    kind: "make",
    path: "folder",
    properties: [{ namespace: "urn:x", name: "y", xml: "<y xmlns='urn:x'/>" }],
  } as const;
  const copied = {
    kind: "copy",
    path: "folder",
    to: "copied",
    isDeep: true,
    isOverwriting: false,
    expected: undefined,
  } as const;
  const removed = { kind: "remove", path: "folder", expected: undefined } as const;
  for (const action of [folder, fileOf("folder/file"), copied])
    await write("changeFile", { actor: nobody, agent: ada.agent, action, at });
  const moving = { agent: ada.agent, actor: nobody, path: "folder", to: "moved", at };
  const { transfer } = await write("beginFolderTransfer", {
    ...moving,
    ...{ isMove: true, isOverwriting: false, expected: undefined, daemon: "" },
  });
  await write("continueFolderTransfer", { ...moving, transfer, isTakenBack: false });
  await write("changeFile", { actor: nobody, agent: ada.agent, action: removed, at });
  const unfinished = { ...moving, path: "copied", to: "begun", isMove: true, isOverwriting: false };
  await write("beginFolderTransfer", { ...unfinished, expected: undefined, daemon: "" });

  /** Operators and their calls. */
  const operator = { name: "platform", hash: digestOf("wpo_"), scopes: ["read"], expiresAt: later, at };
  const { token: operatorToken } = await write("createOperatorToken", operator);
  const begun = await write("beginOperatorCall", {
    token: operatorToken,
    requestId: "req_1",
    operation: "agent.list",
    input: "{}",
    once: { key: "1", requestHash: digestOf("{}"), expiresAt: later },
    at,
  });
  if ("call" in begun)
    await write("endOperatorCall", { call: begun.call, outcome: "done", answer: digestOf("{}"), at });
  await write("revokeOperatorToken", { token: operatorToken, at });

  /** Writes that delete old rows. */
  await write("pruneAccessChanges", { before: at - 1, limit: 10 });
  await write("pruneOperatorCalls", { before: at - 1, now: at - 1, limit: 10 });
  await write("pruneChanges", { agent: eve.agent, before: at + 1, limit: 2 });
  await write("pruneHolds", { before: at - 1, limit: 10 });
  await write("pruneIdempotency", { now: at - 1, limit: 10 });
  await write("pruneSubmissions", { before: at - 1, limit: 10 });
  await write("pruneThreadKeys", { limit: 10 });
  await write("fillListFields", {
    found: [
      {
        ...{ agent: eve.agent, message: 1 as MessageNumber, otherFields: "" },
        listFields: storedFields("Subject: Test\r\n")!,
      },
    ],
    reached: { agent: eve.agent, message: 1 as MessageNumber },
  });
  await write("pruneUploads", { now: at + 2, limit: 10 });
  await write("sweepObjects", { now: at, removeAfter: later, removed: [], limit: 10 });
  await write("deleteAgent", { agent: eve.agent });
}

function letter(facts: MessageFacts, recipients: readonly Named[]): DeliverMessage {
  const zoe = { address: "zoe@far.example", name: "Zoe Far", organization: "far.example" };
  return {
    facts,
    author: { ...zoe, replyTo: [{ ...zoe, address: "zoe@near.example" }], isAuthenticated: true },
    recipients: recipients.map((recipient) => ({
      ...recipient,
      mailboxRole: "inbox",
      trace: Buffer.from("Return-Path: <zoe@far.example>\r\n"),
      flags: 0,
      provenance: "{}",
      isAuthenticated: true,
      source: "smtp",
    })),
    internalDate: at,
    at,
  };
}

async function copyOf(subject: string, keywords: readonly string[]) {
  return {
    facts: await factsOf(subject, 10),
    flags: 0,
    keywords,
    internalDate: at,
    provenance: "{}",
    isAuthenticated: false,
  };
}

async function factsOf(subject: string, lines: number): Promise<MessageFacts> {
  const header = `From: Zoe <zoe@far.example>\r\nSubject: ${subject}\r\n\r\n`;
  const body = Array.from({ length: lines }, (_, line) => `${subject}, line ${line}\r\n`).join("");
  return {
    blob: await encodeBlob(Buffer.from(header + body), Buffer.byteLength(header), "{}"),
    date: at,
    subject,
    fromAddress: "zoe@far.example",
    fromName: "Zoe",
    envelope: `(NIL "${subject}" NIL NIL NIL NIL NIL NIL NIL NIL)`,
    bodyStructure: '("TEXT" "PLAIN" NIL NIL NIL "7BIT" 8 1)',
    threadKeys: [digestOf(subject)],
    hasAgentPart: false,
  };
}

async function eventOf(uid: string): Promise<ItemFacts> {
  return {
    ...(await encodeItem(Buffer.from(`BEGIN:VCALENDAR\r\nUID:${uid}\r\nEND:VCALENDAR\r\n`))),
    uid,
    component: "VEVENT",
    searchText: uid.toUpperCase(),
    periods: [{ startMs: at, endMs: later, isExact: true }],
    horizonMs: null,
    addresses: ["zoe@far.example"],
    nameKeys: [],
    isSchedulingObject: true,
    managedIds: uid === "one" ? ["attached"] : [],
  };
}

function digestOf(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text.padEnd(32)).subarray(0, 32));
}

function outcome(number: number, state: ReportedOutcome["state"]): ReportedOutcome {
  const status = state === "failed" ? "5.1.1" : "2.0.0";
  return {
    number,
    state,
    status,
    host: null,
    reply: null,
    nextAttemptAt: 0,
    isSuppressed: state === "failed",
  };
}
