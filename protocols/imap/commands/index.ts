/** All IMAP commands. A command that is not in this array does not exist. */
import type { Command } from "../command.ts";
import { deleteAcl, getAcl, listRights, myRights, setAcl } from "./acl.ts";
import { append } from "./append.ts";
import { authenticate } from "./authenticate.ts";
import { cancelUpdate } from "./cancel-update.ts";
import { capability } from "./capability.ts";
import { close, unselect } from "./close.ts";
import { compress } from "./compress.ts";
import { copy, move } from "./copy.ts";
import { create } from "./create.ts";
import { deleteCommand } from "./delete.ts";
import { enable } from "./enable.ts";
import { esearch } from "./esearch.ts";
import { expunge } from "./expunge.ts";
import { fetch } from "./fetch.ts";
import { id } from "./id.ts";
import { idle } from "./idle.ts";
import { list } from "./list.ts";
import { login } from "./login.ts";
import { logout } from "./logout.ts";
import { lsub } from "./lsub.ts";
import { getMetadata, setMetadata } from "./metadata.ts";
import { namespace } from "./namespace.ts";
import { check, noop } from "./noop.ts";
import { notify } from "./notify.ts";
import { getQuota, getQuotaRoot, setQuota } from "./quota.ts";
import { rename } from "./rename.ts";
import { replace } from "./replace.ts";
import { search } from "./search.ts";
import { examine, select } from "./select.ts";
import { sort } from "./sort.ts";
import { starttls } from "./starttls.ts";
import { status } from "./status.ts";
import { store } from "./store.ts";
import { subscribe, unsubscribe } from "./subscribe.ts";
import { thread } from "./thread.ts";
import { uidBatches } from "./uid-batches.ts";
import { unauthenticate } from "./unauthenticate.ts";

const declared = [
  capability,
  noop,
  logout,
  id,
  starttls,
  authenticate,
  login,
  enable,
  select,
  examine,
  create,
  deleteCommand,
  rename,
  subscribe,
  unsubscribe,
  list,
  lsub,
  namespace,
  status,
  myRights,
  getAcl,
  listRights,
  setAcl,
  deleteAcl,
  getQuota,
  getQuotaRoot,
  setQuota,
  getMetadata,
  setMetadata,
  append,
  idle,
  check,
  close,
  unselect,
  expunge,
  search,
  cancelUpdate,
  esearch,
  sort,
  thread,
  fetch,
  store,
  copy,
  move,
  replace,
  compress,
  unauthenticate,
  uidBatches,
  notify,
] as const;

export const commands: readonly Command[] = declared;
export type AnyCommand = (typeof declared)[number];
export type CommandName = AnyCommand["name"];

const byName = new Map(commands.map((command) => [command.name, command]));

export function findCommand(name: string): Command | undefined {
  return byName.get(name);
}
