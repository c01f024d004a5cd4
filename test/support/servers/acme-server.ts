/** A certificate authority for tests (RFC 8555, RFC 8737, RFC 9773) on loopback. It verifies every signature and nonce, asks the
 *  names for their challenges over real sockets, and signs what a CSR asks for. */
import "reflect-metadata";
import { createHash, createPublicKey, randomBytes, verify, X509Certificate } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import tls from "node:tls";
import * as x509 from "@peculiar/x509";

export interface AcmeServer extends AsyncDisposable {
  readonly directory: string;
  /** The ports of 127.0.0.1 where the authority asks for challenges. */
  readonly places: { http: number; https: number };
  /** The names of the certificates that were issued, in order. */
  readonly given: string[];
  /** The `replaces` field of each order. */
  readonly replaced: (string | undefined)[];
  /** The requests for renewalInfo. */
  readonly asked: string[];
  /** How long issued certificates are valid. */
  lifetimeMs: number;
  /** The suggested renewal window for every certificate. Undefined: renewalInfo answers 404. */
  window: { readonly start: Date; readonly end: Date } | undefined;
  /** Seconds after which a client is to ask for the window again. */
  retryAfter: string;
  /** When true, challenges are never decided. */
  isSilent: boolean;
  /** Requests are answered when it has resolved. */
  opened: Promise<void>;
  /** When true, orders are refused. */
  isFailing: boolean;
  /** The root certificate, in PEM. */
  readonly root: string;
}

type Jwk = Readonly<Record<string, string>>;

interface Order {
  readonly name: string;
  readonly token: string;
  status: "pending" | "ready" | "valid" | "invalid";
  challenge: "pending" | "processing" | "valid" | "invalid";
  cert?: string;
}

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

