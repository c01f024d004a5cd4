/** A whole server moves from SQLite to PostgreSQL and back, with the commands of docs/scale.md. What its clients know stays valid. */
import { execFile } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { basic, davClient } from "../support/clients/dav-client.ts";
import { httpClient } from "../support/clients/http.ts";
import { connectRawImap } from "../support/clients/raw-imap.ts";
import { connectRawSmtp } from "../support/clients/raw-smtp.ts";
import { type Ready, startInProcessDaemon, startScript } from "../support/daemon.ts";
import { dropStorage } from "../support/engine.ts";
import { eventText } from "../support/item-texts.ts";
import { dropDatabase, makeDatabase, serverUrl } from "./database.ts";

const page = fs.readFileSync(new URL("../../docs/scale.md", import.meta.url), "utf8");
const commands = [...page.matchAll(/^ {4}waypost (move .*)$/gm)].map(([, command]) => command!.split(" "));
const run = promisify(execFile);

type Owner = Ready["agents"][number];

/** What a client of each door keeps. */
interface Kept {
  readonly cursor: string;
  /** UIDVALIDITY, HIGHESTMODSEQ and UIDNEXT. */
  readonly selected: readonly string[];
  /** EMAILID, MODSEQ and octets of message 1. */
  readonly fetched: string;
  readonly syncToken: string;
  readonly etag: string;
}

class Client {
  readonly #ready: Ready;
  readonly #owner: Owner;
  readonly #calendar: string;

  constructor(ready: Ready, owner: Owner) {
    this.#ready = ready;
    this.#owner = owner;
    this.#calendar = `/dav/calendars/${owner.id}/trips/`;
  }

  get #dav() {
    return davClient(this.#ready.http.url, basic(this.#owner.address, this.#owner.password));
  }

