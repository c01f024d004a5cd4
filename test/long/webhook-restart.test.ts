import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { createClient } from "#/src/client/client.ts";
import { runSmtpLoad } from "../bench/smtp-load.ts";
import { startChildDaemon, startScript } from "../support/daemon.ts";
import { openWebhookReceiver } from "../support/servers/webhook-receiver.ts";

const run = promisify(execFile);

it("loses no event and changes no order when the daemon is killed again and again", async () => {
  await using receiver = await openWebhookReceiver();
  await using daemon = await startChildDaemon({ set: ["webhooks.allow_private_addresses=true"] });
  const { address, token } = daemon.agents[0]!;
  const [program, script] = startScript;
  const { stdout } = await run(program!, [
    script!,
    ...["webhook", "add", address, receiver.url, "--data", daemon.data, "--json"],
    ...["--set", "webhooks.allow_private_addresses=true"],
  ]);
  expect(JSON.parse(stdout)).toMatchObject({ number: 1, secret: expect.stringMatching(/^whsec_/) });
  const { cursor } = await createClient({ url: daemon.http.url, token }).call("wait");

  // Every third request gets no answer, so the daemon is killed while requests are open. It must send them again.
  let count = 0;
  receiver.onRequest = (_, response) => {
    if (++count % 3 === 0) response.statusCode = 204;
  };
  for (let round = 0; round < 3; round++) {
    const load = { port: daemon.smtp.port, connections: 4, bodyBytes: 200, recipients: [address] };
    await runSmtpLoad({ ...load, count: 20 });
    if (round === 2) receiver.onRequest = () => {};
    await daemon.restart("SIGKILL");
  }
  const expected: string[] = [];
  // The daemon has a new port after each start.
  const client = createClient({ url: daemon.http.url, token });
  for (let from = cursor; ; ) {
    const { events, cursor: next } = await client.call("wait", { cursor: from, timeout_s: 1 });
    if (events.length === 0) break;
    expected.push(...events.map(({ message }) => message!));
    from = next;
  }
  expect(expected.length).toBe(60);
  await expect.poll(() => new Set(receiver.messages()).size, { timeout: 20_000 }).toBe(60);
  expect([...new Set(receiver.messages())]).toEqual(expected);
}, 40_000);
