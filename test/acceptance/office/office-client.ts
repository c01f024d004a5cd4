/** A client of MCP for `npm run office -- --mcp-client "…"`, as a process of its own: it has the URL, the token and the tasks, as a model
 *  has them, plays the scripted model, and writes what it says. An example for whoever connects a real model. */
import fs from "node:fs";
import { openMcp } from "./doors.ts";
import type { Office } from "./lay-office.ts";
import { playDay } from "./scripted-model.ts";

/** What the tasks name: the days, the colleagues and the manager. */
function placesIn(tasks: string): Pick<Office, "monday" | "manager" | "colleagues"> {
  const [, tuesday, one, other] =
    /free hour between (\S+) and .* for yourself and (\S+) and (\S+), and invite/.exec(tasks)!;
  const [, manager] = /^\d+\. Send (\S+) a mail "Week ahead"/m.exec(tasks)!;
  const monday = new Date(Date.parse(tuesday!) - 24 * 3_600_000);
  return { monday, manager: manager!, colleagues: [one!, other!] };
}

const {
  OFFICE_MCP_URL: url,
  OFFICE_TOKEN: token,
  OFFICE_TASKS: tasks,
  OFFICE_ANSWERS: answers,
} = process.env;
await using desk = await openMcp(url!.replace(/\/mcp$/, ""), token!);
const said = await playDay(desk, placesIn(fs.readFileSync(tasks!, "utf8")));
fs.writeFileSync(answers!, JSON.stringify(said));
