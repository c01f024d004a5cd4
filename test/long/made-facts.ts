/** The facts of a message of a given size, which has its mark in its text. */
import { encodeBlob } from "#/storage/blob.ts";

export async function factsOf(mark: string, size: number) {
  const header = `Subject: ${mark}\r\n\r\n`;
  let body = `${mark}\r\n`;
  while (body.length < size) body += `${Math.random().toString(36)}\r\n`;
  return {
    blob: await encodeBlob(Buffer.from(header + body), header.length, "{}"),
    date: null,
    subject: mark,
    fromAddress: "",
    fromName: "",
    envelope: "()",
    bodyStructure: "()",
    threadKeys: [crypto.getRandomValues(new Uint8Array(16))],
    hasAgentPart: false,
  };
}
