/** Calendars with their scheduling on a test's store. Everything runs on one thread. */
import type { Accounts } from "#/src/accounts/accounts.ts";
import type { Collections } from "#/src/collections/collections.ts";
import { createCollections } from "#/src/collections/create-collections.ts";
import { createDirectPreparation } from "#/src/collections/preparing/preparation.ts";
import type { Outbound } from "#/src/outbound/outbound.ts";
import { createScheduling } from "#/src/scheduling/create-scheduling.ts";
import { createDirectSchedulers, type Schedulers } from "#/src/scheduling/schedulers.ts";
import type { Scheduling } from "#/src/scheduling/scheduling.ts";
import type { Store } from "#/storage/store.ts";

export interface CalendarRooms {
  readonly collections: Collections;
  readonly scheduling: Scheduling;
  readonly schedulers: Schedulers;
}

export function calendarRooms({
  store,
  accounts,
  outbound,
}: {
  readonly store: Store;
  readonly accounts: Accounts;
  readonly outbound: Outbound;
}): CalendarRooms {
  const collections = createCollections(store, createDirectPreparation());
  const schedulers = createDirectSchedulers();
  return {
    collections,
    schedulers,
    scheduling: createScheduling({ accounts, ids: store.ids, collections, schedulers, outbound }),
  };
}

export function schedulingOf(rooms: Parameters<typeof calendarRooms>[0]): Scheduling {
  return calendarRooms(rooms).scheduling;
}