  async mail(subject: string): Promise<void> {
    await using smtp = await connectRawSmtp({ port: this.#ready.smtp.port });
    const lines = [
      "EHLO client.example",
      "MAIL FROM:<eve@client.example>",
      `RCPT TO:<${this.#owner.address}>`,
      "DATA",
    ];
    for (const line of lines) await smtp.command(line);
    expect(await smtp.command(`Subject: ${subject}\r\n\r\nHow are you?\r\n.`)).toMatch(/^250/);
  }

  async put(name: string, fields: Record<string, string> = {}, summary = "A trip"): Promise<number> {
    await this.#dav.request("MKCALENDAR", this.#calendar);
    const body = eventText(name, `SUMMARY:${summary}`);
    const type = { "Content-Type": "text/calendar" };
    return (await this.#dav.request("PUT", `${this.#calendar}${name}.ics`, body, { ...type, ...fields }))
      .status;
  }

  async sync(token: string): Promise<{ readonly token: string; readonly names: readonly string[] }> {
    const body = `<D:sync-collection xmlns:D="DAV:"><D:sync-token>${token}</D:sync-token><D:sync-level>1</D:sync-level><D:prop><D:getetag/></D:prop></D:sync-collection>`;
    const { status, text } = await this.#dav.request("REPORT", this.#calendar, body, { Depth: "0" });
    expect(status).toBe(207);
    return {
      token: /<D:sync-token>([^<]*)/.exec(text)![1]!,
      names: [...text.matchAll(/([a-z]+)\.ics</g)].map(([, name]) => name!),
    };
  }

  async subjectsAfter(cursor: string): Promise<string[]> {
    const { events } = await httpClient(this.#ready.http.url, this.#owner.token).ok("wait", {
      cursor,
      timeout_s: 1,
      types: ["mail.received"],
    });
    return events.map(({ type }: { type: string }) => type);
  }

  /** With what a client has kept: answers the responses to SELECT. */
  async select(kept?: Kept): Promise<string[]> {
    await using imap = await connectRawImap({ host: this.#ready.imap.host, port: this.#ready.imap.port });
    await imap.command(`LOGIN ${this.#owner.address} ${this.#owner.password}`);
    await imap.command("ENABLE QRESYNC");
    const [uidValidity, modseq] = kept?.selected ?? [];
    const { status, untagged } = await imap.command(
      kept === undefined ? "SELECT INBOX" : `SELECT INBOX (QRESYNC (${uidValidity} ${modseq}))`,
    );
    expect(status).toMatch(/^OK/);
    return untagged.map(({ text }) => text);
  }

  async keep(): Promise<Kept> {
    const { cursor } = await httpClient(this.#ready.http.url, this.#owner.token).ok("wait");
    const lines = (await this.select()).join("\n");
    await using imap = await connectRawImap({ host: this.#ready.imap.host, port: this.#ready.imap.port });
    await imap.command(`LOGIN ${this.#owner.address} ${this.#owner.password}`);
    await imap.command("SELECT INBOX");
    const { untagged } = await imap.command("FETCH 1 (UID EMAILID THREADID MODSEQ INTERNALDATE BODY.PEEK[])");
    const { headers } = await this.#dav.request("GET", `${this.#calendar}one.ics`);
    return {
      cursor,
      selected: ["UIDVALIDITY", "HIGHESTMODSEQ", "UIDNEXT"].map(
        (word) => new RegExp(`\\[${word} (\\d+)`).exec(lines)![1]!,
      ),
      fetched: JSON.stringify(untagged.filter(({ text }) => text.includes("FETCH"))),
      syncToken: (await this.sync("")).token,
      etag: headers.etag!,
    };
  }
}

describe.skipIf(serverUrl === undefined)("a server that moves to PostgreSQL and back", () => {
  it("goes on for its clients: cursors, UIDVALIDITY, MODSEQs, sync-tokens, ETags, ids, passwords", async () => {
    expect(commands.map(([, , to]) => to)).toEqual([expect.stringMatching(/^postgres:/), "file"]);
    const top = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-move-"));
    const data = path.join(top, "data");
    const url = await makeDatabase();
    let owner: Owner | undefined;
    let kept: Kept | undefined;

    async function live(storage: string, name: string): Promise<void> {
      await using ready = await startInProcessDaemon({ data, people: 0, set: [`storage.url=${storage}`] });
      owner ??= ready.agents[0]!;
      const client = new Client(ready, owner);
      if (kept !== undefined) {
        // What came after the cursor was kept, and nothing else.
        expect(await client.subjectsAfter(kept.cursor)).toEqual(["mail.received"]);
        const selected = await client.select(kept);
        const [uidValidity, modseq, uidNext] = kept.selected;
        expect(selected.join("\n")).toContain(`[UIDVALIDITY ${uidValidity}]`);
        expect(selected.filter((line) => /FETCH|VANISHED/.test(line))).toEqual([
          expect.stringMatching(new RegExp(`FETCH \\(.*UID ${uidNext}`)),
        ]);
        expect(Number(/HIGHESTMODSEQ (\d+)/.exec(selected.join("\n"))![1])).toBeGreaterThan(Number(modseq));
        const { fetched } = await client.keep();
        expect(fetched).toBe(kept.fetched);
        expect((await client.sync(kept.syncToken)).names).toEqual(["later"]);
        expect(await client.put("one", { "If-Match": '"0"' })).toBe(412);
        expect(await client.put("one", { "If-Match": kept.etag }, name)).toBe(204);
      } else expect(await client.put("one")).toBe(201);
      await client.mail("First");
      kept = await client.keep();
      await client.mail("After the cursor");
      expect([201, 204]).toContain(await client.put("later", {}, name));
    }

    async function waypost(args: readonly string[], storage: string): Promise<string> {
      const settings = `[storage]\nfolder = "data"\nurl = "${storage}"\n`;
      fs.writeFileSync(path.join(top, "waypost.toml"), settings, { mode: 0o600 });
      const own = args.map((arg) => (arg.startsWith("postgres:") ? url : arg));
      const [program, script] = startScript;
      return (await run(program!, [script!, ...own], { cwd: top })).stdout;
    }

    try {
      await live("", "in the file");
      expect(await waypost(commands[0]!, "")).toMatch(
        /^Moved \d+ rows of \d+ tables from the file .* to postgres:/,
      );
      await live(url, "on PostgreSQL");
      expect(await waypost(["check"], url)).toBe("The store is sound.\n");
      expect(await waypost(commands[1]!, url)).toContain("What was there before is in");
      await live("", "in the file again");
      expect(fs.readdirSync(data).filter((name) => name.startsWith("waypost.db.left-"))).toHaveLength(1);
    } finally {
      await dropStorage(data);
      await dropDatabase(url);
      fs.rmSync(top, { recursive: true, force: true });
    }
  });

  it("copies while a daemon runs, and ends when it is stopped, on either engine", async () => {
    const top = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-move-"));
    const url = await makeDatabase();
    const data = path.join(top, "data");
    const { runMove } = await import("#/storage/moving/open-move.ts");
    try {
      let owner: Owner | undefined;
      for (const [from, to] of [
        ["", url],
        [url, ""],
      ] as const) {
        const ready = await startInProcessDaemon({ data, people: 0, set: [`storage.url=${from}`] });
        owner ??= ready.agents[0]!;
        const client = new Client(ready, owner);
        await client.put("one");
        await client.mail("Before");
        const kept = await client.keep();
        let stopping: Promise<void> | undefined;
        const moved = await runMove({
          folder: data,
          from: placeOf(from),
          to: placeOf(to),
          lookMs: 20,
          onStep(step) {
            if (step === "waiting")
              stopping = client.mail("While it is moved").then(() => ready[Symbol.asyncDispose]());
          },
        });
        expect(stopping).toBeDefined();
        await stopping;
        expect(moved.isResumed).toBe(false);
        await using there = await startInProcessDaemon({ data, people: 0, set: [`storage.url=${to}`] });
        const later = new Client(there, owner);
        expect(await later.subjectsAfter(kept.cursor)).toEqual(["mail.received"]);
        expect((await later.select(kept)).filter((line) => line.includes("FETCH"))).toHaveLength(1);
      }
    } finally {
      await dropStorage(data);
      await dropDatabase(url);
      fs.rmSync(top, { recursive: true, force: true });
    }
  });

  it("is refused where a process has the file to which it is moved, or a store is there", async () => {
    const top = fs.mkdtempSync(path.join(os.tmpdir(), "waypost-move-"));
    const url = await makeDatabase();
    const { runMove } = await import("#/storage/moving/open-move.ts");
    try {
      await using _there = await startInProcessDaemon({ data: path.join(top, "one"), set: ["storage.url="] });
      await using _here = await startInProcessDaemon({
        data: path.join(top, "two"),
        set: [`storage.url=${url}`],
      });
      const move = { folder: path.join(top, "one"), from: { url }, to: undefined };
      await expect(runMove(move)).rejects.toThrow("has a store already");
    } finally {
      await dropStorage(path.join(top, "two"));
      await dropDatabase(url);
      fs.rmSync(top, { recursive: true, force: true });
    }
  });
});

function placeOf(url: string): { readonly url: string } | undefined {
  return url === "" ? undefined : { url };
}
