import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { describe, expect, it } from "vitest";
import { EventStream, formatFrame } from "#/protocols/http/event-stream.ts";

describe("an event stream", () => {
  it("is never further ahead than its reader, and cuts off one that takes nothing", async () => {
    const frame = Buffer.alloc(100_000, "x");
    let made = 0;
    let isOver = false;
    const server = createServer((_, response) => {
      const source = { resume: fill, close };
      const stream = new EventStream(response, "req_1", source, 200);
      function close(): void {
        isOver = true;
      }
      function fill(): void {
        do made++;
        while (stream.write(frame));
      }
      fill();
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    socket.on("error", () => {});
    socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    socket.pause();
    await expect.poll(() => isOver, { timeout: 60_000 }).toBe(true);
    // What the kernel's buffers of both sides hold, and one frame.
    expect(made * frame.length).toBeLessThan(20_000_000);
    socket.destroy();
    server.close();
  });

  it("does not delay other streams when its reader does not read", async () => {
    const frame = Buffer.alloc(100_000, "y");
    const frames = 300;
    let isCutOff = false;
    const server = createServer((request, response) => {
      const isSlow = request.url === "/slow";
      let left = frames;
      const source = {
        resume: fill,
        close: () => {
          if (isSlow) isCutOff = true;
        },
      };
      const stream = new EventStream(response, "req_1", source, isSlow ? 200 : 20_000);
      function fill(): void {
        while (left-- > 0 && stream.write(frame));
        if (left <= 0) stream.end();
      }
      fill();
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { port } = server.address() as AddressInfo;
    const slow = connect(port, "127.0.0.1").on("error", () => {});
    slow.write("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n");
    slow.pause();
    const whole = await (await fetch(`http://127.0.0.1:${port}/quick`)).arrayBuffer();
    expect(whole.byteLength).toBe(frames * frame.length);
    await expect.poll(() => isCutOff, { timeout: 60_000 }).toBe(true);
    slow.destroy();
    server.close();
  });

  it("writes frames as the standard has them", () => {
    expect(formatFrame({ event: "batch", id: "c1", data: '{"a":1}' })).toBe(
      'event: batch\nid: c1\ndata: {"a":1}\n\n',
    );
    expect(formatFrame({ comment: "keepalive" })).toBe(": keepalive\n\n");
  });
});
