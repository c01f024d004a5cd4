/** The header in front of SCRAM and OAUTHBEARER messages (RFC 5801 section 4).
 *
 *  gs2-header = gs2-cb-flag "," [authzid] ","      gs2-cb-flag = "p=" cb-name / "n" / "y"      authzid = "a=" saslname */

export interface Gs2Header {
  /** `n`: the client has no channel binding. `y`: it thinks that the server has none. */
  readonly binding: "n" | "y" | { readonly name: string };
  /** Whom to act as; empty for oneself. */
  readonly authorizationId: string;
  /** The header as it was sent, which SCRAM sends again. */
  readonly text: string;
}

const header = /^(?:(n|y)|p=([A-Za-z0-9.-]{1,100})),(?:a=([^,]*))?,/;

/** undefined for what does not begin with such a header. */
export function parseGs2Header(message: string): Gs2Header | undefined {
  const match = header.exec(message);
  if (match === null) return undefined;
  const [text, flag, name] = match;
  const authorizationId = decodeSaslName(match[3] ?? "");
  if (authorizationId === undefined) return undefined;
  return { binding: name === undefined ? (flag as "n" | "y") : { name }, authorizationId, text };
}

/** saslname (RFC 5801 section 4): "=2C" stands for a comma and "=3D" for an equals sign; no other "=" is allowed. */
export function decodeSaslName(text: string): string | undefined {
  if (/=(?!2C|3D)|\0/.test(text)) return undefined;
  return text.replaceAll("=2C", ",").replaceAll("=3D", "=");
}
