/** The argument of EHLO, in the octets of a header field; undefined without one. Its syntax is the peer's affair (RFC 5321
 *  section 4.1.4): it is told in the Received field only if it is a name. */
export function heloName(command: Buffer): string | undefined {
  const words = command.toString("latin1").trim().split(/\s+/);
  const name = words[1];
  if (words.length !== 2 || name === undefined || name.length > 255 || !/^[!-~]+$/.test(name))
    return undefined;
  return name.toLowerCase();
}
