import { expect, test, vi } from "vitest";
import { commandSilenceMsMax } from "#/protocols/imap/limits.ts";
import { CommandProgress } from "#/protocols/imap/session/progress.ts";
import { ResponseWriter } from "#/protocols/imap/wire/response-writer.ts";

test("reports that a silent command is running, never inside a response", async () => {
  vi.useFakeTimers();
  try {
    let said = "";
    const out = new ResponseWriter({
      hasSentAll: true,
      async write(data) {
        said += data;
      },
    });
    using progress = new CommandProgress(out, () => {});
    progress.begin("a1");
    const still = '* OK [INPROGRESS ("a1" NIL NIL)] Still at work\r\n';
    vi.advanceTimersByTime(9_999);
    expect(said).toBe("");
    vi.advanceTimersByTime(1);
    expect(said).toBe(still);
    out.text("* 1 FETCH (BODY[] {9}\r\n");
    vi.advanceTimersByTime(30_000);
    await out.bytes(Buffer.from("123456789"));
    vi.advanceTimersByTime(30_000);
    out.line(")");
    vi.advanceTimersByTime(10_000);
    await out.flush();
    expect(said).toBe(`${still}* 1 FETCH (BODY[] {9}\r\n123456789)\r\n`);
    vi.advanceTimersByTime(10_000);
    expect(said.endsWith(still)).toBe(true);
    progress.end();
    said = "";
    vi.advanceTimersByTime(5_000);
    // A "]" would end the response code.
    progress.begin("a]1");
    vi.advanceTimersByTime(9_999);
    expect(said).toBe("");
    vi.advanceTimersByTime(1);
    expect(said).toBe("* OK [INPROGRESS (NIL NIL NIL)] Still at work\r\n");
    progress.end();
    said = "";
    vi.advanceTimersByTime(60_000);
    expect(said).toBe("");
    expect(vi.getTimerCount()).toBe(0);
    progress.begin("a2");
    vi.advanceTimersByTime(10_000);
    expect(said).toBe('* OK [INPROGRESS ("a2" NIL NIL)] Still at work\r\n');
  } finally {
    vi.useRealTimers();
  }
});

test("reports once that a command has sent nothing for too long, without the time in which the client reads", async () => {
  vi.useFakeTimers();
  try {
    let overdue = 0;
    const reader = Promise.withResolvers<void>();
    let reading = Promise.resolve();
    const out = new ResponseWriter({ hasSentAll: false, write: () => reading });
    using progress = new CommandProgress(out, () => void overdue++);
    progress.begin("a1");
    await vi.advanceTimersByTimeAsync(commandSilenceMsMax - 1);
    out.line("* 1 EXISTS");
    await out.flush();
    await vi.advanceTimersByTimeAsync(commandSilenceMsMax - 1);
    expect(overdue).toBe(0);
    reading = reader.promise;
    const writing = out.bytes(Buffer.from("x"));
    await vi.advanceTimersByTimeAsync(2 * commandSilenceMsMax);
    expect(overdue).toBe(0);
    reading = Promise.resolve();
    reader.resolve();
    await writing;
    await vi.advanceTimersByTimeAsync(2 * commandSilenceMsMax);
    expect(overdue).toBe(1);
  } finally {
    vi.useRealTimers();
  }
});

test("makes one timer for the commands of a connection, and none while it is idle", () => {
  vi.useFakeTimers();
  // No spy: it would be put back after the timers are real again, and leave the others of this process without any.
  const faked = globalThis.setInterval;
  let made = 0;
  globalThis.setInterval = ((...args: Parameters<typeof setInterval>) => {
    made++;
    return faked(...args);
  }) as typeof setInterval;
  try {
    const out = new ResponseWriter({ hasSentAll: true, async write() {} });
    const progress = new CommandProgress(out, () => {});
    expect(made).toBe(0);
    for (let command = 0; command < 100; command++) {
      progress.begin(`a${command}`);
      progress.end();
    }
    expect(made).toBe(1);
    vi.advanceTimersByTime(10_000);
    expect(vi.getTimerCount()).toBe(0);
    progress.begin("b");
    expect(vi.getTimerCount()).toBe(1);
    progress[Symbol.dispose]();
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    globalThis.setInterval = faked;
    vi.useRealTimers();
  }
});
