/** Where people may see a page in another way than it is given: on a phone, with what is fetched from elsewhere, or only after they have
 *  scrolled far. */
export const differences = ["phone", "remote", "far"] as const;
export type Difference = (typeof differences)[number];
