/** What the sender of a message asks of TLS on its whole way (RFC 8689).
 *  `required`: the parameter REQUIRETLS of MAIL: each server that gets the message has proven who it is, and asks the same of the next.
 *  `not_required`: the header field `TLS-Required: No`: it matters more that the message arrives than how. */
export type TlsWish = "required" | "not_required";
