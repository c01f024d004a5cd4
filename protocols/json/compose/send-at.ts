/** `send_at`: when a mail is to be sent. */
import { z } from "zod";
import { WaypostError } from "#/src/model/errors.ts";
import { isoTime } from "#/src/render/iso-time.ts";
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

/** What a write answers of the time that it was given: without a zone it was read on a clock that the caller may not know. */
export const sentAtField = {
  send_at: z.string().optional().describe("When it leaves, if that is later than now."),
};

export function shownSendAt(sendAt: number | undefined): { readonly send_at?: string } {
  return sendAt === undefined ? {} : { send_at: isoTime(sendAt) };
}
