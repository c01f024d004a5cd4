/** A long text or an attachment of an event or a contact. The object has a link in its place. */
import type { StoredItem } from "#/src/collections/item.ts";
import { reachesScope } from "#/src/reach/agents.ts";
import { missingScope } from "#/src/reach/refusals.ts";
import type { Octets } from "#/src/render/describe-message.ts";
import type { RemovalDetail } from "#/src/render/removal.ts";
import type { OperationContext } from "../operation.ts";
import { assertRender } from "./assert-render.ts";
import { type Page, type PageStart, pageOf } from "./page.ts";

export type LinkedPart =
  | { readonly kind: "data"; readonly bytes: Uint8Array; readonly type: string; readonly size: number }
  | {
      readonly kind: "text";
      readonly text: string;
      readonly size: number;
      readonly removed: readonly RemovalDetail[];
    };

/** A request to read such a part. */
export interface LinkedReading {
  readonly context: OperationContext;
  readonly stored: StoredItem;
  readonly part: string;
  readonly render: string | undefined;
  readonly from: PageStart;
  readonly maxChars: number | undefined;
}

interface Described {
  readonly kind: "attachment" | "body";
  readonly render: "raw" | "text";
  readonly page: Page;
  readonly removed: readonly RemovalDetail[];
}

export async function describeLinkedPart(read: LinkedReading, found: LinkedPart): Promise<Described> {
  const { context, stored, part, from, maxChars } = read;
  assertRender(read.render, found.kind === "data" ? ["raw"] : ["text", "json"]);
  if (found.kind === "data") {
    await assertRaw(context, stored);
    const { bytes, type, size } = found;
    const content = { part, type, size, encoding: "base64" };
    const page = await pageOf({ kind: "attachment", content, octets: octetsOf(bytes) }, from, maxChars);
    return { kind: "attachment", render: "raw", page, removed: [] };
  }
  const { text, size, removed } = found;
  const content = { part, type: "text/plain", size };
  const page = await pageOf({ kind: "body", content, text }, from, maxChars);
  return { kind: "body", render: "text", page, removed };
}

/** Checks the scope `raw`, which is needed for octets that are not cleaned. */
export async function assertRaw(context: OperationContext, { agent }: StoredItem): Promise<void> {
  if (!(await reachesScope(context, agent, "raw"))) throw missingScope("raw");
}

export function octetsOf(bytes: Uint8Array): Octets {
  return { total: bytes.length, read: async (start, end) => bytes.subarray(start, end) };
}
