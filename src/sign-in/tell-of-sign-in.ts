/** The mail to a person about a sign-in from a browser that was not seen before. It has no link: nobody should learn to sign in by one. */
import type { Accounts } from "#/src/accounts/accounts.ts";
import { isWaypostError } from "#/src/model/errors.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { deliverMail } from "#/src/outbound/gate/gate.ts";
import { composeNotice, type NoticeRooms } from "#/src/outbound/holds/approver-mail.ts";

export interface SignInTold {
  readonly device: string;
  readonly network: string;
  readonly proof: "invitation" | "password" | "passkey";
  readonly at: number;
  /** An invitation opened an account that has passkeys. */
  readonly isInvited: boolean;
}

export type Teller = (agent: AgentNumber, told: SignInTold) => Promise<void>;

const proofTexts = {
  invitation: "an invitation that the operator made at the command line",
  password: "an app password",
  passkey: "a passkey",
} as const satisfies Record<SignInTold["proof"], string>;

export function createTeller(
  rooms: NoticeRooms & { readonly accounts: Pick<Accounts, "findAgentFacts"> },
): Teller {
  const { store, accounts } = rooms;
  return async (agent, { device, network, proof, at, isInvited }) => {
    const facts = await accounts.findAgentFacts(agent);
    if (facts === undefined) return;
    const text = [
      `Somebody has signed in to the pages of this server as ${facts.address}:`,
      `Browser: ${device}\nNetwork: ${network}\nTime: ${new Date(at).toUTCString()}\nWith: ${proofTexts[proof]}`,
      ...(isInvited
        ? ["You have a passkey already. If you did not ask for this invitation, ask who runs this server."]
        : []),
      "If this was you, there is nothing to do. If not, end that session, revoke the app password that was used, and tell who runs this server.",
    ].join("\n\n");
    const notice = await composeNotice(rooms, facts, { subject: `New sign-in as ${facts.address}`, text });
    try {
      await deliverMail(store, notice);
    } catch (error) {
      // A full mailbox keeps nobody out; the log and the list of sessions have it.
      if (!isWaypostError(error)) throw error;
    }
  };
}
