/** The change log of each mailbox, and the events of the interface that are read from it. */
import type { Store } from "#/storage/store.ts";
import { type ChangeLog, createChangeLog } from "./change-log.ts";
import { createEventReader, type EventReader } from "./events.ts";

export interface Feed extends ChangeLog {
  /** Events of the interface, and their cursors. */
  readonly events: EventReader;
}

export function createFeed(store: Store): Feed {
  const log = createChangeLog(store);
  return { ...log, events: createEventReader(store.ids, log) };
}
