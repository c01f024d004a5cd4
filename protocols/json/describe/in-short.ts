/** `detail: "short"`: an answer without what another member says, and of its provenance what a reader acts upon: whether it is
 *  authenticated, what was left out and why it is in doubt, and what is unusual. */
import type { ReadResult } from "../schemas.ts";

type Json = Readonly<Record<string, unknown>>;

export function inShort(answer: unknown): unknown {
  const { provenance, content, ...rest } = answer as Partial<ReadResult>;
  return {
    ...rest,
    ...(content === undefined ? {} : { content: shortContent(content, rest.ref) }),
    ...(provenance === undefined ? {} : { provenance: shortProvenance(provenance) }),
  };
}

/** Without the identifier that `ref` is, and the UID that the event or the card itself has. */
function shortContent({ id, uid, ...content }: Json, ref: unknown): Json {
  const { event, card } = content as { readonly event?: Json; readonly card?: Json };
  return {
    ...(id === undefined || id === ref ? {} : { id }),
    ...(uid === undefined || uid === (event ?? card)?.uid ? {} : { uid }),
    ...content,
  };
}

function shortProvenance({
  authenticated,
  removed,
  removed_detail = [],
  checks = {},
  addressed,
}: NonNullable<ReadResult["provenance"]>): NonNullable<ReadResult["provenance"]> {
  const unusual = Object.entries(checks).flatMap(([name, check]) => {
    if (name === "iprev" && (check as Json).result === noName) return [];
    const left = Array.isArray(check) ? check.filter(isUnusual) : check;
    return (Array.isArray(left) ? left.length > 0 : isUnusual(left)) ? [[name, left] as const] : [];
  });
  const doubts = removed_detail.filter(({ what }) => what === "doubtful");
  return {
    authenticated,
    removed,
    ...(doubts.length === 0 ? {} : { removed_detail: doubts }),
    ...(addressed === undefined ? {} : { addressed }),
    ...(unusual.length === 0 ? {} : { checks: Object.fromEntries(unusual) }),
  };
}

/** Of iprev: the client's address has no name (RFC 8601 section 2.7.3). */
const noName = "permerror";

/** A check that failed, a part that no signature covers, a filter's verdict. A check that could not be made, as that of a host without
 *  a name or of mail without a signature, tells nothing. */
function isUnusual(check: unknown): boolean {
  const { result, covered, isSpam } = check as Json;
  return /fail|error/.test(String(result ?? "")) || covered === false || isSpam === true;
}
