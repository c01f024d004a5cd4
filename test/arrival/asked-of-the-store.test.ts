/** What the main thread reads of the store for a mail that comes in: after each commit a read costs as much as the rest of the envelope. */
import { createTransport } from "nodemailer";
import { afterAll, beforeAll, beforeEach, expect, it, vi } from "vitest";
import { callerOwner } from "#/src/model/caller.ts";
import { houseOwner } from "#/src/model/owner.ts";
import { EngineStore } from "#/storage/engine-store.ts";
import { type InProcessDaemon, startInProcessDaemon } from "../support/daemon.ts";
import { type DnsServer, startDnsServer } from "../support/servers/dns-server.ts";

let names: DnsServer;
let daemon: InProcessDaemon;
/** Statements and writes for the client whose message is received, without the server's own. */
const asked: string[] = [];

beforeAll(async () => {
  const passing = [["TXT", "v=spf1 ip4:127.0.0.1 -all"]] as const;
  names = await startDnsServer({ "one.example": passing, "other.example": passing } as never);
  daemon = await startInProcessDaemon({ set: [`dns.servers=${names.address}`] });
});
afterAll(async () => {
  await daemon[Symbol.asyncDispose]();
  await names[Symbol.asyncDispose]();
});

type Asking = (this: EngineStore, ...given: never[]) => Promise<never>;

beforeEach(() => {
  asked.length = 0;
  for (const verb of ["get", "all", "column", "write"] as const) {
    const original = EngineStore.prototype[verb] as Asking;
    const listening: Asking = function (...given) {
      const what: string = given[verb === "write" ? 1 : 0]!;
      if (callerOwner() !== houseOwner) asked.push(what);
      return original.apply(this, given);
    };
    vi.spyOn(EngineStore.prototype, verb).mockImplementation(listening as never);
  }
});

it.each([
  ["an author", "Anna Ost <anna@one.example>"],
  ["the same author", "Anna Ost <anna@one.example>"],
  ["the same author again", "Anna Ost <anna@one.example>"],
  ["another author of the domain", "Bert West <bert@one.example>"],
  ["an author of another domain", "Carla Nord <carla@other.example>"],
])("writes once and reads nothing after the last octet of a mail of %s", async (_, from) => {
  const transport = createTransport({ ...daemon.smtp, tls: { rejectUnauthorized: false } });
  const to = daemon.agents[0]!.address;
  await transport.sendMail({ from, to, replyTo: "office@other.example", text: "Hello." });
  transport.close();
  expect(asked).toEqual(["deliverMessage"]);
});
