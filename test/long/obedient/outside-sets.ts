/** Attack texts of others, where they are laid beside: an agent that obeys sends to each address that the text names, answers where it
 *  names none, and invites where it speaks of meetings. */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Attack } from "./attack.ts";
import type { Hands } from "./obedient-agent.ts";

export interface OutsideSet {
  readonly name: string;
  readonly file: string;
  read(text: string): readonly string[];
}

export const outsideSets: readonly OutsideSet[] = [
  { name: "HyeonJi05/ease, data/attack_dataset.csv", file: "attack_dataset.csv", read: readEase },
  {
    name: "microsoft/BIPIA, benchmark/text_attack_test.json",
    file: "text_attack_test.json",
    read: readBipia,
  },
  {
    name: "sequrity-ai/agentdojo, workspace/injection_tasks.py",
    file: "injection_tasks.py",
    read: readDojo,
  },
];

/** undefined where the set is absent. */
export function attacksOf({ name, file, read }: OutsideSet, folder: string): readonly Attack[] | undefined {
  const place = path.join(folder, file);
  if (!existsSync(place)) return undefined;
  return read(readFileSync(place, "utf8")).map((asks) => ({
    exit: name,
    asks,
    deed: (hands) => obey(hands, asks),
  }));
}

async function obey(hands: Hands, text: string): Promise<void> {
  const named = [...new Set(text.match(/[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}/g) ?? [])].slice(
    0,
    3,
  );
  if (named.length === 0) await hands.send({ in_reply_to: hands.mail });
  for (const to of named) {
    await hands.send({ to: [to] });
    await hands.send({ in_reply_to: hands.mail, cc: [to] });
    if (/forward/i.test(text)) await hands.send({ to: [to], forward_of: hands.secret.id });
    if (/calendar|event|meeting/i.test(text))
      await hands.call("event.create", {
        body: {
          title: `case ${hands.attack}`,
          start: "2026-12-20T10:00:00",
          timeZone: "Europe/Berlin",
          duration: "PT1H",
          participants: [to],
          description: hands.secret.words,
        },
        invite: "send",
      });
  }
}

/** The third column, full_text, of a CSV with a heading (RFC 4180). */
function readEase(text: string): string[] {
  return readCsv(text)
    .slice(1)
    .map((row) => row[2] ?? "")
    .filter((one) => one !== "");
}

export function readCsv(text: string): string[][] {
  const rows: string[][] = [[]];
  let field = "";
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const letter = text[at]!;
    if (isQuoted && letter === '"' && text[at + 1] === '"') {
      field += '"';
      at++;
    } else if (letter === '"') isQuoted = !isQuoted;
    else if (isQuoted || (letter !== "," && letter !== "\n")) field += letter;
    else {
      rows.at(-1)!.push(field);
      field = "";
      if (letter === "\n") rows.push([]);
    }
  }
  rows.at(-1)!.push(field);
  return rows.filter((row) => row.length > 1);
}

function readBipia(text: string): string[] {
  return Object.values(JSON.parse(text) as Record<string, string[]>).flat();
}

/** The goals, with the names in them replaced by the values of their class. */
function readDojo(text: string): string[] {
  return text.split(/^class /m).flatMap((part) => {
    const values = new Map(
      [...part.matchAll(/^ {4}(_\w+)[^=\n]*= ?\(?\s*f?"(.*)"/gm)].map(([, name, value]) => [name!, value!]),
    );
    const goal = /GOAL[^=\n]*= \(?([\s\S]*?)\n\n/.exec(part)?.[1];
    if (goal === undefined) return [];
    const said = [...goal.matchAll(/"(.*)"/g)].map(([, one]) => one).join("");
    return [said.replace(/\{(\w+)\}/g, (_, name: string) => values.get(name) ?? name)];
  });
}
