/** TLS around an accepted socket, as the server, and how such a pair ends.
 *
 *  Node 26 crashes (SIGSEGV) when a TLSSocket is made around a socket that is destroyed, or is destroyed in the same turn
 *  of the loop as the socket beneath it but after it. So the pair is known here, and is destroyed from the top. */
import type { Socket } from "node:net";
import { type SecureContext, TLSSocket } from "node:tls";
import { contextsOfNames } from "./server-keys.ts";
import { carryAddress } from "./source-address.ts";

export interface SecureOptions {
  readonly secureContext: SecureContext;
  /** RFC 7301. */
  readonly ALPNProtocols?: string[];
  /** Told why the handshake failed; not of a peer that left without a word. */
  readonly onFailure?: ((reason: string) => void) | undefined;
}

export interface HandshakeOptions extends SecureOptions {
  readonly timeoutMs: number;
  /** Gives up the handshake. */
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
    // Without one for the name, the handshake goes on with the context above.
    SNICallback: (name, done) => done(null, contextsOfNames(secureContext).get(name.toLowerCase())),
    ...(ALPNProtocols === undefined ? {} : { ALPNProtocols }),
  });
  noteSecured(socket, secure);
  carryAddress(socket, secure);
  if (onFailure !== undefined) tellFailure(secure, onFailure);
  return secure;
}

/** Calls once, when the handshake fails. */
function tellFailure(secure: TLSSocket, onFailure: (reason: string) => void): void {
  const tell = ({ code, message }: NodeJS.ErrnoException): void => onFailure(code ?? message);
  secure.once("error", tell).once("secure", () => secure.off("error", tell));
}

/** For who makes the TLSSocket itself. */
export function noteSecured(socket: Socket, secure: TLSSocket): void {
  secured.set(socket, secure);
}

/** What the protocol speaks over: the encrypted side of an accepted socket, or itself. */
export function carrierOf(socket: Socket): Socket {
  return secured.get(socket) ?? socket;
}

/** Destroys an accepted socket with what is around it. */
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
    const timer = setTimeout(() => {
      options.onFailure?.("timeout");
      fail();
    }, timeoutMs);
    signal.addEventListener("abort", fail, { once: true });
    // An error is also told by the close that follows it; without a listener it would end the process.
    secure.on("error", () => {});
    // The end alone does not close a socket that may be half open, as those of HTTP are.
    secure.once("secure", succeed).once("end", fail).once("close", fail);
  });
}
