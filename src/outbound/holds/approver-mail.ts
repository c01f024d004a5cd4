/** A mail from postmaster to somebody who has a mailbox here, as it is stored in their INBOX. */
import { randomUUID } from "node:crypto";
import type { AgentFacts } from "#/src/accounts/accounts.ts";
import type { DeliverMessage } from "#/storage/transactions/mail/deliver-message.ts";
import { composeMessage } from "../composition.ts";
import type { HoldRooms } from "./holds.ts";

export type NoticeRooms = Pick<HoldRooms, "store" | "prepare">;

export async function composeNotice(
  { store, prepare }: NoticeRooms,
  { account, agent, name, address }: AgentFacts,
  { subject, text }: { readonly subject: string; readonly text: string },
): Promise<DeliverMessage> {
  const at = store.clock.now();
  const domain = address.slice(address.lastIndexOf("@") + 1);
  const bytes = await composeMessage(
    { to: [{ name, address }], cc: [], bcc: [], subject, text, attachments: [] },
    {
      from: { name: "Waypost", address: `postmaster@${domain}` },
      date: at,
      messageId: `${randomUUID()}@${domain}`,
      references: [],
      autoSubmitted: "auto-generated",
    },
  );
  return {
    facts: await prepare(bytes),
    recipients: [
      {
        account,
        agent,
        mailboxRole: "inbox",
        trace: new Uint8Array(),
        flags: 0,
        provenance: JSON.stringify({ source: "api", fromDomain: domain, checks: {} }),
        isAuthenticated: true,
        source: "api",
      },
    ],
    internalDate: at,
    at,
  };
}
