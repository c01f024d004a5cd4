/** npm run office [-- --mcp-client "COMMAND"]: a day of an assistant, over MCP and over `/v1`, and what it costs in calls and octets. A
 *  script plays the model. With a command, that plays it instead: it finds in its environment OFFICE_MCP_URL, OFFICE_TOKEN, OFFICE_TASKS (a
 *  file) and OFFICE_ANSWERS (where it writes what it says, as JSON of the type `Said`). */
import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { type Counts, type Desk, openMcp, openV1, startProxy } from "./office/doors.ts";
import { judgeDay, type Verdict } from "./office/judge.ts";
import { type Office, openOffice } from "./office/lay-office.ts";
import { playDay } from "./office/scripted-model.ts";
import { type Said, tasksFor } from "./office/tasks.ts";

export interface Day extends Counts, Verdict {}

const doors = { mcp: openMcp, v1: openV1 } as const;
export type OfficeDoor = keyof typeof doors;

/** The day by the script. */
export async function spendDay(door: OfficeDoor): Promise<Day> {
  await using office = await openOffice();
  await using proxy = await startProxy(office.url);
  await using desk: Desk = await doors[door](proxy.url, office.token);
  const said = await playDay(desk, office);
  return { ...proxy.counts, ...(await judgeDay(office, said)) };
}

/** The day by a program of its own, judged when it ends. Its URL goes through the counting proxy. */
async function watchDay(command: string): Promise<void> {
  await using office = await openOffice();
  await using proxy = await startProxy(office.url);
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-office-"));
  const tasks = path.join(folder, "tasks.txt");
  const answers = path.join(folder, "answers.json");
  fs.writeFileSync(
    tasks,
    tasksFor(office)
      .map((task, at) => `${at + 1}. ${task}\n`)
      .join(""),
  );
  const code = await run(command, office, {
    OFFICE_MCP_URL: `${proxy.url}/mcp`,
    OFFICE_TASKS: tasks,
    OFFICE_ANSWERS: answers,
  });
  const said = fs.existsSync(answers) ? (JSON.parse(fs.readFileSync(answers, "utf8")) as Said) : {};
  const verdict = path.join(folder, "verdict.json");
  fs.writeFileSync(verdict, JSON.stringify({ ...proxy.counts, ...(await judgeDay(office, said)) }, null, 2));
  if (code !== 0) console.log(`the client ended with ${code}`);
  console.log(`tasks ${tasks}\nanswers ${answers}\nto judge ${verdict}`);
}

/** Gives the code or the signal that it ends with. */
async function run(
  command: string,
  { token }: Office,
  env: Record<string, string>,
): Promise<number | NodeJS.Signals | null> {
  const child = spawn(command, {
    shell: true,
    stdio: "inherit",
    env: { ...process.env, ...env, OFFICE_TOKEN: token },
  });
  return new Promise((ended) => child.once("exit", (code, signal) => ended(code ?? signal)));
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { "mcp-client": { type: "string" } } });
  const command = values["mcp-client"];
  if (command !== undefined) await watchDay(command);
  else for (const door of ["mcp", "v1"] as const) console.log(door, await spendDay(door));
  process.exit();
}
