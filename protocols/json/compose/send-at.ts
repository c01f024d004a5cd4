/** `send_at`: when a mail is to be sent. */
import { WaypostError } from "#/src/model/errors.ts";
import { givenTime, readTime } from "../given-time.ts";
import type { OperationContext } from "../operation.ts";

/** A year. A later time is taken for a mistake. */
const aheadMaxMs = 366 * 24 * 3_600_000;

export const sendAtText = givenTime;

export async function readSendAt(
  context: OperationContext,
  text: string | undefined,
): Promise<number | undefined> {
  if (text === undefined) return undefined;
  const at = await readTime(context, text);
  if (at <= context.rooms.mail.clock.now() + aheadMaxMs) return at;
  throw new WaypostError("invalid", "The time is more than a year ahead.", {
    field: "/send_at",
    hint: "Send a time within a year, as 2026-05-04T09:00:00Z.",
  });
}
