/** Writes mail into the store without a protocol. */
import { nobody } from "#/src/model/author.ts";
import type { Modseq } from "#/src/model/numbers.ts";
import type { Store } from "#/storage/store.ts";
import type { AppendResult } from "#/storage/transactions/mail/append-messages.ts";
import type { Delivery } from "#/storage/transactions/mail/deliver-message.ts";
import { type Seed, testFacts } from "./store.ts";

/** Delivers one message from outside to agents. */
export async function deliver(
  store: Store,
  recipients: readonly Seed[],
  text = "Hello.\r\n",
  options: { threadKeys?: readonly Uint8Array[] } = {},
): Promise<Delivery[]> {
  const at = store.clock.now();
  const { deliveries } = await store.write(nobody, "deliverMessage", {
    facts: await testFacts(text, options),
    recipients: recipients.map(({ account, agent }) => ({
      account,
      agent,
      mailboxRole: "inbox" as const,
      trace: Buffer.from("Return-Path: <eve@example.net>\r\n"),
      flags: 0,
      provenance: "{}",
      isAuthenticated: true,
      source: "smtp",
    })),
    internalDate: at,
    at,
  });
  return deliveries;
}

/** Appends `count` messages to INBOX, in one APPEND. */
export async function append(
  store: Store,
  { agent, inbox }: Seed,
  count = 1,
  options: { flags?: number; keywords?: readonly string[]; text?: string } = {},
): Promise<AppendResult> {
  const at = store.clock.now();
  const facts = await testFacts(options.text ?? "Hello.\r\n");
  return store.write(nobody, "appendMessages", {
    actor: nobody,
    agent,
    mailbox: inbox,
    messages: Array.from({ length: count }, () => ({
      facts,
      flags: options.flags ?? 0,
      keywords: options.keywords ?? [],
      internalDate: at,
      provenance: "{}",
      isAuthenticated: false,
    })),
    at,
  });
}

export async function positionOf(store: Store, { agent }: Seed): Promise<Modseq> {
  return (await store.get<{ modseq: Modseq }>("select modseq from agent where agent_id = ?", agent))!.modseq;
}
