/** Objects in a store with the S3 API (AWS, MinIO, Garage, Ceph): PUT, GET with a range, DELETE, by paths, signature version 4. */
import { createHash } from "node:crypto";
import fs from "node:fs";
import type { AwsClient } from "aws4fetch";
import { pause } from "#/src/model/background.ts";
import { WaypostError } from "#/src/model/errors.ts";
import { objectAttemptsMax, objectPutsAtOnce, objectTimeoutMs, objectWritesMax } from "#/src/model/limits.ts";
import type { ObjectPlace, Objects } from "./objects.ts";

const retryMs = 100;

/** Throws if the URL or the key file is invalid. */
export function openS3Objects(place: ObjectPlace): Objects {
  const { base, region } = readPlace(place.url);
  const key = readKey(place.keyFile);
  let client: Promise<AwsClient> | undefined;
  let writes = 0;

  async function makeClient(): Promise<AwsClient> {
    // Loaded only where an object store is used.
    const { AwsClient } = await import("aws4fetch");
    return new AwsClient({ ...key, service: "s3", region, retries: 0 });
  }

  /** Sends a request again if the connection failed or the store could not serve it: all requests are idempotent. */
  async function send<R>(
    method: string,
    name: string,
    headers: Record<string, string>,
    body: Uint8Array | undefined,
    read: (response: Response) => Promise<R>,
    deadline?: AbortSignal,
  ): Promise<R> {
    client ??= makeClient();
    const signer = await client;
    for (let attempt = 1; ; attempt++)
      try {
        const request = await signer.sign(`${base}/${name}`, {
          method,
          headers,
          ...(body !== undefined && { body: body as Uint8Array<ArrayBuffer> }),
        });
        const response = await fetch(request, {
          redirect: "error",
          signal: untilEither(AbortSignal.timeout(objectTimeoutMs), deadline),
        });
        if (response.status < 500) return await read(response);
        await response.body?.cancel();
        throw new Error(`The object store answered ${response.status}`);
      } catch (error) {
        if (error instanceof WaypostError) throw error;
        if (attempt >= objectAttemptsMax || deadline?.aborted) throw away(error);
        await pause(retryMs * attempt);
      }
  }

  return {
    async put(names, bytes, deadline) {
      if (writes >= objectWritesMax) throw away("too many writes are under way");
      writes++;
      try {
        // The store compares it with the received bytes.
        const headers = { "X-Amz-Content-Sha256": createHash("sha256").update(bytes).digest("hex") };
        const left = [...names];
        const sendEach = async (): Promise<void> => {
          for (let name = left.pop(); name !== undefined; name = left.pop())
            await send("PUT", name, headers, bytes, expectStatus(200), deadline).catch((error: unknown) => {
              left.length = 0;
              throw error;
            });
        };
        const sent = await Promise.allSettled(Array.from({ length: objectPutsAtOnce }, sendEach));
        for (const one of sent) if (one.status === "rejected") throw one.reason;
      } finally {
        writes--;
      }
    },
    read: (name, start, end) =>
      send("GET", name, { Range: `bytes=${start}-${end - 1}` }, undefined, async (response) => {
        if (response.status === 404 || response.status === 416) {
          await response.body?.cancel();
          throw new WaypostError("not_found", `The object ${name} is not in the object store`);
        }
        if (response.status !== 206) return refused(response);
        return readExactly(response, end - start, name);
      }),
    remove: (name) => send("DELETE", name, {}, undefined, expectStatus(200, 204, 404)),
  };
}

function untilEither(timeout: AbortSignal, deadline: AbortSignal | undefined): AbortSignal {
  return deadline === undefined ? timeout : AbortSignal.any([timeout, deadline]);
}

/** The base URL of requests, and the region. */
export function readPlace(url: string): { readonly base: string; readonly region: string } {
  const { protocol, host, pathname, searchParams } = new URL(url);
  const region = searchParams.get("region") ?? "us-east-1";
  const endpoint = searchParams.get("endpoint") ?? `https://s3.${region}.amazonaws.com`;
  if (protocol !== "s3:" || host === "" || !/^https?:\/\//.test(endpoint))
    throw new Error("The object store is s3://bucket/prefix?endpoint=https://s3.example.net&region=eu-1");
  return { base: `${endpoint.replace(/\/$/, "")}/${host}${pathname.replace(/\/$/, "")}`, region };
}

function readKey(file: string | undefined): { accessKeyId: string; secretAccessKey: string } {
  const [accessKeyId, secretAccessKey] =
    file === undefined
      ? [process.env.AWS_ACCESS_KEY_ID, process.env.AWS_SECRET_ACCESS_KEY]
      : fs.readFileSync(file, "utf8").split(/\r?\n/);
  if (!accessKeyId || !secretAccessKey)
    throw new Error("The key of the object store is missing: storage.blobs_key_file, or AWS_ACCESS_KEY_ID");
  return { accessKeyId, secretAccessKey };
}

function expectStatus(...good: readonly number[]): (response: Response) => Promise<void> {
  return async (response) => {
    if (!good.includes(response.status)) return refused(response);
    await response.body?.cancel();
  };
}

/** The error for a refused request: an invalid key, or a missing bucket. */
async function refused(response: Response): Promise<never> {
  await response.body?.cancel();
  throw away(`it answered ${response.status}`);
}

/** Reads exactly the requested number of octets. */
async function readExactly(response: Response, size: number, name: string): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let found = 0;
  for await (const piece of response.body ?? []) {
    found += piece.byteLength;
    if (found > size) throw away(`${name} is longer than was asked for`);
    pieces.push(piece);
  }
  if (found < size) throw new Error(`${name} ended early`);
  return Buffer.concat(pieces);
}

function away(cause: unknown): WaypostError {
  return new WaypostError("upstream_unavailable", "The object store could not be reached", {
    reason: "busy",
    retryAfterMs: 5_000,
    cause,
  });
}
