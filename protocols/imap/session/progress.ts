/** Tells a client that its command is still running (RFC 9585), so that it does not give up, and bounds how long the command runs
 *  without a response of its own.
 *  resp-text-code = "INPROGRESS" SP "(" (quoted-tag / "NIL") SP "NIL" SP "NIL" ")" */
import { every } from "#/src/model/background.ts";
import { commandSilenceMsMax, progressMs } from "../limits.ts";
import type { ResponseWriter } from "../wire/response-writer.ts";

/** Sends INPROGRESS from now until it is disposed, except while another response is being written. Calls `onOverdue` once when the
 *  command has written nothing for too long. The time in which the client has to read does not count: the connection bounds that. */
export function tellProgress(tag: string, out: ResponseWriter, onOverdue: () => void): Disposable {
  // A "]" would end the response code (section 4).
  const name = tag.includes("]") ? "NIL" : `"${tag}"`;
  let saidBefore = out.lineCount;
  let silentMs = 0;
  const timer = every(progressMs, () => {
    const hasSaid = out.lineCount !== saidBefore || out.isWaitingForReader;
    silentMs = hasSaid ? 0 : silentMs + progressMs;
    if (silentMs >= commandSilenceMsMax) {
      clearInterval(timer);
      onOverdue();
      return;
    }
    if (out.isBetweenLines && out.lineCount === saidBefore) {
      out.line(`* OK [INPROGRESS (${name} NIL NIL)] Still at work`);
      // The command itself notices a peer that has gone.
      out.flush().catch(() => {});
    }
    saidBefore = out.lineCount;
  });
  return {
    [Symbol.dispose]() {
      clearInterval(timer);
    },
  };
}
