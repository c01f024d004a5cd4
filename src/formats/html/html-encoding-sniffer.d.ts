declare module "html-encoding-sniffer" {
  /** The name of the encoding, as the Encoding Standard writes it, or `defaultEncoding` as it was given. */
  export default function sniffEncoding(
    bytes: Uint8Array,
    options?: { readonly transportLayerEncodingLabel?: string; readonly defaultEncoding?: string },
  ): string;
}
