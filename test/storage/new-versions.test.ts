/** Each named write that makes a message: either nobody has set anything on it before, or it is another version of a message whose properties
 *  and labels it keeps, as the columns say (`storage/schema`). A write that makes messages fails here until it says which. */
import { expect, it } from "vitest";
import { nobody } from "#/src/model/author.ts";
import { answeredFlag, draftFlag, flaggedFlag, seenFlag } from "#/src/model/flags.ts";
import { approvedKeyword } from "#/src/model/holds.ts";
import type { AgentNumber, MailboxNumber, MessageNumber, Uid } from "#/src/model/numbers.ts";
import { findDraft, findDraftOfMessage } from "#/storage/queries/mail/drafts.ts";
import { findMailboxByName } from "#/storage/queries/mail/mailboxes.ts";
import { findHold } from "#/storage/queries/outbound/holds.ts";
import type { Journey } from "#/storage/schema/column.ts";
import type { Store } from "#/storage/store.ts";
import { type Mutation, type TransactionName, transactions } from "#/storage/transactions/index.ts";
import type { EditHold } from "#/storage/transactions/outbound/edit-hold.ts";
import { openTestDatabase } from "../support/database.ts";
import { type Write, writeEverything } from "../support/every-write.ts";
import { submission } from "../support/submission.ts";
import { onlyCarried, openScene, ownProperties, type State, stateOf } from "./message-scene.ts";

type Scene = Awaited<ReturnType<typeof openScene>>;

interface Versions {
  readonly journey: Journey;
  /** Where the version has flags and labels of its own: these labels. */
  readonly ownLabels?: readonly string[];
  /** Makes a message with properties and labels, and another version of it. */
  run(scene: Scene): Promise<readonly [before: State, after: State]>;
}

const key = new Uint8Array(16).fill(7);
const flags = seenFlag | answeredFlag | flaggedFlag;

async function named(store: Store, agent: AgentNumber, name: string): Promise<MailboxNumber> {
  return (await findMailboxByName(store, agent, name))!.mailbox;
}

/** Sets properties, flags and labels on the last message of a mailbox. */
async function mark({ store, ada, at }: Scene, name: string, keywords: readonly string[]) {
  const mailbox = await named(store, ada.agent, name);
  const { uid, message } = (await store.get<{ uid: Uid; message: MessageNumber }>(
    `select uid, message_id as message from entry where agent_id = ? and mailbox_id = ? order by uid desc`,
    ada.agent,
    mailbox,
  ))!;
  const place = { agent: ada.agent, actor: nobody, at };
  await store.write(nobody, "storeFlags", {
    ...{ ...place, mailbox, uids: [[uid, uid]] as const, mode: "add" as const, flags, keywords },
  });
  await store.write(nobody, "updateMessages", {
    ...{ ...place, messages: [message], properties: ownProperties },
  });
  return { mailbox, uid, message, state: await stateOf(store, ada.agent, mailbox) };
}

/** A draft that is marked, and its arguments for the next version. */
async function draft(scene: Scene) {
  const { store, ada, message, at } = scene;
  const facts = { ...message.facts, draftKeys: [key] };
  const keyed = { ...message, facts };
  const drafts = await named(store, ada.agent, "Drafts");
  await store.write(nobody, "appendMessages", {
    ...{ agent: ada.agent, mailbox: drafts, actor: nobody, at },
    messages: [{ ...keyed, flags: draftFlag, keywords: [], internalDate: 7 }],
  });
  const marked = await mark(scene, "Drafts", ["Own", approvedKeyword]);
  const number = (await findDraftOfMessage(store, ada.agent, marked.message))!;
  const { version } = (await findDraft(store, ada.agent, number))!;
  return { ...marked, keyed, number, version };
}

async function held({ store, ada }: Scene): Promise<number> {
  const asked = await submission(store, ada);
  const decision = {
    ...{ ...asked.decision, kind: "hold" as const, reason: "always" as const },
    ...{ digest: new Uint8Array(32), expiresAt: asked.expiresAt },
  };
  return (await store.write(nobody, "submitMessage", { ...asked, decision })).hold!;
}

/** Edits a marked hold. */
async function edit(scene: Scene, flags: EditHold["flags"]): Promise<readonly [State, State]> {
  const { store, ada, at, message } = scene;
  const hold = await held(scene);
  const { state, mailbox } = await mark(scene, "Holds/Waiting", ["Own"]);
  const { envelope } = await submission(store, ada);
  await store.write(nobody, "editHold", {
    ...{ agent: ada.agent, hold, ...message, trace: new Uint8Array(), envelope },
    version: String((await findHold(store, ada.agent, hold))!.modseq),
    ...{ digest: new Uint8Array(32), flags, actor: nobody, at },
  });
  return [state, await stateOf(store, ada.agent, mailbox)];
}

/** Sends a marked draft; its copy is in the named mailbox. */
const sent = (name: string, kind: "queue" | "hold", laterMs: number): Versions => ({
  journey: "sending",
  async run(scene) {
    const { store, ada } = scene;
    const { state, number, version } = await draft(scene);
    const asked = await submission(store, ada, { draft: { draft: number, version } });
    const { basis } = asked.decision;
    const holding = { reason: "always", digest: new Uint8Array(32), expiresAt: asked.expiresAt } as const;
    await store.write(nobody, "submitMessage", {
      ...asked,
      sendAt: asked.sendAt + laterMs,
      decision: kind === "hold" ? { kind, basis, ...holding } : { kind, basis },
    });
    return [state, await stateOf(store, ada.agent, await named(store, ada.agent, name))];
  },
});

