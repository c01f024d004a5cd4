/** Cursors of readings. A cursor is bound to the reader, the object, the part, the rendering and the bytes that are read: when the
 *  bytes change, it is refused. It stays valid when other things change (read state, labels, folder). */
import { WaypostError } from "#/src/model/errors.ts";
import type { ObjectKind } from "#/src/model/ids.ts";
import type { AgentNumber } from "#/src/model/numbers.ts";
import { textRenderer } from "#/src/render/body-text.ts";
import type { OperationContext } from "../operation.ts";

/** The object that is read. */
export interface ReadObject {
  readonly kind: ObjectKind;
  readonly agent: AgentNumber;
  readonly number: number;
  readonly version: string;
  /** Changes when the bytes of the object change. */
  readonly bytesVersion: string;
  /** Of a reading that gives another text of the same bytes. */
  readonly variant?: string;
}

/** Where a reading continues. `from` counts UTF-16 units of the text, or octets. */
export interface Continuation<Render extends string = string> {
  readonly part: string;
  readonly render: Render;
  readonly from: number;
}

const purpose = "part";

export function sealContinuation(
  context: OperationContext,
  object: ReadObject,
  { part, render, from }: Continuation,
): string {
  return context.rooms.feed
    .seal(purpose)
    .seal([...boundTo(context, object), object.bytesVersion, part, render, from]);
}

/** Throws `invalid` for a cursor of another reading, `precondition_failed` when the object has changed since. */
export function openContinuation<Render extends string>(
  context: OperationContext,
  object: ReadObject,
  request: {
    readonly cursor?: string | undefined;
    readonly part?: string | undefined;
    readonly render?: string | undefined;
  },
): Continuation<Render> | undefined {
  if (!request.cursor) return undefined;
  const bound = boundTo(context, object);
  const value = context.rooms.feed.seal(purpose).open(request.cursor);
  const [bytesVersion, part, render, from] = (value?.slice(bound.length) ?? []) as [
    string,
    string,
    Render,
    number,
  ];
  const isSame =
    value?.length === bound.length + 4 &&
    bound.every((one, index) => one === value[index]) &&
    (request.part === undefined || request.part === part) &&
    (request.render === undefined || request.render === render);
  if (!isSame)
    throw new WaypostError("invalid", "The cursor belongs to another reading.", {
      field: "/cursor",
      hint: "Repeat the request that gave the cursor, with nothing changed but cursor and max_chars.",
    });
  if (bytesVersion !== object.bytesVersion)
    throw new WaypostError("precondition_failed", "The object has changed since the reading began.", {
      version: object.version,
      hint: "Begin again without cursor.",
    });
  return { part, render, from };
}

function boundTo(context: OperationContext, object: ReadObject): (string | number)[] {
  const { kind, agent, number, variant = "" } = object;
  return [context.principal.agent, kind, agent, number, `${textRenderer}${variant}`];
}
