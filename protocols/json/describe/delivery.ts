/** `content.delivery` of a message that was sent, is scheduled or waits for approval: the state of each recipient, also those of Bcc,
 *  since the sender and readers of the sender's mailbox may know them. */
import { z } from "zod";
import type { Message } from "#/src/mail/messages.ts";
import { deliveryReasons, deliveryStates, mailStates } from "#/src/model/delivery.ts";
import { isoTime } from "#/src/render/iso-time.ts";
import type { OperationContext } from "../operation.ts";

const deliverySchema = z
  .strictObject({
    state: z.enum(mailStates).describe("Of the mail: the least finished state of its recipients."),
    send_at: z.string().optional().describe("When it is or was sent, if that is later than the request."),
    recipients: z.array(
      z.strictObject({
        address: z.string(),
        state: z.enum(deliveryStates),
        code: z
          .string()
          .optional()
          .describe("Enhanced status code (RFC 3463) of the last attempt or report."),
        reason: z.enum(deliveryReasons).optional().describe("Why it is delayed, bounced or cancelled."),
        at: z.string().describe("When it came to this state."),
        next_at: z.string().optional().describe("When it is tried next."),
      }),
    ),
  })
  .meta({ id: "Delivery" });
export type Delivery = z.infer<typeof deliverySchema>;

export async function deliveryOf(
  { rooms }: OperationContext,
  { agent, number }: Message,
): Promise<{ readonly delivery?: Delivery }> {
  const delivery = await rooms.outbound.readDelivery(agent, number);
  if (delivery === undefined) return {};
  const { state, sendAt, recipients } = delivery;
  return {
    delivery: {
      state,
      ...(sendAt === undefined ? {} : { send_at: isoTime(sendAt) }),
      recipients: recipients.map(({ at, nextAt, ...known }) => ({
        ...known,
        at: isoTime(at),
        ...(nextAt === undefined ? {} : { next_at: isoTime(nextAt) }),
      })),
    },
  };
}
