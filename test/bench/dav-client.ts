/** The client of the DAV benchmark: requests on connections that stay open, and a reader of multistatus that runs after the clock stops. */
import http from "node:http";
import { SaxesParser } from "saxes";

export interface DavServer {
  readonly name: string;
  readonly origin: string;
  /** The path where discovery begins. */
  readonly path: string;
  /** Undefined when the server asks for no login. */
  readonly login: { readonly address: string; readonly password: string } | undefined;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** One response of a multistatus. `properties` has those with status 200, under `{namespace}name`. */
export interface Member {
  readonly status: number;
  readonly properties: ReadonlyMap<string, string>;
}

export interface Multistatus {
  readonly members: ReadonlyMap<string, Member>;
  readonly syncToken: string;
}

export class DavClient {
  readonly server: DavServer;
  #agent = new http.Agent({ keepAlive: true });
  #authorization: Record<string, string>;

  constructor(server: DavServer) {
    this.server = server;
    const { login } = server;
    this.#authorization =
      login === undefined
        ? {}
        : { Authorization: `Basic ${Buffer.from(`${login.address}:${login.password}`).toString("base64")}` };
  }

  /** Throws when the status is not in `expected`. */
  request(
    method: string,
    path: string,
    expected: readonly number[],
    body = "",
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const octets = Buffer.from(body);
    return new Promise((resolve, reject) => {
      const request = http.request(
        new URL(path, this.server.origin),
        {
          method,
          agent: this.#agent,
          headers: { ...this.#authorization, ...headers, "Content-Length": octets.length },
        },
        (response) => {
          const parts: Buffer[] = [];
          response.on("data", (part: Buffer) => parts.push(part));
          response.on("error", reject);
          response.on("end", () => {
            const answer = { status: response.statusCode!, text: Buffer.concat(parts).toString("utf8") };
            if (expected.includes(answer.status)) resolve(answer);
            else reject(new Error(`${method} ${path}: ${answer.status} ${answer.text.slice(0, 300)}`));
          });
        },
      );
      request.on("error", reject);
      request.end(octets);
    });
  }

  async multistatus(method: string, path: string, depth: string, body: string): Promise<string> {
    const headers = { "Content-Type": "application/xml; charset=utf-8", Depth: depth };
    return (await this.request(method, path, [207], `<?xml version="1.0" encoding="utf-8"?>${body}`, headers))
      .text;
  }

  /** The href in a property of a resource, as a path. */
  async findHref(path: string, namespace: string, name: string): Promise<string> {
    const body = `<D:propfind xmlns:D="DAV:" xmlns:X="${namespace}"><D:prop><X:${name}/></D:prop></D:propfind>`;
    const { members } = readMultistatus(await this.multistatus("PROPFIND", path, "0", body));
    const found = [...members.values()][0]?.properties.get(`{${namespace}}${name}`)?.trim();
    if (!found) throw new Error(`${path} has no ${name}`);
    return new URL(found, this.server.origin).pathname;
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Throws when the text is not a multistatus. */
export function readMultistatus(text: string): Multistatus {
  const members = new Map<string, Member>();
  let syncToken = "";
  let texts = "";
  let href = "";
  let status = 0;
  let propstatStatus = 0;
  let propstat = new Map<string, string>();
  let properties = new Map<string, string>();
  const path: string[] = [];
  const parser = new SaxesParser({ xmlns: true });
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("text", (more) => {
    texts += more;
  });
  parser.on("cdata", (more) => {
    texts += more;
  });
  parser.on("opentag", ({ uri, local }) => {
    const name = `{${uri}}${local}`;
    if (path.length === 0 && name !== "{DAV:}multistatus") throw new Error(`no multistatus: ${name}`);
    path.push(name);
    // The value of a property is all text inside it; any other element has only its own text.
    if (path.length < 5 || path[3] !== "{DAV:}prop" || path.length === 5) texts = "";
    if (name === "{DAV:}response") {
      properties = new Map();
      status = 0;
    }
    if (name === "{DAV:}propstat") propstat = new Map();
  });
  parser.on("closetag", () => {
    const name = path.pop()!;
    if (path.length === 4 && path[3] === "{DAV:}prop") propstat.set(name, texts);
    else if (path.length === 2 && name === "{DAV:}href") href = decodeURIComponent(texts.trim());
    else if (path.length === 2 && name === "{DAV:}status") status = statusOf(texts);
    else if (path.length === 3 && name === "{DAV:}status") propstatStatus = statusOf(texts);
    else if (path.length === 2 && name === "{DAV:}propstat" && propstatStatus === 200)
      for (const [property, value] of propstat) properties.set(property, value);
    else if (path.length === 1 && name === "{DAV:}response")
      members.set(href.replace(/^https?:\/\/[^/]+/, ""), { status, properties });
    else if (path.length === 1 && name === "{DAV:}sync-token") syncToken = texts.trim();
  });
  parser.write(text).close();
  return { members, syncToken };
}

function statusOf(line: string): number {
  return Number(line.trim().split(/\s+/)[1]);
}
