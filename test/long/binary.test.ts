/** The single binary: built, copied into an empty folder and started there with an empty environment. */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connectRawSmtp, stuff } from "../support/clients/raw-smtp.ts";
import { startChildDaemon } from "../support/daemon.ts";
import { docxOf } from "../support/documents.ts";
import { builtBinary } from "./built-binary.ts";

const docxType = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
let folder: string;
let binary: string;

beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-binary-"));
  binary = path.join(folder, "waypost");
  fs.renameSync(copyOf(builtBinary, `${binary}.new`), binary);
});

afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

function copyOf(from: string, to: string): string {
  fs.copyFileSync(from, to);
  return to;
}

test("serves from an empty folder with an empty environment, and stops cleanly", async () => {
  await using daemon = await startChildDaemon({
    command: [binary],
    env: {},
    cwd: folder,
    data: path.join(folder, "data"),
  });
  const response = await fetch(`${daemon.http.url}/v1/health`, {
    method: "POST",
    headers: { authorization: `Bearer ${daemon.agents[0]!.token}`, "content-type": "application/json" },
    body: "{}",
  });
  expect(response.status).toBe(200);
  const tools = await fetch(`${daemon.http.url}/mcp`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${daemon.agents[0]!.token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
  });
  expect(await tools.text()).toContain('"part_describe"');
  const { address } = daemon.agents[0]!;
  const run = (...args: string[]) =>
    execFileSync(binary, [...args, "--data", path.join(folder, "data")], {
      env: {},
      cwd: folder,
      encoding: "utf8",
    });
  expect(
    run("deliver", "--to", address, "--subject", "Hello", "--text", "From the binary", "--json"),
  ).toContain("250 ");
  const listing = JSON.parse(
    execFileSync(
      binary,
      [
        "call",
        "search",
        "--agent",
        address,
        "--data",
        path.join(folder, "data"),
        "--json",
        `{"in":"${daemon.agents[0]!.id}"}`,
      ],
      { env: {}, cwd: folder, encoding: "utf8" },
    ),
  );
  expect(JSON.stringify(listing)).toContain("Hello");
  expect(await daemon.stop()).toBe(0);
});

test("reads a document in a separate process, which runs the same binary", async () => {
  await using daemon = await startChildDaemon({
    command: [binary],
    env: {},
    cwd: folder,
    data: path.join(folder, "documents"),
  });
  const { address, token } = daemon.agents[0]!;
  {
    await using smtp = await connectRawSmtp(daemon.smtp);
    await smtp.send(
      `EHLO sender.example\r\nMAIL FROM:<a@outside.example>\r\nRCPT TO:<${address}>\r\nDATA\r\n`,
      4,
    );
    const document = docxOf("<w:p><w:r><w:t>words of a friend</w:t></w:r></w:p>").toString("base64");
    const mail = `From: a@outside.example\r\nMIME-Version: 1.0\r\nContent-Type: ${docxType}; name=a\r\nContent-Transfer-Encoding: base64\r\n\r\n${document}\r\n`;
    expect(await smtp.send(stuff(mail))).toEqual([expect.stringMatching(/^250 /)]);
  }
  const ask = async (operation: string, body: object): Promise<string> => {
    const response = await fetch(`${daemon.http.url}/v1/${operation}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return response.text();
  };
  const [id] = /message_[0-9a-z]{26}/.exec(await ask("search", { limit: 1 }))!;
  expect(await ask("part.describe", { id, part: "1" })).toContain("words of a friend");
  expect(await daemon.stop()).toBe(0);
});
