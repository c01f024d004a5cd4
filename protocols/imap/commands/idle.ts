/** IDLE (RFC 9051 section 6.3.13, RFC 2177): sends changes of others at once, until the client sends DONE. While the store is
 *  away it stays, and sends them when it is back. */
import type { Connection } from "#/protocols/connection/connection.ts";
import { after, every } from "#/src/model/background.ts";
import { afterLogin, command, noArguments } from "../command.ts";
import { bad, isTemporary, readAgainMs } from "../errors.ts";

/** How often an idle session checks that its credential is still valid. */
const checkMs = 60_000;
const lineBytesMax = 1000;

export const idle = command({
  name: "IDLE",
  states: afterLogin,
  forms: ["plain"],
  usesSequence: false,
  waitsForClient: true,
  capabilities: ["IDLE"],
  source: "RFC 9051 6.3.13, RFC 2177",
  parse: noArguments,
  async run(session, _args, out) {
    const selected = session.state === "selected" ? session.selected : undefined;
    out.line("+ idling");
    const done = readDone(session.connection);
    let wake = Promise.withResolvers<void>();
    const timer = every(checkMs, () => wake.resolve());
    let again: NodeJS.Timeout | undefined;
    selected?.onRing(() => wake.resolve());
    session.watch?.onRing(() => wake.resolve());
    try {
      for (;;) {
        try {
          await session.assertCurrent();
          await selected?.tell(out, session.tellOptions(true, false));
          await session.watch?.tell(out);
        } catch (error) {
          if (!isTemporary(error)) throw error;
          again = after(readAgainMs, () => wake.resolve());
        }
        await out.flush();
        const line = await Promise.race([done, wake.promise]);
        if (line !== undefined) {
          if (line instanceof Error) throw line;
          if (line.toUpperCase() !== "DONE") throw bad("Expected DONE");
          return undefined;
        }
        wake = Promise.withResolvers();
      }
    } finally {
      clearInterval(timer);
      clearTimeout(again);
      selected?.onRing(undefined);
      session.watch?.onRing(undefined);
    }
  },
});

/** Gives a failure as a value, because nobody awaits the promise while a change is being written. */
async function readDone(connection: Connection): Promise<string | Error> {
  try {
    return await connection.readLine(lineBytesMax);
  } catch (error) {
    return error instanceof Error ? error : new Error("read failed", { cause: error });
  }
}
