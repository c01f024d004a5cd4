/** Events and contacts as listings show them, by the kind of their collection. */
import type { CollectionKind } from "#/src/collections/collection.ts";
import type { StoredItem } from "#/src/collections/item.ts";
import type { ReachedCollection } from "#/src/reach/collection-reach.ts";
import type { OperationContext } from "../operation.ts";
import { contactShortForm } from "./contact-form.ts";
import { eventOccursIn, eventShortForm } from "./event-form.ts";

export interface ItemForm {
  shortForm(
    context: OperationContext,
    item: StoredItem,
    collection: ReachedCollection,
  ): Promise<Readonly<Record<string, unknown>>>;
  /** Whether the item has an instance in a range; undefined bounds are open. Absent for kinds without times. */
  occursIn?(
    context: OperationContext,
    item: StoredItem,
    collection: ReachedCollection,
    sinceMs: number | undefined,
    beforeMs: number | undefined,
  ): Promise<boolean>;
}

export const itemForms: Record<CollectionKind, ItemForm> = {
  addressbook: { shortForm: contactShortForm },
  calendar: { shortForm: eventShortForm, occursIn: eventOccursIn },
};