export async function startAcmeServer(): Promise<AcmeServer> {
  const nonces = new Set<string>();
  const accounts: Jwk[] = [];
  const orders: Order[] = [];
  const keys = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const root = await x509.X509CertificateGenerator.createSelfSigned({
    name: [{ CN: ["Authority of tests"] }],
    notBefore: new Date(Date.now() - 86_400_000),
    notAfter: new Date(Date.now() + 86_400_000_000),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      const { status = 500, type = "serverInternal", message } = error as Refusal;
      const body = { type: `urn:ietf:params:acme:error:${type}`, detail: message };
      send(response, status, body, { "content-type": "application/problem+json" });
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const acme: AcmeServer = {
    directory: `${base}/directory`,
    places: { http: 0, https: 0 },
    given: [],
    replaced: [],
    asked: [],
    lifetimeMs: 90 * 86_400_000,
    window: undefined,
    retryAfter: "3600",
    isSilent: false,
    opened: Promise.resolve(),
    isFailing: false,
    root: root.toString("pem"),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };

  function send(response: ServerResponse, status: number, body: unknown, headers: object = {}): void {
    const nonce = randomBytes(12).toString("base64url");
    nonces.add(nonce);
    response.writeHead(status, {
      "content-type": "application/json",
      "replay-nonce": nonce,
      ...headers,
    });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    await acme.opened;
    const [, kind = "", id = ""] = request.url!.split("/");
    if (request.method === "HEAD" && kind === "nonce") return send(response, 200, "");
    if (request.method === "GET" && kind === "directory") {
      const at = (name: string): string => `${base}/${name}`;
      return send(response, 200, {
        newNonce: at("nonce"),
        newAccount: at("account"),
        newOrder: at("order"),
        renewalInfo: at("renewal"),
      });
    }
    if (request.method === "GET" && kind === "renewal") {
      acme.asked.push(id);
      const { window } = acme;
      if (window === undefined) throw refusal(404, "malformed", "no such certificate");
      return send(response, 200, { suggestedWindow: window }, { "retry-after": acme.retryAfter });
    }
    if (request.method !== "POST") throw refusal(405, "malformed", "not a POST");
    const { payload, jwk } = await readSigned(request);
    if (kind === "account") {
      accounts.push(jwk);
      return send(response, 201, { status: "valid" }, { location: `${base}/account/${accounts.length - 1}` });
    }
    if (kind === "order" && id === "") {
      if (acme.isFailing) throw refusal(429, "rateLimited", "too many orders");
      const { identifiers, replaces } = payload as {
        identifiers: { value: string }[];
        replaces?: string;
      };
      acme.replaced.push(replaces);
      orders.push({
        name: identifiers[0]!.value,
        token: randomBytes(20).toString("base64url"),
        status: "pending",
        challenge: "pending",
      });
      const number = orders.length - 1;
      return send(response, 201, orderObject(number), { location: `${base}/order/${number}` });
    }
    const order = orders[Number(id)]!;
    if (kind === "order") return send(response, 200, orderObject(Number(id)));
    if (kind === "authorization") return send(response, 200, authorizationObject(Number(id)));
    if (kind === "http-01" || kind === "tls-alpn-01") {
      if (payload !== undefined && order.challenge === "pending") {
        order.challenge = "processing";
        const thumbprint = createHash("sha256")
          .update(JSON.stringify({ crv: jwk.crv, kty: jwk.kty, x: jwk.x, y: jwk.y }))
          .digest("base64url");
        const ask = kind === "http-01" ? askHttp : askTls;
        if (!acme.isSilent)
          void ask(order, `${order.token}.${thumbprint}`).then(
            (isRight) => {
              order.challenge = isRight ? "valid" : "invalid";
              order.status = isRight ? "ready" : "invalid";
            },
            () => {
              order.challenge = "invalid";
              order.status = "invalid";
            },
          );
      }
      return send(response, 200, challengeObject(Number(id), kind));
    }
    if (kind === "finalize") {
      if (order.status !== "ready") throw refusal(403, "orderNotReady", order.status);
      order.cert = await sign((payload as { csr: string }).csr, order.name);
      order.status = "valid";
      acme.given.push(order.name);
      return send(response, 200, orderObject(Number(id)), { location: `${base}/order/${id}` });
    }
    if (kind === "certificate")
      return send(response, 200, order.cert!, { "content-type": "application/pem-certificate-chain" });
    throw refusal(404, "malformed", "nothing here");
  }

  function orderObject(number: number) {
    const { status, name, cert } = orders[number]!;
    return {
      status,
      identifiers: [{ type: "dns", value: name }],
      authorizations: [`${base}/authorization/${number}`],
      finalize: `${base}/finalize/${number}`,
      ...(cert === undefined ? {} : { certificate: `${base}/certificate/${number}` }),
    };
  }

  function authorizationObject(number: number) {
    const { name, challenge } = orders[number]!;
    return {
      identifier: { type: "dns", value: name },
      status: challenge === "processing" ? "pending" : challenge,
      challenges: [challengeObject(number, "http-01"), challengeObject(number, "tls-alpn-01")],
    };
  }

  function challengeObject(number: number, type: string) {
    const { token, challenge } = orders[number]!;
    const error = challenge === "invalid" ? { error: { detail: "nobody answered" } } : {};
    return { type, token, status: challenge, url: `${base}/${type}/${number}`, ...error };
  }

  async function askHttp({ token }: Order, expected: string): Promise<boolean> {
    const url = `http://127.0.0.1:${acme.places.http}/.well-known/acme-challenge/${token}`;
    const response = await fetch(url);
    return response.status === 200 && (await response.text()).trim() === expected;
  }

  async function askTls({ name }: Order, expected: string): Promise<boolean> {
    const socket = tls.connect({
      host: "127.0.0.1",
      port: acme.places.https,
      servername: name,
      ALPNProtocols: ["acme-tls/1"],
      rejectUnauthorized: false,
    });
    socket.on("error", () => {});
    await once(socket, "secureConnect");
    const shown = new x509.X509Certificate(new Uint8Array(socket.getPeerCertificate().raw));
    const isAlpn = socket.alpnProtocol === "acme-tls/1";
    socket.destroy();
    // RFC 8737 section 3: id-pe-acmeIdentifier, an OCTET STRING of 32 octets.
    const extension = shown.getExtension("1.3.6.1.5.5.7.1.31");
    const digest = createHash("sha256").update(expected).digest();
    const isNamed = new X509Certificate(shown.toString("pem")).subjectAltName === `DNS:${name}`;
    return (
      isAlpn &&
      isNamed &&
      Buffer.from(extension?.value ?? new ArrayBuffer(0))
        .subarray(-32)
        .equals(digest)
    );
  }

  async function sign(csr: string, name: string): Promise<string> {
    const wanted = new x509.Pkcs10CertificateRequest(Buffer.from(csr, "base64url"));
    if (!(await wanted.verify())) throw refusal(400, "badCSR", "not signed by its key");
    const certificate = await x509.X509CertificateGenerator.create({
      subject: `CN=${name}`,
      issuer: root.subject,
      notBefore: new Date(Date.now() - 60_000),
      notAfter: new Date(Date.now() + acme.lifetimeMs),
      signingAlgorithm: algorithm,
      publicKey: await wanted.publicKey.export(),
      signingKey: keys.privateKey,
      // The highest bit is set, so DER writes an octet 0 before the number.
      serialNumber: `8${randomBytes(8).toString("hex").slice(1)}`,
      extensions: [
        new x509.SubjectAlternativeNameExtension([{ type: "dns", value: name }]),
        await x509.AuthorityKeyIdentifierExtension.create(keys.publicKey),
      ],
    });
    return `${certificate.toString("pem")}\n${root.toString("pem")}\n`;
  }

  /** Reads a JWS (RFC 8555 section 6.2). Refuses it unless its signature, nonce and URL are right. */
  async function readSigned(request: IncomingMessage): Promise<{ payload: unknown; jwk: Jwk }> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const jws = JSON.parse(Buffer.concat(chunks).toString()) as Record<
      "protected" | "payload" | "signature",
      string
    >;
    const header = JSON.parse(Buffer.from(jws.protected, "base64url").toString()) as {
      alg: string;
      nonce: string;
      url: string;
      jwk?: Jwk;
      kid?: string;
    };
    const jwk = header.jwk ?? accounts[Number(header.kid?.split("/").at(-1))];
    if (jwk === undefined) throw refusal(401, "accountDoesNotExist", "no account");
    if (!nonces.delete(header.nonce)) throw refusal(400, "badNonce", "an unknown nonce");
    if (header.url !== `${base}${request.url}`) throw refusal(401, "unauthorized", "another url");
    const isSigned = verify(
      "sha256",
      Buffer.from(`${jws.protected}.${jws.payload}`),
      { key: createPublicKey({ key: jwk, format: "jwk" }), dsaEncoding: "ieee-p1363" },
      Buffer.from(jws.signature, "base64url"),
    );
    if (!isSigned) throw refusal(401, "unauthorized", "a bad signature");
    const text = Buffer.from(jws.payload, "base64url").toString();
    return { payload: text === "" ? undefined : JSON.parse(text), jwk };
  }

  return acme;
}

interface Refusal extends Error {
  readonly status: number;
  readonly type: string;
}

function refusal(status: number, type: string, message: string): Refusal {
  return Object.assign(new Error(message), { status, type });
}
