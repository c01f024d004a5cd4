/** The signs of the pages, drawn in a square of 20. A page has the symbols that it uses. */

export const drawings = {
  back: '<path d="M12 4.5 6.5 10l5.5 5.5"/>',
  check: '<path d="m4 10.5 4 4 8-9"/>',
  clip: '<path d="m15.5 9-5.7 5.7a3.2 3.2 0 0 1-4.5-4.5l6-6a2.1 2.1 0 0 1 3 3l-5.9 5.9a1 1 0 0 1-1.5-1.5L12 6.5"/>',
  clock: '<circle cx="10" cy="10" r="7"/><path d="M10 6v4l2.7 1.8"/>',
  copy: '<rect x="7" y="7" width="9.5" height="9.5" rx="1.5"/><path d="M4.5 13H3.5V4.5a1 1 0 0 1 1-1H13v1"/>',
  cross: '<path d="m5 5 10 10M15 5 5 15"/>',
  down: '<path d="M10 3v10M6 9.5l4 4 4-4M4 17h12"/>',
  edit: '<path d="m4 13-.8 3.8L7 16l9-9-3-3-9 9ZM11 6l3 3"/>',
  hidden:
    '<path d="M3 3l14 14M8.2 5.2A8 8 0 0 1 10 5c4.5 0 7 5 7 5a12 12 0 0 1-2 2.6M5.5 6.8A12 12 0 0 0 3 10s2.5 5 7 5c1.3 0 2.4-.4 3.4-1"/>',
  info: '<circle cx="10" cy="10" r="7.5"/><path d="M10 9v5M10 6.3v.1"/>',
  key: '<circle cx="6" cy="10" r="3.5"/><path d="M9.5 10H18M14 10v3.5M17.5 10v2.5"/>',
  next: '<path d="M8 4.5 13.5 10 8 15.5"/>',
  pause: '<path d="M7 4.5v11M13 4.5v11"/>',
  picture: '<path d="M3 3l14 14M6.5 4H17v10.5M14.5 16H3V5M3 13l4-3.5 3 2.5"/>',
  plus: '<circle cx="8" cy="7" r="3"/><path d="M2.5 16.5c.6-3 2.8-4.5 5.5-4.5s4.9 1.5 5.5 4.5M15.5 6v5M13 8.5h5"/>',
  proven:
    '<path d="M10 2.5 4 4.5v5c0 4 2.5 6.7 6 8 3.5-1.3 6-4 6-8v-5l-6-2Z"/><path d="m7.3 9.8 2 2 3.5-4"/>',
  retry: '<path d="M16 10a6 6 0 1 1-1.8-4.3M16 3v3.5h-3.5"/>',
  search: '<circle cx="9" cy="9" r="5.5"/><path d="m13.2 13.2 4 4"/>',
  send: '<path d="M3 10 17 3.5 13 17l-3.5-5L3 10Z"/><path d="M9.5 12 17 3.5"/>',
  undo: '<path d="M4 8h8a4.5 4.5 0 0 1 0 9H8M4 8l3.5-3.5M4 8l3.5 3.5"/>',
  unproven:
    '<path d="M10 2.5 4 4.5v5c0 4 2.5 6.7 6 8 3.5-1.3 6-4 6-8v-5l-6-2Z"/><path d="M8.3 8a1.8 1.8 0 1 1 2.6 1.7c-.6.3-.9.7-.9 1.3M10 13.5v.1"/>',
  warn: '<path d="M10 3 2.5 16.5h15L10 3Z"/><path d="M10 8.5v3.5M10 14.2v.1"/>',
} as const;

export type Icon = keyof typeof drawings;
