/** What calendar.create and addressbook.create do. */
import type { CollectionKind } from "#/src/collections/collection.ts";
import type { KeyedRequest } from "../idempotency.ts";
import type { OperationContext } from "../operation.ts";
import { writeInOrder } from "../write-in-order.ts";
import { type GivenProperties, propertiesOf } from "./container.ts";
import { placeIn } from "./reach.ts";

export async function createContainer(
  context: OperationContext,
  kind: CollectionKind,
  input: GivenProperties & KeyedRequest & { readonly in?: string | undefined },
) {
  const { collections } = context.rooms;
  const { author } = context.principal;
  const { agent, collection, modseq } = await writeInOrder(context, {
    request: [`${kind}.create`, input],
    reach: () => placeIn(context, kind, input.in),
    async repeat(once, { agent }) {
      const made = await collections.findCollectionRepeat(once);
      return made && { ...made, agent };
    },
    async write({ agent }, once) {
      const properties = propertiesOf(input);
      const made = await collections.createCollection(author, agent, { kind, properties }, once);
      return { ...made, agent };
    },
  });
  return { ref: collections.ids.encode(kind, agent, collection), created: true, version: String(modseq) };
}
