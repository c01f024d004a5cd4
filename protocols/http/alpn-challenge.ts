/** tls-alpn-01 (RFC 8737): an authority connects with a name and the protocol `acme-tls/1`, and expects a certificate that holds the
 *  digest for its challenge. No other connection may get that certificate. The ClientHello says which of the two a handshake is for. */
import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { noteSecured } from "#/protocols/connection/secure-socket.ts";
import { type Challenged, contextFrom } from "#/protocols/connection/server-keys.ts";
import { after } from "#/src/model/background.ts";

const protocol = "acme-tls/1";
/** A ClientHello with more octets before its protocols does not come from an authority. */
const helloBytesMax = 16 * 1024;
const challengeMs = 10_000;

/** Whether the connection begins with a ClientHello for the protocol. The octets stay in the socket, unread. False when no octets come
 *  in time. */
export function isChallenge(socket: Socket, timeoutMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    let octets: Buffer = Buffer.alloc(0);
    const finish = (): void => {
      clearTimeout(timer);
      socket.off("readable", look).off("end", finish).off("close", finish);
      // Octets cannot be put back into a socket that has ended, and no handshake follows.
      if (socket.readableEnded) socket.destroy();
      else if (octets.length > 0 && !socket.destroyed) socket.unshift(octets);
      resolve(octets.includes(protocol));
    };
    const look = (): void => {
      for (let more = socket.read() as Buffer | null; more !== null; more = socket.read() as Buffer | null)
        octets = Buffer.concat([octets, more]);
      // A record of the handshake (22) has its length in its octets 3 and 4 (RFC 8446 section 5.1).
      const length = octets.length < 5 ? Number.POSITIVE_INFINITY : 5 + octets.readUInt16BE(3);
      if (octets.length > 0 && octets[0] !== 22) finish();
      else if (octets.length >= Math.min(length, helloBytesMax)) finish();
    };
    const timer = after(timeoutMs, finish);
    socket.on("readable", look).on("end", finish).on("close", finish);
  });
}

/** Completes the handshake and then ends the connection (section 3). */
export function answerChallenge(socket: Socket, challenged: Challenged): void {
  const secure = new TLSSocket(socket, {
    isServer: true,
    ALPNProtocols: [protocol],
    SNICallback: (name, done) => {
      challenged.find(name.toLowerCase()).then(
        (pair) => {
          if (pair === undefined) done(new Error("the name is not asked about"));
          else done(null, contextFrom(pair));
        },
        (error: Error) => done(error),
      );
    },
  });
  noteSecured(socket, secure);
  secure.on("error", () => socket.destroy());
  secure.once("secure", () => secure.end());
  secure.setTimeout(challengeMs, () => secure.destroy());
}
