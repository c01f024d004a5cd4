/** TLS around an accepted socket, as the server, and how such a pair ends.
 *
 *  Node 26 crashes (SIGSEGV) when a TLSSocket is made around a socket that is destroyed, or is destroyed in the same turn
 *  of the loop as the socket beneath it but after it. So the pair is known here, and is destroyed from the top. */
import type { Socket } from "node:net";
import { type SecureContext, TLSSocket } from "node:tls";
import { after } from "#/src/model/background.ts";
import { contextsOfNames } from "./server-keys.ts";
import { carryAddress } from "./source-address.ts";

export interface SecureOptions {
  readonly secureContext: SecureContext;
  /** RFC 7301. */
  readonly ALPNProtocols?: string[];
  /** Called with the reason of a failed handshake; not called for a peer that disconnected without sending anything. */
  readonly onFailure?: ((reason: string) => void) | undefined;
}

export interface HandshakeOptions extends SecureOptions {
  readonly timeoutMs: number;
  /** Aborts the handshake. */
  readonly signal: AbortSignal;
}

const secured = new WeakMap<Socket, TLSSocket>();

/** The encrypted side; its handshake begins with the octets that wait in the socket. Throws when the socket is destroyed. */
export function secureSocket(
  socket: Socket,
  { secureContext, ALPNProtocols, onFailure }: SecureOptions,
): TLSSocket {
  if (socket.destroyed) throw new TypeError("the socket is destroyed");
  const secure = new TLSSocket(socket, {
    isServer: true,
    secureContext,
    // If the name has no context, the handshake uses the context above.
    SNICallback: (name, done) => done(null, contextsOfNames(secureContext).get(name.toLowerCase())),
    ...(ALPNProtocols === undefined ? {} : { ALPNProtocols }),
  });
  noteSecured(socket, secure);
  carryAddress(socket, secure);
  if (onFailure !== undefined) tellFailure(secure, onFailure);
  return secure;
}

/** Calls `onFailure` once, if the handshake fails. */
function tellFailure(secure: TLSSocket, onFailure: (reason: string) => void): void {
  const tell = ({ code, message }: NodeJS.ErrnoException): void => onFailure(code ?? message);
  secure.once("error", tell).once("secure", () => secure.off("error", tell));
}

/** For callers that make the TLSSocket themselves. */
export function noteSecured(socket: Socket, secure: TLSSocket): void {
  secured.set(socket, secure);
}

/** The socket for the protocol: the encrypted side of an accepted socket, or the socket itself. */
export function carrierOf(socket: Socket): Socket {
  return secured.get(socket) ?? socket;
}

/** Destroys an accepted socket and its encrypted side. */
export function destroySocket(socket: Socket): void {
  carrierOf(socket).destroy();
  socket.destroy();
}

/** The encrypted side once the handshake is done; undefined, and the socket destroyed, when the peer goes, is too slow or
 *  does not speak TLS. */
export function takeHandshake(socket: Socket, options: HandshakeOptions): Promise<TLSSocket | undefined> {
  const { timeoutMs, signal } = options;
  if (socket.destroyed || signal.aborted) {
    socket.destroy();
    return Promise.resolve(undefined);
  }
  const secure = secureSocket(socket, options);
  return new Promise((resolve) => {
    const finish = (isSecure: boolean): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", fail);
      secure.off("secure", succeed).off("end", fail).off("close", fail);
      if (!isSecure) destroySocket(socket);
      resolve(isSecure ? secure : undefined);
    };
    const succeed = (): void => finish(true);
    const fail = (): void => finish(false);
    const timer = after(timeoutMs, () => {
      options.onFailure?.("timeout");
      fail();
    });
    signal.addEventListener("abort", fail, { once: true });
    // `close` follows every error. Without a listener the error would end the process.
    secure.on("error", () => {});
    // `end` alone does not close a socket that allows half-open connections, as those of HTTP do.
    secure.once("secure", succeed).once("end", fail).once("close", fail);
  });
}
