/** What reads foreign text says so here, with the length that it reads at once. A test that listens on the main thread sees that nothing
 *  longer than `mainBytesMax` is read there; otherwise nobody listens. */
type Listener = (reader: string, length: number) => void;

let listener: Listener | undefined;

export function listenToReaders(heard: Listener | undefined): void {
  listener = heard;
}

export function readsForeignText(reader: string, length: number): void {
  listener?.(reader, length);
}
