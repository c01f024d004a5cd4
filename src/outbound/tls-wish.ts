/** The header field TLS-Required (RFC 8689 section 3): "No" is its only value; one of several fields says nothing. */
import type { HeaderField } from "#/src/formats/mime/header.ts";
import type { TlsWish } from "#/src/model/tls-wish.ts";

/** Section 4.1: the field is ignored in a message that was given with REQUIRETLS. */
export function tlsWishOf(isRequired: boolean, header: readonly HeaderField[]): TlsWish | undefined {
  if (isRequired) return "required";
  const fields = header.filter(({ name }) => name === "tls-required");
  return fields.length === 1 && /^no$/i.test(fields[0]!.value) ? "not_required" : undefined;
}
