/** A mail that a person has the server write to their own mailbox, to see it in a mail program. */
import type { Accounts } from "#/src/accounts/accounts.ts";
import { deliverMail } from "#/src/outbound/gate/gate.ts";
import { composeNotice, type NoticeRooms } from "#/src/outbound/holds/approver-mail.ts";
import type { PageSession } from "./page-session.ts";

export interface TestMail {
  /** Throws what a delivery refuses, as `quota_exceeded`. */
  sendTestMail(
    session: PageSession,
    mail: { readonly subject: string; readonly text: string },
  ): Promise<void>;
}

export function createTestMail(
  rooms: NoticeRooms & { readonly accounts: Pick<Accounts, "findAgentFacts"> },
): TestMail {
  return {
    async sendTestMail({ principal }, mail) {
      const facts = await rooms.accounts.findAgentFacts(principal.agent);
      await deliverMail(rooms.store, await composeNotice(rooms, facts!, mail));
    },
  };
}
