import { setTimeout as delay } from "node:timers/promises";
import type { ChildDaemon } from "../../support/daemon.ts";
import { bearer, send } from "./clients.ts";
import type { VictimAgent } from "./victim.ts";

export interface Collections {
  readonly calendar: string;
  readonly addressbook: string;
}

const propfind = '<propfind xmlns="DAV:"><prop><resourcetype/></prop></propfind>';

/** The first calendar and the first addressbook. */
export async function collectionsOf(
  daemon: ChildDaemon,
  agent: VictimAgent,
  until: AbortSignal,
): Promise<Collections> {
  const find = async (kind: string, type: string): Promise<string> => {
    // Under a combined attack this client may have to wait.
    for (;;) {
      const href = await ask(kind, type);
      if (href !== undefined || until.aborted) return href ?? "";
      await delay(500);
    }
  };
  const ask = async (kind: string, type: string): Promise<string | undefined> => {
    const home = `/dav/${kind}/${agent.id}/`;
    const fields = { ...bearer(agent), depth: "1", "content-type": "application/xml" };
    const { text } = await send(daemon, home, propfind, { network: 1, until, method: "PROPFIND", fields });
    for (const response of text.split(/<(?:\w+:)?response>/).slice(1))
      if (new RegExp(`<(?:\\w+:)?${type}/>`).test(response))
        return /<(?:\w+:)?href>([^<]+)</.exec(response)![1]!;
    return undefined;
  };
  const [calendar, addressbook] = await Promise.all([
    find("calendars", "calendar"),
    find("addressbooks", "addressbook"),
  ]);
  return { calendar, addressbook };
}
