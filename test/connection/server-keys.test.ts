/** What the server accepts in TLS: versions, cipher suites, renegotiation. */
import { once } from "node:events";
import net, { type AddressInfo } from "node:net";
import tls from "node:tls";
import { expect, test } from "vitest";
import { takeHandshake } from "#/protocols/connection/secure-socket.ts";
import { type ContextOptions, contextFrom } from "#/protocols/connection/server-keys.ts";
import { makeCertificate } from "../support/certificates/made-certificate.ts";

/** A server with a certificate of RSA that says back what it hears. */
async function startServer(options: ContextOptions = {}) {
  const secureContext = contextFrom(await makeCertificate("rsa"), options);
  const server = net.createServer((socket) => {
    void takeHandshake(socket, {
      secureContext,
      timeoutMs: 10_000,
      signal: new AbortController().signal,
    }).then((secure) => secure?.on("error", () => {}).pipe(secure));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    async connect(options: tls.ConnectionOptions): Promise<tls.TLSSocket> {
      const socket = tls.connect({ host: "127.0.0.1", port, rejectUnauthorized: false, ...options });
      await once(socket, "secureConnect");
      return socket;
    },
    async [Symbol.asyncDispose]() {
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test("TLS 1.2 and 1.3 are spoken, with forward secrecy in every suite", async () => {
  await using server = await startServer();
  for (const version of ["TLSv1.2", "TLSv1.3"] as const) {
    const socket = await server.connect({ minVersion: version, maxVersion: version });
    expect(socket.getProtocol()).toBe(version);
    socket.destroy();
  }
  const old = { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" } as const;
  await expect(server.connect(old)).rejects.toThrow();
  for (const ciphers of ["AES128-GCM-SHA256", "AES256-SHA", "ECDHE-RSA-AES128-SHA256"])
    await expect(server.connect({ maxVersion: "TLSv1.2", ciphers }), ciphers).rejects.toThrow(/handshake/);
});

test("older mail servers can use other suites, with forward secrecy", async () => {
  await using server = await startServer({ isForServers: true });
  const socket = await server.connect({ maxVersion: "TLSv1.2", ciphers: "ECDHE-RSA-AES128-SHA256" });
  socket.destroy();
  await expect(server.connect({ maxVersion: "TLSv1.2", ciphers: "AES128-GCM-SHA256" })).rejects.toThrow();
});

test("the server's order of suites counts", async () => {
  await using server = await startServer({ isForServers: true });
  const ciphers = "ECDHE-RSA-AES128-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-RSA-AES256-GCM-SHA384";
  const socket = await server.connect({ maxVersion: "TLSv1.2", ciphers });
  expect(socket.getCipher().name).toBe("ECDHE-RSA-AES256-GCM-SHA384");
  socket.destroy();
});

test("renegotiation is refused", async () => {
  await using server = await startServer();
  const socket = await server.connect({ maxVersion: "TLSv1.2" });
  const outcome = new Promise<Error | null>((resolve) => {
    socket.once("error", resolve);
    socket.renegotiate({ rejectUnauthorized: false }, resolve);
  });
  expect(await outcome).toMatchObject({ code: "ERR_SSL_NO_RENEGOTIATION" });
  socket.destroy();
});
