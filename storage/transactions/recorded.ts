/** What the log of access is told of each write that leaves its author there. Such a write does not compile before it stands here. */
import type { AgentNumber } from "#/src/model/numbers.ts";
import type * as accessWrites from "./access-writes.ts";
import type { ArgumentsOf, ResultOf } from "./index.ts";

export interface AccessChange {
  /** Of a write that does what another one does too; absent: its own name. */
  readonly write?: keyof typeof accessWrites;
  /** Whose mailbox it is about. */
  readonly owner?: AgentNumber;
  /** Of a grant: who has got it. */
  readonly holder?: AgentNumber;
  /** The number of a credential, grant or webhook, or a name. */
  readonly object?: number | string;
}

export const recorded: {
  readonly [N in keyof typeof accessWrites]: (
    args: ArgumentsOf<N>,
    result: ResultOf<N>,
  ) => AccessChange | readonly AccessChange[];
} = {
  addAddress: ({ agent, domain, localPart }) => ({ owner: agent, object: `${localPart}@${domain}` }),
  addDomainKeys: ({ name }) => ({ object: name }),
  addPasskey: ({ agent }, { passkey }) => ({ owner: agent, object: passkey }),
  changeItemProperties: ({ agent, item }) => ({ owner: agent, object: item }),
  createAccount: ({ name }) => ({ object: name }),
  createAgent: ({ policy }, { agent: owner, token, password }) => [
    { owner },
    ...(policy === undefined ? [] : [{ write: "setSendingPolicy", owner } as const]),
    ...(password === undefined ? [] : [{ write: "createPassword", owner, object: password } as const]),
    ...(token === undefined ? [] : [{ write: "createToken", owner, object: token } as const]),
  ],
  createDomain: ({ name }) => ({ object: name }),
  createGrant: ({ agent, targetAgent }, { grant }) => ({ owner: targetAgent, holder: agent, object: grant }),
  createInvitation: ({ agent }, { invitation }) => ({ owner: agent, object: invitation }),
  createOperatorLink: (_, { operator }) => ({ object: operator }),
  createOperatorToken: (_, { token }) => ({ object: token }),
  createPageSession: ({ agent }, { session }) => ({ owner: agent, object: session }),
  createPassword: ({ agent }, { password }) => ({ owner: agent, object: password }),
  createToken: ({ agent }, { token }) => ({ owner: agent, object: token }),
  createWebhook: ({ agent }, { webhook }) => ({ owner: agent, object: webhook }),
  deleteAgent: ({ agent }) => ({ owner: agent }),
  deleteDomain: ({ name }) => ({ object: name }),
  deleteWebhook: ({ webhook }, { agent }) => ({ owner: agent, object: webhook }),
  deletePushSubscription: ({ agent, subscription }) => ({ owner: agent, object: subscription }),
  endOperatorSessions: ({ operator }) => ({ object: operator }),
  endPageSessions: ({ agent, session }) => ({
    owner: agent,
    ...(session !== undefined && { object: session }),
  }),
  keepPushSubscription: ({ agent }, { subscription }) => ({ owner: agent, object: subscription }),
  removeAddress: ({ agent, domain, localPart }) => ({ owner: agent, object: `${localPart}@${domain}` }),
  removeOperatorPasskey: ({ operator }) => ({ object: operator }),
  removePasskey: ({ agent, passkey }) => ({ owner: agent, object: passkey }),
  removeSuppression: ({ address }) => ({ object: address }),
  resumeWebhook: ({ webhook }, { agent }) => ({ owner: agent, object: webhook }),
  retrySubmission: ({ agent, submission }) => ({ owner: agent, object: submission }),
  revokeGrant: ({ grant }, { agent, holder }) => ({ owner: agent, holder, object: grant }),
  revokeOperatorToken: ({ token }) => ({ object: token }),
  revokePassword: ({ password }, { agent }) => ({ owner: agent, object: password }),
  revokeToken: ({ token }, { agent }) => ({ owner: agent, object: token }),
  setPageSettings: ({ agent }) => ({ owner: agent }),
  setSendingPolicy: ({ agent }) => ({ owner: agent }),
  switchDomainKeys: ({ name }) => ({ object: name }),
  updateAccount: ({ account, state }) => ({ object: `${account} ${state}` }),
  updateAgent: ({ agent }) => ({ owner: agent }),
  useInvitation: (_, { agent, session }) => ({ owner: agent, object: session }),
  useOperatorLink: (_, { operator }) => ({ object: operator }),
  useOperatorPasskey: (_, { operator }) => ({ object: operator }),
  usePasskey: ({ passkey }, { agent }) => ({ owner: agent, object: passkey }),
};
