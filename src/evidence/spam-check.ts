/** The verdict of an rspamd server on a message (its HTTP protocol, `/checkv2`). If it does not answer in time or breaks its protocol,
 *  the message is delivered without a verdict. */
import { z } from "zod";
import type { SpamVerdict } from "./checks.ts";
import type { Origin } from "./spf.ts";

export interface SpamSettings {
  readonly rspamdUrl: string;
  readonly rspamdTimeoutMs: number;
}

const answerBytesMax = 1024 * 1024;
const answer = z.object({
  action: z.string().max(40),
  score: z.number(),
  required_score: z.number().optional(),
});
/** Actions that say that it is not wanted; `greylist` and `soft reject` ask for time, which evidence does not need. */
const spamActions: readonly string[] = ["add header", "rewrite subject", "reject", "discard", "quarantine"];

export async function checkSpam(
  { rspamdUrl, rspamdTimeoutMs }: SpamSettings,
  bytes: Uint8Array,
  origin: Origin,
  recipients: readonly string[],
): Promise<SpamVerdict | undefined> {
  if (rspamdUrl === "") return undefined;
  try {
    const response = await fetch(new URL("/checkv2", rspamdUrl), {
      method: "POST",
      redirect: "error",
      signal: AbortSignal.timeout(rspamdTimeoutMs),
      headers: [
        ["IP", origin.remoteAddress],
        ["Helo", headerText(origin.heloName)],
        ["From", headerText(origin.reversePath)],
        ...recipients.slice(0, 100).map((one): [string, string] => ["Rcpt", headerText(one)]),
      ],
      body: new Uint8Array(bytes),
    });
    if (!response.ok) return undefined;
    const { action, score } = answer.parse(JSON.parse(await limitedText(response)));
    return { action, score, isSpam: spamActions.includes(action) };
  } catch {
    return undefined;
  }
}

function headerText(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, "?");
}

async function limitedText(response: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of response.body ?? []) {
    size += piece.byteLength;
    if (size > answerBytesMax) throw new Error("The answer is too large.");
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}
