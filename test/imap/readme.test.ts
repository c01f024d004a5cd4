import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { commands } from "#/protocols/imap/commands/index.ts";
import { extensions } from "#/protocols/imap/session/session.ts";

const file = new URL("../../protocols/imap/README.md", import.meta.url);

/** The table as the commands say it. */
function commandTable(): string {
  const rows = commands.map(({ name, forms, states, source }) => {
    const inStates = states.length === 3 ? "any" : states.join(", ");
    return `| ${name} | ${forms.includes("uid") ? "sequence, UID" : ""} | ${inStates} | ${source} |`;
  });
  return ["| command | forms | states | defined in |", "| --- | --- | --- | --- |", ...rows].join("\n");
}

/** Written anew with `WAYPOST_RECORD=1`. */
test("the README lists the commands that there are", () => {
  const text = readFileSync(file, "utf8");
  const table = /\| command \| forms[\s\S]*?(?=\n\n)/;
  if (process.env.WAYPOST_RECORD)
    writeFileSync(
      file,
      text.replace(table, () => commandTable()),
    );
  else expect(table.exec(text)?.[0]).toBe(commandTable());
});

test("announces a capability for one reason only", () => {
  const context = {
    state: "authenticated",
    mayUsePlainText: true,
    hasChannelBinding: false,
    canStartTls: false,
    isCompressed: false,
    maxAppendBytes: 1,
    messageLimit: 1,
  } as const;
  const all = commands.flatMap(({ capabilities = [] }) =>
    typeof capabilities === "function" ? capabilities(context) : capabilities,
  );
  expect(new Set(all).size).toBe(all.length);
});

test("announces what ENABLE takes", () => {
  const announced = commands
    .flatMap(({ capabilities = [] }) => (typeof capabilities === "function" ? [] : capabilities))
    .map((name) => name.toUpperCase());
  for (const extension of extensions) expect(announced).toContain(extension);
});
