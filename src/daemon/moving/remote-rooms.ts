/** The house as the process of an import or export has it: each call goes to the daemon. */
import { systemClock } from "#/src/model/clock.ts";
import { readPages } from "#/storage/read-pages.ts";
import type { SqlValue } from "#/storage/sql.ts";
import type { Store } from "#/storage/store.ts";
import { errorFrom } from "../private-messages.ts";
import { carried, type FromTransfer, type ToTransfer } from "./transfer-messages.ts";
import { calls, lists, type RoomName, type TransferRooms } from "./transfer-rooms.ts";

interface Page {
  readonly value: unknown;
  readonly isDone?: boolean | undefined;
}

export interface RemoteRooms {
  readonly rooms: TransferRooms;
  /** An answer of the daemon. */
  hear(message: Extract<ToTransfer, { readonly id: number }>): void;
}

export function createRemoteRooms(
  { settings, by }: Pick<TransferRooms, "settings" | "by">,
  say: (message: FromTransfer) => void,
): RemoteRooms {
  const asked = new Map<number, PromiseWithResolvers<Page>>();
  let lastId = 0;

  function ask(message: (id: number) => FromTransfer): Promise<Page> {
    const id = ++lastId;
    const answer = Promise.withResolvers<Page>();
    asked.set(id, answer);
    say(message(id));
    return answer.promise;
  }

  async function* pagesOf(room: RoomName, name: string, args: unknown[]): AsyncGenerator<unknown> {
    const list = ++lastId;
    try {
      for (;;) {
        const { value, isDone } = await ask((id) => ({ kind: "page", id, list, room, name, args }));
        if (isDone === true) return;
        yield value;
      }
    } finally {
      say({ kind: "leave", list });
    }
  }

  function roomOf(room: RoomName): object {
    const paging: readonly string[] = room in lists ? lists[room as keyof typeof lists] : [];
    return Object.fromEntries([
      ...calls[room].map((name) => [
        name,
        async (...args: unknown[]) =>
          (await ask((id) => ({ kind: "call", id, room, name, args: args.map(carried) }))).value,
      ]),
      ...paging.map((name) => [name, (...args: unknown[]) => pagesOf(room, name, args.map(carried))]),
    ]);
  }

  const clock = systemClock;
  const store = roomOf("store") as Pick<Store, "all">;
  const pages: Store["pages"] = (query, key, first: readonly SqlValue[], size) =>
    readPages(store, { query, key, first, size });
  return {
    rooms: {
      mail: { ...roomOf("mail"), clock } as TransferRooms["mail"],
      collections: roomOf("collections") as TransferRooms["collections"],
      files: roomOf("files") as TransferRooms["files"],
      store: { ...store, pages, clock },
      operator: roomOf("operator") as TransferRooms["operator"],
      holds: roomOf("holds") as TransferRooms["holds"],
      settings,
      by,
    },
    hear(message) {
      const answer = asked.get(message.id);
      asked.delete(message.id);
      if (message.kind === "refused") answer?.reject(errorFrom(message.error));
      else answer?.resolve({ value: carried(message.value), isDone: message.isDone });
    },
  };
}
