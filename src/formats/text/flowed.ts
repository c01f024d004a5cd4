/** format=flowed (RFC 3676): a line that ends in a space continues in the next line if that has the same quote depth. */

export function joinFlowed(text: string, deletesSpaces: boolean): string {
  const joined: string[] = [];
  let open: string | undefined;
  let openDepth = -1;
  for (const line of text.split("\n")) {
    const depth = /^>*/.exec(line)![0].length;
    let body = line.slice(depth);
    if (body.startsWith(" ")) body = body.slice(1);
    const isSignature = body === "-- ";
    const flows = body.endsWith(" ") && !isSignature;
    if (open !== undefined && (depth !== openDepth || isSignature)) {
      joined.push(open);
      open = undefined;
    }
    const piece = flows && deletesSpaces ? body.slice(0, -1) : body;
    const whole: string =
      open === undefined ? `${depth === 0 ? "" : `${">".repeat(depth)} `}${piece}` : open + piece;
    if (flows) {
      open = whole;
      openDepth = depth;
    } else {
      joined.push(whole);
      open = undefined;
    }
  }
  if (open !== undefined) joined.push(open);
  return joined.join("\n");
}