const versions: Readonly<Record<string, Versions>> = {
  "appendMessages of a draft that a mail program stores again": {
    journey: "draftVersion",
    ownLabels: ["Other"],
    async run(scene) {
      const { store, ada, at } = scene;
      const { state, mailbox, keyed } = await draft(scene);
      await store.write(nobody, "appendMessages", {
        ...{ agent: ada.agent, mailbox, actor: nobody, at },
        messages: [{ ...keyed, flags: draftFlag, keywords: ["Other"], internalDate: 7 }],
      });
      return [state, await stateOf(store, ada.agent, mailbox)];
    },
  },
  "createDraft with the key of one that is there": {
    journey: "draftVersion",
    ownLabels: [],
    async run(scene) {
      const { store, ada, at } = scene;
      const { state, mailbox, keyed } = await draft(scene);
      await store.write(nobody, "createDraft", { agent: ada.agent, message: keyed, options: "{}", at });
      return [state, await stateOf(store, ada.agent, mailbox)];
    },
  },
  updateDraft: {
    journey: "draftVersion",
    async run(scene) {
      const { store, ada, at } = scene;
      const { state, mailbox, keyed, number, version } = await draft(scene);
      await store.write(nobody, "updateDraft", {
        ...{ agent: ada.agent, draft: number, version, message: keyed, options: "{}", at },
      });
      return [state, await stateOf(store, ada.agent, mailbox)];
    },
  },
  replaceMessage: {
    journey: "draftVersion",
    ownLabels: ["Other"],
    async run(scene) {
      const { store, ada, at, message } = scene;
      const { state, mailbox, uid } = await mark(scene, "INBOX", ["Own"]);
      await store.write(nobody, "replaceMessage", {
        ...{ agent: ada.agent, source: mailbox, uid, target: mailbox, actor: nobody, at },
        message: { ...message, flags: 0, keywords: ["Other"], internalDate: 7 },
      });
      return [state, await stateOf(store, ada.agent, mailbox)];
    },
  },
  transferMessages: {
    journey: "transfer",
    async run(scene) {
      const { store, ada, bob, at } = scene;
      const { state, mailbox, uid } = await mark(scene, "INBOX", ["Own"]);
      await store.write(nobody, "transferMessages", {
        source: { agent: ada.agent, mailbox, actor: nobody },
        target: { agent: bob.agent, mailbox: bob.inbox, actor: nobody },
        ...{ uids: [[uid, uid]] as const, isMove: false, threadKeys: [], at },
      });
      return [state, await stateOf(store, bob.agent, bob.inbox)];
    },
  },
  editHold: { journey: "draftVersion", run: (scene) => edit(scene, null) },
  "editHold by a mail program": {
    journey: "draftVersion",
    ownLabels: ["Other"],
    run: (scene) => edit(scene, { mask: 0, keywords: ["Other", approvedKeyword] }),
  },
  "submitMessage of a draft": sent("Sent", "queue", 0),
  "submitMessage of a draft for later": sent("Scheduled", "queue", 3_600_000),
  "submitMessage of a draft that waits": sent("Holds/Waiting", "hold", 0),
};

/** On what they make nobody has set anything before. */
const firsts: Readonly<Partial<Record<TransactionName, string>>> = {
  changeItems: "invitations and answers that leave",
  deliverMessage: "mail that arrives",
  reportDelivery: "reports to the sender, and copies for mailboxes here",
  tellApprover: "notices of the server",
};

it("is every write that inserts messages", async () => {
  using made = await openTestDatabase();
  const { database, tx } = made;
  database.exec(`create temp table made (message bigint not null);
    create temp trigger made_message after insert on main.message
    begin insert into made (message) values (new.message_id); end`);
  const making = new Set<string>();
  const write = async (name: TransactionName, args: unknown) => {
    database.exec("delete from made; begin");
    const result = await (transactions[name] as Mutation)(tx, args).finally(() => database.exec("commit"));
    const { count } = database.prepare("select count(*) as count from made").get() as { count: number };
    if (count > 0) making.add(name);
    return result;
  };
  await writeEverything(tx, write as Write);
  const told = [...Object.keys(versions).map((name) => name.split(" ")[0]!), ...Object.keys(firsts)];
  expect([...making].sort()).toEqual([...new Set(told)].sort());
});

it.each(Object.entries(versions))("%s keeps what was set", async (_, { journey, ownLabels, run }) => {
  await using scene = await openScene();
  const [before, after] = await run(scene);
  expect(after.message!.message_id).not.toBe(before.message!.message_id);
  const [was, is] = [before, after].map((state) => onlyCarried({ message: state.message! }, journey));
  expect(is).toEqual(was);
  const { name: labels } = after.keyword as { readonly name: readonly string[] };
  if (ownLabels !== undefined) return expect(labels).toEqual(ownLabels);
  expect(labels).toContain("Own");
  expect((after.entry!.flags as number) & flaggedFlag).toBe(flaggedFlag);
  // What leaves or waits is not approved because a draft had the word.
  if (journey === "sending") expect(labels).not.toContain(approvedKeyword);
});
