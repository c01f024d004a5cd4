/** Runs an import or export in a process of its own (`transfer-thread.ts`), and makes the calls to the house that it asks for. If the process
 *  ends by its heap, the caller is told so; what it had stored stays. */

import type { Accounts } from "#/src/accounts/accounts.ts";
import type { AdministrationRooms } from "#/src/accounts/administration/operation.ts";
import type { Watcher } from "#/src/accounts/administration/operation-call.ts";
import { administer } from "#/src/accounts/administration/operations.ts";
import { settingOperations } from "#/src/accounts/administration/transfers.ts";
import type { Fairness } from "#/src/fairness/fairness.ts";
import type { Author } from "#/src/model/author.ts";
import { after } from "#/src/model/background.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { Owner } from "#/src/model/owner.ts";
import { holdImported } from "#/src/outbound/holds/hold-imported.ts";
import type { Outbound } from "#/src/outbound/outbound.ts";
import { houseThreads } from "#/src/threads/house-threads.ts";
import { startHereOrApart } from "#/src/threads/started-thread.ts";
import { errorFrom, errorOf } from "../private-messages.ts";
import { carried, type FromTransfer, type ToTransfer, type TransferJob } from "./transfer-messages.ts";
import { calls, lists, type RoomName, type TransferRooms } from "./transfer-rooms.ts";

/** What a transfer needs of the house. */
export interface TransferHouse extends AdministrationRooms, Pick<TransferRooms, "collections" | "files"> {
  readonly fairness: Pick<Fairness, "gate">;
  readonly mail: TransferRooms["mail"];
  readonly accounts: Accounts;
  readonly outbound: Outbound;
}

/** A process that is told to end, and does not, is ended after this time. */
const abortMsMax = 5000;

export async function runTransfer(
  house: TransferHouse,
  by: Author,
  job: TransferJob,
  { signal, onProgress }: Watcher,
): Promise<unknown> {
  using _place = await house.fairness.gate("transfers").enter(askerOf(by));
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const pages = new Map<number, AsyncIterator<unknown>>();
  const takesSettings = job.kind === "import mail" && job.takesSettings;
  const rooms = transferRooms(house, by, takesSettings) as unknown as Record<RoomName, Record<string, Call>>;
  const child = startHereOrApart(houseThreads.transfer, {
    said(said) {
      const message = said as FromTransfer;
      if (message.kind === "progress") onProgress(message.done, message.total);
      else if (message.kind === "result") resolve(message.value);
      else if (message.kind === "failed") reject(errorFrom(message.error));
      else if (message.kind === "leave") leave(message.list);
      else answer(message);
    },
    ended: (isOutOfMemory) => reject(signal.aborted ? signal.reason : endedTransfer(isOutOfMemory)),
  });
  const tell = (message: ToTransfer): void => child.give(message);

  /** Only what is in the lists: the process reads what others wrote. */
  function callOf(room: RoomName, name: string, names: Partial<Record<RoomName, readonly string[]>>): Call {
    if (names[room]?.includes(name) !== true) throw new TypeError(`${room} has no ${name}`);
    return (...args) => rooms[room]![name]!(...args);
  }

  function answer(message: Extract<FromTransfer, { readonly id: number }>): void {
    const { id } = message;
    valueFor(message).then(
      (one) => tell({ kind: "answer", id, ...one }),
      (error: unknown) => tell({ kind: "refused", id, error: errorOf(error) }),
    );
  }

  /** A transfer that has been ended does nothing more, also before its process has. */
  async function valueFor(message: Extract<FromTransfer, { readonly id: number }>) {
    signal.throwIfAborted();
    const args = carried(message.args) as unknown[];
    const { room, name } = message;
    if (message.kind === "call") return { value: carried(await callOf(room, name, calls)(...args)) };
    let list = pages.get(message.list);
    if (list === undefined) {
      list = (callOf(room, name, lists)(...args) as AsyncIterable<unknown>)[Symbol.asyncIterator]();
      pages.set(message.list, list);
    }
    const { value, done = false } = await list.next();
    return { value: carried(value), isDone: done };
  }

  function leave(number: number): void {
    const list = pages.get(number);
    pages.delete(number);
    list?.return?.().catch(() => {});
  }

  let ending: NodeJS.Timeout | undefined;
  const abort = (): void => {
    tell({ kind: "abort" });
    ending = after(abortMsMax, () => child.end());
  };
  signal.addEventListener("abort", abort, { once: true });
  try {
    const { server, http, https } = house.settings;
    tell({ kind: "begin", job, settings: { server, http, https }, by });
    return await promise;
  } finally {
    signal.removeEventListener("abort", abort);
    clearTimeout(ending);
    for (const number of pages.keys()) leave(number);
    await child.end();
  }
}

/** Whose share of the processes a transfer takes. */
function askerOf({ kind, door }: Author): Owner {
  if (door === "command") return { key: "transfers of the command line" };
  return { key: kind === "operator" ? "transfers of programs" : "transfers of people" };
}

/** What a transfer has of the house. */
export function transferRooms(house: TransferHouse, by: Author, takesSettings: boolean): TransferRooms {
  const operations: readonly string[] = [
    ...settingOperations.read,
    ...(takesSettings ? settingOperations.change : []),
  ];
  return {
    ...house,
    by,
    holds: {
      holdImported: (author, agent, message, once) => holdImported(house, author, agent, message, once),
    },
    operator: {
      async administer(operation, input) {
        if (!operations.includes(operation)) throw new TypeError(`A transfer does not call ${operation}.`);
        return administer(by, house, operation, input);
      },
    },
  };
}

type Call = (...args: unknown[]) => Promise<unknown> | AsyncIterable<unknown>;

function endedTransfer(isOutOfMemory: boolean): WaypostError {
  const { heapMb } = houseThreads.transfer;
  return isOutOfMemory
    ? new WaypostError(
        "invalid",
        `The process needed more memory than it may have (${heapMb} MiB), and was ended. What had been stored stays.`,
        { field: "/file" },
      )
    : new WaypostError("internal", "The process ended. What had been stored stays.");
}
