/** Every write by its name. There is no other way to change the store. */
import type { Transaction } from "../sql.ts";
import { addAddress } from "./add-address.ts";
import { appendMessages } from "./append-messages.ts";
import { copyMessages } from "./copy-messages.ts";
import { createAccount } from "./create-account.ts";
import { createAgent } from "./create-agent.ts";
import { createDomain } from "./create-domain.ts";
import { createGrant } from "./create-grant.ts";
import { createMailbox } from "./create-mailbox.ts";
import { createPassword } from "./create-password.ts";
import { createToken } from "./create-token.ts";
import { createUpload } from "./create-upload.ts";
import { deleteAgent } from "./delete-agent.ts";
import { deleteDomain } from "./delete-domain.ts";
import { deleteMailbox } from "./delete-mailbox.ts";
import { deleteMessage } from "./delete-message.ts";
import { deleteUpload } from "./delete-upload.ts";
import { deliverMessage } from "./deliver-message.ts";
import { expungeMessages } from "./expunge-messages.ts";
import { keepRecent } from "./keep-recent.ts";
import { moveMessages } from "./move-messages.ts";
import { pruneChanges } from "./prune-changes.ts";
import { pruneIdempotency } from "./prune-idempotency.ts";
import { pruneThreadKeys } from "./prune-thread-keys.ts";
import { pruneUploads } from "./prune-uploads.ts";
import { removeAddress } from "./remove-address.ts";
import { renameMailbox } from "./rename-mailbox.ts";
import { replaceMessage } from "./replace-message.ts";
import { revokeGrant } from "./revoke-grant.ts";
import { revokePassword } from "./revoke-password.ts";
import { revokeToken } from "./revoke-token.ts";
import { setMetadata } from "./set-metadata.ts";
import { setSubscription } from "./set-subscription.ts";
import { storeFlags } from "./store-flags.ts";
import { transferMessages } from "./transfer-messages.ts";
import { updateAccount } from "./update-account.ts";
import { updateAgent } from "./update-agent.ts";
import { updateMessages } from "./update-messages.ts";

/** Awaits nothing but the transaction, takes its time from the arguments, and may be run again from the start. */
// biome-ignore lint/suspicious/noExplicitAny: the arguments differ from entry to entry
export type Mutation = (tx: Transaction, args: any) => Promise<unknown>;

export const transactions = {
  addAddress,
  appendMessages,
  copyMessages,
  createAccount,
  createAgent,
  createDomain,
  createGrant,
  createMailbox,
  createPassword,
  createToken,
  createUpload,
  deleteAgent,
  deleteDomain,
  deleteMailbox,
  deleteMessage,
  deleteUpload,
  deliverMessage,
  expungeMessages,
  keepRecent,
  moveMessages,
  pruneChanges,
  pruneIdempotency,
  pruneThreadKeys,
  pruneUploads,
  removeAddress,
  renameMailbox,
  replaceMessage,
  revokeGrant,
  revokePassword,
  revokeToken,
  setMetadata,
  setSubscription,
  storeFlags,
  transferMessages,
  updateAccount,
  updateAgent,
  updateMessages,
} satisfies Record<string, Mutation>;

export type TransactionName = keyof typeof transactions;
export type ArgumentsOf<N extends TransactionName> = Parameters<(typeof transactions)[N]>[1];
export type ResultOf<N extends TransactionName> = Awaited<ReturnType<(typeof transactions)[N]>>;
