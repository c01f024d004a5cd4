/** The argument of EHLO as octets of a header field; undefined without one. A wrong syntax is not refused (RFC 5321 section 4.1.4);
 *  the Received field has the argument only if it is a name. */
export function heloName(command: Buffer): string | undefined {
  const words = command.toString("latin1").trim().split(/\s+/);
  const name = words[1];
  if (words.length !== 2 || name === undefined || name.length > 255 || !/^[!-~]+$/.test(name))
    return undefined;
  return name.toLowerCase();
}
