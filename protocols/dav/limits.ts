/** Octets of one calendar or address object (max-resource-size of RFC 4791 and RFC 6352): a card with a large photo. */
export const itemBytesMax = 4 * 1024 * 1024;
/** Octets of the XML that a client keeps with a lock or a collection. */
export const deadPropertyBytesMax = 16 * 1024;
