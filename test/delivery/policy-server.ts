/** Serves the MTA-STS policy of a domain. */
import { once } from "node:events";
import https from "node:https";
import type { AddressInfo } from "node:net";
import type { TrustedCertificate } from "../support/certificates/trusted-certificate.ts";

export async function startPolicyServer(
  certificate: TrustedCertificate,
  text: string,
  contentType = "text/plain",
  place = { host: "127.0.0.1", port: 0 },
) {
  let count = 0;
  const server = https.createServer(certificate, (_request, response) => {
    count++;
    response.setHeader("Content-Type", contentType).end(text);
  });
  server.listen(place.port, place.host);
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    /** How often it was asked. */
    get count() {
      return count;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
