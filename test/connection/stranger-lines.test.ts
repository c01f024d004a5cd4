/** The limit on log lines that strangers cause. */
import pino from "pino";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { handshakeLog, logStranger } from "#/protocols/connection/stranger-lines.ts";
import { strangerLinesOfNetworkMax, strangerLinesTotalMax } from "#/src/model/limits.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function openLog() {
  const lines: Record<string, unknown>[] = [];
  const log = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const say = (remoteAddress: string): void => logStranger(log, "info", remoteAddress, { id: 1 }, "refused");
  return { lines, log, say };
}

test("log lines of a network are limited each minute, and the number of omitted lines is logged once", () => {
  const { lines, log, say } = openLog();
  for (let count = 0; count < strangerLinesOfNetworkMax; count++) say(`192.0.2.${count % 256}`);
  expect(lines).toHaveLength(strangerLinesOfNetworkMax);
  expect(lines[0]).toMatchObject({ remote: "192.0.2.0", network: "192.0.2.0/24", id: 1, msg: "refused" });
  for (let count = 0; count < 1000; count++) say("192.0.2.1");
  handshakeLog(log, "imaps", "192.0.2.1")("timeout");
  expect(lines).toHaveLength(strangerLinesOfNetworkMax);
  say("198.51.100.1");
  expect(lines.splice(0)).toHaveLength(strangerLinesOfNetworkMax + 1);
  vi.advanceTimersByTime(60_000);
  expect(lines.splice(0)).toMatchObject([{ level: 40, lines: 1001 }]);
  say("192.0.2.1");
  vi.advanceTimersByTime(120_000);
  expect(lines).toHaveLength(1);
});

test("log lines of all networks are limited together, and loopback has no limit of its own", () => {
  const { lines, say } = openLog();
  for (let count = 0; count < strangerLinesTotalMax + 500; count++) say(`10.${count >> 8}.${count & 255}.1`);
  say("127.0.0.1");
  expect(lines.splice(0)).toHaveLength(strangerLinesTotalMax);
  vi.advanceTimersByTime(60_000);
  expect(lines.splice(0)).toMatchObject([{ lines: 501 }]);
  for (let count = 0; count < strangerLinesTotalMax + 1; count++) say("127.0.0.1");
  expect(lines).toHaveLength(strangerLinesTotalMax);
});
