/** WebDAV requests with any method and any header fields. The answer has its status, its fields and its XML as a tree. */
import http from "node:http";
import { expect } from "vitest";
import type { XmlElement } from "#/protocols/dav/xml/element.ts";
import { dav, isNamed, type XmlName } from "#/protocols/dav/xml/names.ts";
import { readXml } from "#/protocols/dav/xml/read-xml.ts";

export interface DavAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly bytes: Buffer;
  readonly text: string;
  readonly xml: XmlElement;
  /** Namespace and name of the precondition that the request violated. */
  readonly condition: string | undefined;
}

export interface DavClient {
  /** `fields` are header fields. A body that begins with `<` is sent as XML unless a type is given. */
  request(
    method: string,
    path: string,
    body?: string | Uint8Array,
    fields?: Readonly<Record<string, string>>,
  ): Promise<DavAnswer>;
  /** PROPFIND with depth 0: the properties with status 200, under `namespace name`. */
  properties(path: string, ...names: readonly XmlName[]): Promise<ReadonlyMap<string, XmlElement>>;
}

export function basic(name: string, password: string): string {
  return `Basic ${Buffer.from(`${name}:${password}`).toString("base64")}`;
}

export function davClient(url: string, authorization?: string): DavClient {
  const client: DavClient = {
    request(method, path, body, fields = {}) {
      const type = typeof body === "string" && body.startsWith("<") ? "application/xml" : undefined;
      const headers = {
        ...(authorization === undefined ? {} : { Authorization: authorization }),
        ...(type === undefined ? {} : { "Content-Type": type }),
        ...(body === undefined ? {} : { "Content-Length": String(Buffer.byteLength(body)) }),
        ...fields,
      };
      return new Promise((resolve, reject) => {
        const request = http.request(`${url}${path}`, { method, headers, path }, (response) => {
          const pieces: Buffer[] = [];
          response.on("data", (piece: Buffer) => pieces.push(piece));
          response.on("error", reject);
          response.on("end", () => {
            const bytes = Buffer.concat(pieces);
            resolve(answerOf(response.statusCode!, response.headers, bytes));
          });
        });
        request.on("error", reject);
        request.end(body);
      });
    },
    async properties(path, ...names) {
      const asked = names.map(({ namespace, name }) => `<x:${name} xmlns:x="${namespace}"/>`).join("");
      const body = `<propfind xmlns="DAV:"><prop>${asked}</prop></propfind>`;
      const answer = await client.request("PROPFIND", path, body, { Depth: "0" });
      expect(answer.status, answer.text).toBe(207);
      return readResponses(answer)[0]!.found;
    },
  };
  return client;
}

function answerOf(status: number, headers: http.IncomingHttpHeaders, bytes: Buffer): DavAnswer {
  const text = bytes.toString("utf8");
  return {
    status,
    headers: headers as Readonly<Record<string, string | undefined>>,
    bytes,
    text,
    get xml() {
      return readXml(bytes);
    },
    get condition() {
      const [first] = readXml(bytes).children;
      return first?.name === "error-description" ? undefined : first && `${first.namespace} ${first.name}`;
    },
  };
}

export interface ReadResponse {
  readonly href: string;
  /** The status of a response that has no properties. */
  readonly status: number | undefined;
  readonly found: ReadonlyMap<string, XmlElement>;
  /** Names of all other properties, each with its status. */
  readonly missing: ReadonlyMap<string, number>;
}

/** The responses of a multistatus. */
export function readResponses(answer: DavAnswer): readonly ReadResponse[] {
  const root = answer.xml;
  expect(root).toMatchObject({ namespace: "DAV:", name: "multistatus" });
  return root.children.filter((one) => isNamed(one, dav("response"))).map(readResponse);
}

function readResponse(response: XmlElement): ReadResponse {
  const found = new Map<string, XmlElement>();
  const missing = new Map<string, number>();
  for (const propstat of response.children.filter((one) => isNamed(one, dav("propstat")))) {
    const status = statusOf(propstat)!;
    for (const property of propstat.children.find((one) => isNamed(one, dav("prop")))!.children) {
      const key = `${property.namespace} ${property.name}`;
      if (status === 200) found.set(key, property);
      else missing.set(key, status);
    }
  }
  const href = response.children.find((one) => isNamed(one, dav("href")))!.text;
  return { href, status: statusOf(response), found, missing };
}

function statusOf(element: XmlElement): number | undefined {
  const line = element.children.find((one) => isNamed(one, dav("status")))?.text;
  return line === undefined ? undefined : Number(line.split(" ")[1]);
}
