/** How much of messages is in memory at once. Who finds no room waits; a message larger than all of it goes alone. */
export interface OctetRoom {
  /** Resolves with how to give it back. */
  take(octets: number): Promise<() => void>;
}

export function createOctetRoom(octetsMax: number): OctetRoom {
  const waiting: { readonly octets: number; readonly enter: () => void }[] = [];
  let used = 0;

  function enterNext(): void {
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      if (used > 0 && used + next.octets > octetsMax) return;
      waiting.shift();
      used += next.octets;
      next.enter();
    }
  }

  return {
    take(octets) {
      return new Promise((resolve) => {
        const giveBack = (): void => {
          used -= octets;
          enterNext();
        };
        waiting.push({ octets, enter: () => resolve(giveBack) });
        enterNext();
      });
    },
  };
}
