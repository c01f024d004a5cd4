/** Layers of a page of a PDF: marked content that programs show or not (ISO 32000-1 section 8.11.3.2), as far as the content has opened it. */

export interface Layers {
  open(isOn: boolean): void;
  close(): void;
  beginForm(): void;
  endForm(): void;
  isOff(): boolean;
  /** Programs differ in whether content is shown that follows a form which has left marked content open. */
  isUnclear(): boolean;
}

export function createLayers(): Layers {
  const open: boolean[] = [];
  /** How many were open where each form began. */
  const floors: number[] = [];
  let wasOff = false;
  let isLeftOpen = false;
  return {
    open(isOn) {
      open.push(isOn);
      wasOff ||= !isOn;
    },
    close() {
      if (open.length > (floors.at(-1) ?? 0)) open.pop();
    },
    beginForm() {
      floors.push(open.length);
    },
    endForm() {
      // What a form leaves open ends with it.
      const floor = floors.pop() ?? 0;
      isLeftOpen ||= open.length > floor;
      open.length = Math.min(open.length, floor);
    },
    isOff: () => open.includes(false),
    isUnclear: () => isLeftOpen && wasOff,
  };
}
