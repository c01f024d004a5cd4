/** The body of `send`, `draft.create` and `draft.update` ("Writing" of the interface). Text for a header field must be one line:
 *  line ends, NUL and unpaired surrogates are refused here, at their field. */
import { z } from "zod";
import { fileName, idOf, mediaType } from "../schemas.ts";

const lineForm = "One line of text: no line end, no control character, no half of a surrogate pair.";

/** Text for a header field. A tab is allowed: it is white space there. */
function headerText(max: number) {
  return z
    .string()
    .max(max)
    .refine((text) => text.isWellFormed() && !controls.test(text));
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const controls = /[\0-\x08\n-\x1f\x7f]/;

const bodyText = z.string().refine((text) => text.isWellFormed() && !text.includes("\0"));
const textForm = "Text without NUL and without half a surrogate pair.";

const addressForm =
  'An address is "name@domain", "Name <name@domain>" or {"name": …, "address": "name@domain"}.';
const addresses = z
  .array(
    z.union([
      headerText(1000),
      z.strictObject({ name: headerText(500).optional(), address: headerText(400) }),
    ]),
  )
  .max(1000)
  .optional();
export type AddressInput = NonNullable<z.infer<typeof addresses>>[number];

/** A Content-ID (RFC 2392), which html names as cid:…: a msg-id without its brackets, with or without a domain. */
const contentId = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[\w!#$%&'*+./=?^`{|}~@-]+$/);

const attachment = z.strictObject({
  blob: idOf("blob").optional(),
  data: z.string().optional(),
  part: idOf("message").optional(),
  name: fileName.optional(),
  type: mediaType.optional(),
  cid: contentId.optional(),
});
export type AttachmentInput = z.infer<typeof attachment>;

export const attachmentForm =
  "Each has one of blob (blob_…), data (base64) and part (message_…#1.2: a file of a mail, without the mail), and optionally name, type and cid.";

/** A URI (RFC 3986 section 3): a scheme, a colon and a rest. */
const uri = headerText(2000).regex(/^[a-z][a-z0-9+.-]*:\S+$/i);

export const messageBody = z
  .strictObject({
    to: addresses.describe(`Recipients. ${addressForm}`),
    cc: addresses.describe(addressForm),
    bcc: addresses.describe(`Recipients that the others do not see. ${addressForm}`),
    subject: headerText(1000)
      .optional()
      .describe(`${lineForm} Absent: that of the message answered or forwarded, with Re: or Fwd:.`),
    text: bodyText.optional().describe(textForm),
    html: bodyText.optional().describe(`${textForm} Without text, the text is made from it.`),
    attachments: z.array(attachment).max(100).optional().describe(attachmentForm),
    in_reply_to: idOf("message")
      .optional()
      .describe("The message that is answered, message_…; without to, its author is the recipient."),
    reply_all: z.boolean().optional().describe("true: with in_reply_to, also the others of its To and Cc."),
    forward_of: idOf("message").optional().describe("A message that is attached as a whole, message_…"),
    agent: z
      .strictObject({ type: uri.describe("A URI that names the type of data."), data: z.unknown() })
      .optional()
      .describe("The machine-readable part: a type (URI) and data; the mail has to have text, too."),
  })
  .meta({ id: "MessageBody" });
export type MessageBodyInput = z.infer<typeof messageBody>;
