/** How many recipients a mail may have: each door by which they are chosen asks here, and so does the queue. */
import { WaypostError } from "#/src/model/errors.ts";

/** Throws `policy_refused` (limit_reached), or `invalid` where the request has a field that is the first too many. */
export function assertRecipientCount(
  count: number,
  { smtp: { maxRecipients } }: { readonly smtp: { readonly maxRecipients: number } },
  field?: string,
): void {
  if (count <= maxRecipients) return;
  const [code, where] =
    field === undefined
      ? (["policy_refused", { reason: "limit_reached" }] as const)
      : (["invalid", { field }] as const);
  throw new WaypostError(code, `The mail is to more than ${maxRecipients} recipients.`, {
    ...where,
    hint: "Send it in several mails.",
  });
}
