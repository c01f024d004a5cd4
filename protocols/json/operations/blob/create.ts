/** blob.create: stores bytes for an attachment, in a request separate from that of the mail. A blob can be read like an attachment
 *  and expires after some days, whether or not it was sent: the mail has its own copy. */
import { z } from "zod";
import { jsonBlobBodyBytesMax, uploadDays } from "#/src/model/limits.ts";
import { base64Form, readBase64 } from "../../carriage/base64.ts";
import { operation } from "../../operation.ts";
import { fileName, idempotencyKey, mediaType, writeResult } from "../../schemas.ts";
import { writeInOrder } from "../../write-in-order.ts";

export default operation({
  name: "blob.create",
  verb: "put",
  summary: `Stores bytes to be attached; they are kept for ${uploadDays} days.`,
  scope: "mail",
  effect: "writes",
  version: "none",
  putsMail: false,
  reaches: "own",
  example: { data: "SGVsbG8=", name: "hello.txt", type: "text/plain" },
  bodyBytesMax: jsonBlobBodyBytesMax,
  input: z.strictObject({
    data: z.string().describe(base64Form),
    name: fileName.optional(),
    type: mediaType.optional(),
    idempotency_key: idempotencyKey,
  }),
  output: writeResult.extend({
    size: z.int().describe("Octets."),
    expires_at: z.string().describe("From this time on the blob is not found."),
  }),
  errors: ["not_billable", "forbidden_scope", "policy_refused"],
  async run(context, input) {
    const { mail } = context.rooms;
    const { agent } = context.principal;
    const bytes = context.decoded.get(input.data) ?? readBase64(input.data, "/data");
    const { upload, size, expiresAt } = await writeInOrder(context, {
      request: ["blob.create", input],
      reach: async () => {},
      repeat: (once) => mail.findRepeat("createUpload", once),
      write(_reached, once) {
        const blob = { bytes, name: input.name ?? "", type: input.type ?? "application/octet-stream" };
        return mail.createUpload(context.principal.author, agent, blob, once);
      },
    });
    return {
      ref: mail.ids.encode("blob", agent, upload),
      created: true,
      version: String(upload),
      size,
      expires_at: new Date(expiresAt).toISOString(),
    };
  },
});
