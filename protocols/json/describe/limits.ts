/** Limits of readings ("Limits" of the interface) that apply if the caller gives none: characters of a rendering. */
export const defaultCharacters = 20_000;
/** Messages of one page of a folder or conversation. */
export const listedItems = 50;
/** Octets of one answer of `raw` and `source` when no max_chars is given. */
export const octetsPerAnswer = 16 * 1024 * 1024;
