/** Authorization: Bearer (RFC 6750 section 2.1). credentials = "Bearer" 1*SP b64token */
const bearer = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i;
const tokenLengthMax = 512;

/** The token of an Authorization field, or undefined when the field does not have that form. */
export function bearerToken(field: string | undefined): string | undefined {
  if (field === undefined || field.length > tokenLengthMax) return undefined;
  return bearer.exec(field)?.[1];
}
