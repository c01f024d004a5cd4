/** Tells a client that its command is still running (RFC 9585), so that it does not give up.
 *  resp-text-code = "INPROGRESS" SP "(" (quoted-tag / "NIL") SP "NIL" SP "NIL" ")" */
import { progressMs } from "../limits.ts";
import type { ResponseWriter } from "../wire/response-writer.ts";

/** Sends INPROGRESS from now until it is disposed. Sends nothing while another response is being written. */
export function tellProgress(tag: string, out: ResponseWriter): Disposable {
  // A "]" would end the response code (section 4).
  const name = tag.includes("]") ? "NIL" : `"${tag}"`;
  let saidBefore = out.lineCount;
  const timer = setInterval(() => {
    if (out.isBetweenLines && out.lineCount === saidBefore) {
      out.line(`* OK [INPROGRESS (${name} NIL NIL)] Still at work`);
      // The command itself notices a peer that has gone.
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
