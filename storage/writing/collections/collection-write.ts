/** The changes of a transaction to one calendar or addressbook: its changed items and its counters. */
import type { CollectionKind } from "#/src/model/collections.ts";
import { type ErrorReason, WaypostError } from "#/src/model/errors.ts";
import { numberSetOf } from "#/src/model/number-set.ts";
import type { ItemNumber } from "#/src/model/numbers.ts";
import type { CollectionRow } from "../../items.ts";
import type { Transaction } from "../../sql.ts";
import type { AgentTransaction } from "../agent-transaction.ts";
import type { LoggedChange } from "../change-log.ts";
import { passQuietPushes } from "./quiet-pushes.ts";

/** The precondition that an item breaks which the collection does not take (RFC 4791 section 5.3.2.1, RFC 6352 section 6.3.2.1). */
export const refusedItem = {
  calendar: "supported-calendar-component",
  addressbook: "supported-address-data",
} as const satisfies Record<CollectionKind, ErrorReason>;

export class CollectionWrite {
  readonly row: CollectionRow;
  /** Removed items, with the last segment of the href if a client chose it. */
  readonly #removed = new Map<ItemNumber, string | null>();
  readonly #changed = new Map<ItemNumber, "add" | "update">();
  #byteGrowth = 0;
  #itemGrowth = 0;
  isTouched = false;

  constructor(row: CollectionRow) {
    this.row = row;
  }

  /** Refuses components that the calendar does not support (RFC 4791 section 5.2.3). */
  assertTakes(component: string): void {
    const { kind, components } = this.row;
    const reason = refusedItem[kind];
    switch (kind) {
      case "addressbook":
        if (component !== "VCARD")
          throw new WaypostError("invalid", "An addressbook has contacts", { reason });
        return;
      case "calendar":
        if (component === "VCARD" || components?.split(",").includes(component) === false)
          throw new WaypostError(
            "invalid",
            `The calendar takes ${components ?? "iCalendar"}, not a ${component}`,
            { reason },
          );
        return;
      default:
        kind satisfies never;
    }
  }

  add(item: ItemNumber, bytes: number): void {
    this.#changed.set(item, "add");
    this.#count(1, bytes);
  }

  update(item: ItemNumber, byteGrowth: number): void {
    if (!this.#changed.has(item)) this.#changed.set(item, "update");
    this.#count(0, byteGrowth);
  }

  remove(item: ItemNumber, segment: string | null, bytes: number): void {
    const isNew = this.#changed.get(item) === "add" && !this.#removed.has(item);
    this.#changed.delete(item);
    // An item that was added and removed in one transaction is not logged: no reader has seen it.
    if (!isNew && !this.#removed.has(item)) this.#removed.set(item, segment);
    this.#count(-1, -bytes);
  }

  #count(items: number, bytes: number): void {
    this.isTouched = true;
    this.#itemGrowth += items;
    this.#byteGrowth += bytes;
  }

  /** The changes for the log. Removals come first: a freed href may be used again in the same transaction. */
  listChanges(): LoggedChange[] {
    const { collection: parent } = this.row;
    const changes: LoggedChange[] = [];
    if (this.#removed.size > 0) {
      const chosen = [...this.#removed].filter(([, segment]) => segment !== null);
      changes.push({
        kind: "item",
        parent,
        operation: "remove",
        ids: numberSetOf(this.#removed.keys()),
        data: chosen.length === 0 ? null : JSON.stringify(Object.fromEntries(chosen)),
      });
    }
    for (const operation of ["update", "add"] as const) {
      const items = [...this.#changed].filter(([, action]) => action === operation).map(([item]) => item);
      if (items.length > 0) changes.push({ kind: "item", parent, operation, ids: numberSetOf(items) });
    }
    return changes;
  }

  async write(
    tx: Transaction,
    { agent, modseq, at }: Pick<AgentTransaction, "agent" | "modseq" | "at">,
  ): Promise<void> {
    await passQuietPushes(tx, { agent, collection: this.row.collection, modseq, changed: "items" });
    await tx.run(
      `update collection
      set modseq = ?, updated_at = ?, item_count = item_count + ?, byte_count = byte_count + ?
      where agent_id = ? and collection_id = ?`,
      modseq,
      at,
      this.#itemGrowth,
      this.#byteGrowth,
      agent,
      this.row.collection,
    );
  }
}
