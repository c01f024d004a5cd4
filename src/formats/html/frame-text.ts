/** What a browser is given to show in a frame (`frame-page.ts`), and the frame of a plain text. */

export interface FramePage {
  /** HTML; between two pieces stands the picture of the message with that Content-ID, as the value of `src`. */
  readonly pieces: readonly string[];
  readonly cids: readonly string[];
  /** Hosts of pictures that are not loaded, each once. */
  readonly remoteHosts: readonly string[];
}

/** Text in its own lines. */
export function frameOfText(text: string): FramePage {
  return { pieces: [`<pre class="wp-text">${escapedText(text)}</pre>`], cids: [], remoteHosts: [] };
}

export function escapedText(text: string): string {
  return text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
}
