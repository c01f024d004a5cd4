/** Tells a client that its command is still at work (RFC 9585), so that it does not give up.
 *  resp-text-code = "INPROGRESS" SP "(" (quoted-tag / "NIL") SP "NIL" SP "NIL" ")" */
import { progressMs } from "../limits.ts";
import type { ResponseWriter } from "../wire/response-writer.ts";

/** From now until it is disposed. Silent while something else is being said. */
export function tellProgress(tag: string, out: ResponseWriter): Disposable {
  // A "]" would end the response code (section 4).
  const name = tag.includes("]") ? "NIL" : `"${tag}"`;
  let saidBefore = out.lineCount;
  const timer = setInterval(() => {
    if (out.isBetweenLines && out.lineCount === saidBefore) {
      out.line(`* OK [INPROGRESS (${name} NIL NIL)] Still at work`);
      // A peer that has gone is noticed by the command itself.
      out.flush().catch(() => {});
    }
    saidBefore = out.lineCount;
  }, progressMs);
  return {
    [Symbol.dispose]() {
      clearInterval(timer);
    },
  };
}
