/** search in a calendar or an addressbook. */
import type { CollectionKind } from "#/src/collections/collection.ts";
import { foldWord } from "#/src/collections/preparing/search-text.ts";
import { WaypostError } from "#/src/model/errors.ts";
import type { AgentNumber, CollectionNumber } from "#/src/model/numbers.ts";
import { listedContent } from "../listing.ts";
import type { OperationContext } from "../operation.ts";
import type { ReadResult } from "../schemas.ts";
import { searchedWords } from "../searched-words.ts";
import { listCollection } from "./item-listing.ts";
import { collectionId, reachCollection } from "./reach.ts";

export interface CollectionSearch {
  readonly q?: string | undefined;
  readonly since?: string | undefined;
  readonly before?: string | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
  readonly charactersMax: number;
}

const fields = {
  calendar: ["in", "q", "since", "before", "limit", "cursor", "max_chars"],
  addressbook: ["in", "q", "limit", "cursor", "max_chars"],
} as const satisfies Record<CollectionKind, readonly string[]>;

/** Throws `invalid` for a field that only mail has. */
export function assertFieldsOf(kind: CollectionKind, request: Readonly<Record<string, unknown>>): void {
  const known: readonly string[] = fields[kind];
  const other = Object.keys(request).find((field) => request[field] !== undefined && !known.includes(field));
  if (other === undefined) return;
  throw new WaypostError("invalid", `The field ${other} cannot be used with ${kind}s.`, {
    field: `/${other}`,
    hint: `Of ${kind}s: ${known.join(", ")}.`,
  });
}

export async function searchCollection(
  context: OperationContext,
  kind: CollectionKind,
  agent: AgentNumber,
  number: CollectionNumber,
  request: CollectionSearch,
): Promise<ReadResult> {
  const collection = await reachCollection(context, kind, agent, number, "read");
  const { q, since, before, limit, cursor, charactersMax } = request;
  const words = q === undefined ? undefined : searchedWords(q).map(foldWord);
  const hasRange = since !== undefined || before !== undefined;
  const listing = await listCollection(context, collection, {
    words,
    range: hasRange ? { sinceMs: timeOf(since), beforeMs: timeOf(before) } : undefined,
    limit,
    cursor,
    charactersMax,
    scope: JSON.stringify([q ?? "", since ?? "", before ?? ""]),
  });
  return {
    ref: collectionId(context, collection),
    kind: "listing",
    content: {
      ...listedContent(listing),
      // Without a filter the total is known already.
      ...(words === undefined && !hasRange ? { total: collection.itemCount } : {}),
    },
    ...(listing.cursor === undefined ? {} : { cursor: listing.cursor }),
  };
}

function timeOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text);
}
