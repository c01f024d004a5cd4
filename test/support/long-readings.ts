/** While a daemon runs in the process of the tests, nothing longer than `mainBytesMax` of what strangers wrote may be read on its main
 *  thread. What was, is told after the test. */
import { listenToReaders } from "#/src/model/foreign-text.ts";
import { mainBytesMax } from "#/src/model/limits.ts";

let daemons = 0;
let long: Error[] = [];

export function watchReadings(): Disposable {
  daemons++;
  listenToReaders((reader, length) => {
    if (length > mainBytesMax)
      long.push(new Error(`${reader}: ${length} octets were read on the main thread`));
  });
  return {
    [Symbol.dispose]() {
      if (--daemons === 0) listenToReaders(undefined);
    },
  };
}

/** Before each test file: the one before it may have closed its daemons otherwise. */
export function forgetDaemons(): void {
  daemons = 0;
  listenToReaders(undefined);
}

/** The readings since the last call. */
export function takeLongReadings(): readonly Error[] {
  const taken = long;
  long = [];
  return taken;
}
