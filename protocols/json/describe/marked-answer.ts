/** An answer in which what others wrote stands between marks: texts, previews, subjects, names, file names, values of header fields, and
 *  the texts of events and contacts. Identifiers, addresses and what else a program compares stay as they are. */
import type { Marker } from "#/src/formats/text/marks.ts";
import type { RemovalDetail } from "#/src/render/removal.ts";
import type { ReadResult, ResultKind } from "../schemas.ts";

type Json = Readonly<Record<string, unknown>>;

/** Kinds that have nothing of others. */
const ownKinds: ReadonlySet<ResultKind> = new Set(["agent", "catalog", "grammar"]);

/** Members whose text others wrote, wherever they stand. */
const textMembers = new Set([
  "subject",
  "name",
  "preview",
  "text",
  "title",
  "description",
  "location",
  "organization",
  "comment",
]);
/** Members that programs compare, in which others can write words all the same. */
const comparedMembers = new Set([
  "charset",
  "disposition",
  "type",
  "cid",
  "address",
  "emails",
  "phones",
  "uid",
  "organizer",
  "list_id",
  "message_id",
  "in_reply_to",
  "references",
]);
/** Members that hold an object in the words of others. */
const wholeMembers = new Set(["event", "card", "data"]);
/** Of these each value is a text, and the name is not. */
const headerMember = "headers";
/** Of the one who shares a collection, in the words of the operator. */
const ownMembers = new Set(["owner"]);

export function markedAnswer(answer: ReadResult, marker: Marker): ReadResult {
  const { kind, text, content, provenance } = answer;
  if (kind !== undefined && ownKinds.has(kind)) return answer;
  const marked = {
    ...answer,
    ...(text === undefined ? {} : { text: markedText(text, marker) }),
    ...(content === undefined ? {} : { content: markedContent(content, marker) }),
  };
  if (marker.removed === 0 || provenance === undefined) return marked;
  return { ...marked, provenance: withRemoved(provenance, marker.removed, answer.ref) };
}

export function markedContent(content: Json, marker: Marker): Json {
  const { mark, blank } = marker;
  return { ...(inside(content, marker) as Json), mark, ...(blank === undefined ? {} : { blank }) };
}

/** The last line of a page that is cut is the server's, and stands outside. Nobody else can write one (`own-lines.ts`). */
const cutLine = /\n\[truncated: \d{1,20} of \d{1,20} characters; continue with cursor\]$/;

/** The text, and the line feed and line of the server behind it. */
export function splitCutLine(text: string): readonly [text: string, cut: string] {
  const cut = cutLine.exec(text.slice(-200))?.[0] ?? "";
  return [text.slice(0, text.length - cut.length), cut];
}

function markedText(text: string, marker: Marker): string {
  const [words, cut] = splitCutLine(text);
  return marker.around(words) + cut;
}

function inside(value: unknown, marker: Marker, member = ""): unknown {
  if (typeof value === "string") {
    const isText = textMembers.has(member) || (comparedMembers.has(member) && !isMachineForm.test(value));
    return isText ? marker.around(value) : value;
  }
  if (Array.isArray(value)) return value.map((one) => inside(one, marker, member));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => {
      if (wholeMembers.has(name) && typeof one === "object") return [name, wholly(one, marker)];
      if (name === headerMember && Array.isArray(one))
        return [name, one.map((field) => headerOf(field, marker))];
      return [name, ownMembers.has(name) ? one : inside(one, marker, name)];
    }),
  );
}

function headerOf(field: unknown, marker: Marker): unknown {
  const { name, value } = field as { readonly name: string; readonly value: string };
  return { name, value: marker.around(value) };
}

/** Members of JSCalendar and JSContact, and values that programs compare: words without blanks. */
const isMachineForm = /^(?:[\w@:.,+/#%&=?~$!*'{|}^`<>-]{1,320}|\+?[\d ()./-]{1,40})$/;
const saidInWords = new Set([...textMembers, "value", "label", "note", "full"]);

function wholly(value: unknown, marker: Marker, member = ""): unknown {
  if (typeof value === "string")
    return saidInWords.has(member) || !isMachineForm.test(value) ? marker.around(value) : value;
  if (Array.isArray(value)) return value.map((one) => wholly(one, marker, member));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, wholly(one, marker, name)]));
}

function withRemoved(
  provenance: NonNullable<ReadResult["provenance"]>,
  count: number,
  where: string,
): NonNullable<ReadResult["provenance"]> {
  const what = "control-character";
  const detail: RemovalDetail = { what, count, where: where.split("#")[1] ?? "body" };
  const { removed, removed_detail } = provenance;
  return {
    ...provenance,
    removed: removed.includes(what) ? removed : [...removed, what],
    ...(removed_detail === undefined ? {} : { removed_detail: [...removed_detail, detail] }),
  };
}
