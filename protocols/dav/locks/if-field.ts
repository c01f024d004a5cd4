/** If (RFC 4918 section 10.4): conditions by lock tokens and entity tags.
 *  If = ( 1*No-tag-list | 1*Tagged-list ) ; No-tag-list = List ; Tagged-list = Resource-Tag 1*List
 *  List = "(" 1*( ["Not"] ( "<" URI ">" | "[" entity-tag "]" ) ) ")" */
import { DavError } from "../dav-error.ts";

export interface IfCondition {
  readonly isNegated: boolean;
  readonly token?: string;
  readonly etag?: string;
}

export interface IfList {
  /** The tagged resource; undefined: the resource of the request. */
  readonly href: string | undefined;
  readonly conditions: readonly IfCondition[];
}

const fieldLengthMax = 8 * 1024;
const piece = /\s*(?:(?<open>\()|(?<close>\))|(?<not>Not\b)|<(?<uri>[^<>]*)>|\[(?<etag>(?:W\/)?"[^"]*")\])/iy;

/** Throws 400 for text that does not match the grammar. */
export function parseIf(field: string): readonly IfList[] {
  if (field.length > fieldLengthMax) throw malformed();
  const lists: IfList[] = [];
  const text = field.trimEnd();
  let href: string | undefined;
  let conditions: IfCondition[] | undefined;
  let isNegated = false;
  piece.lastIndex = 0;
  while (piece.lastIndex < text.length) {
    const found = piece.exec(text)?.groups;
    if (found === undefined) throw malformed();
    const { open, close, not, uri, etag } = found;
    if (conditions === undefined) {
      if (open !== undefined) conditions = [];
      else if (uri !== undefined && (href !== undefined || lists.length === 0)) href = uri;
      else throw malformed();
    } else if (close !== undefined) {
      if (conditions.length === 0 || isNegated) throw malformed();
      lists.push({ href, conditions });
      conditions = undefined;
    } else if (not !== undefined && !isNegated) isNegated = true;
    else if (uri !== undefined || etag !== undefined) {
      conditions.push({ isNegated, ...(uri === undefined ? { etag: etag! } : { token: uri }) });
      isNegated = false;
    } else throw malformed();
  }
  if (conditions !== undefined || lists.length === 0) throw malformed();
  return lists;
}

/** Every lock token in it, whatever the conditions say (section 10.4.1: naming a token submits it). */
export function submittedTokens(lists: readonly IfList[]): ReadonlySet<string> {
  return new Set(
    lists.flatMap(({ conditions }) =>
      conditions.flatMap(({ token }) => (token === undefined ? [] : [token])),
    ),
  );
}

function malformed(): DavError {
  return new DavError(400, "The If field is not one.");
}
