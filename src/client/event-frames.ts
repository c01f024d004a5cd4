/** Parses Server-Sent Events (WHATWG HTML section 9.2) from a response body, as far as the interface uses them. */
export interface Frame {
  /** undefined for a comment. */
  readonly event: string | undefined;
  readonly data: string;
}

/** Characters of a frame; the server sends no longer one. */
const frameCharactersMax = 16 * 1024 * 1024;

export async function* readFrames(body: ReadableStream<Uint8Array>): AsyncGenerator<Frame> {
  const decoder = new TextDecoder();
  let text = "";
  const reader = body.getReader();
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      text += decoder.decode(value, { stream: true });
      for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
        yield frameOf(text.slice(0, end));
        text = text.slice(end + 2);
      }
      if (text.length > frameCharactersMax) throw new TypeError("a frame of the stream does not end");
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

function frameOf(text: string): Frame {
  let event: string | undefined;
  const data: string[] = [];
  for (const line of text.split("\n")) {
    if (line.startsWith("event:")) event = line.slice("event:".length).trim();
    else if (line.startsWith("data:")) data.push(line.slice("data:".length).trimStart());
  }
  return { event, data: data.join("\n") };
}
