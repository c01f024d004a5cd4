/** Names of XML elements as WebDAV uses them, and the prefixes that our answers give their namespaces. */

export interface XmlName {
  readonly namespace: string;
  readonly name: string;
}

export const davNamespace = "DAV:";
export const caldavNamespace = "urn:ietf:params:xml:ns:caldav";
export const carddavNamespace = "urn:ietf:params:xml:ns:carddav";
export const calendarserverNamespace = "http://calendarserver.org/ns/";
export const appleNamespace = "http://apple.com/ns/ical/";
export const xmlNamespace = "http://www.w3.org/XML/1998/namespace";

/** Declared on the root of every answer. */
export const prefixes: ReadonlyMap<string, string> = new Map([
  [davNamespace, "D"],
  [caldavNamespace, "C"],
  [carddavNamespace, "CARD"],
  [calendarserverNamespace, "CS"],
  [appleNamespace, "A"],
]);

export const dav = (name: string): XmlName => ({ namespace: davNamespace, name });
export const caldav = (name: string): XmlName => ({ namespace: caldavNamespace, name });
export const carddav = (name: string): XmlName => ({ namespace: carddavNamespace, name });
export const calendarserver = (name: string): XmlName => ({ namespace: calendarserverNamespace, name });
export const apple = (name: string): XmlName => ({ namespace: appleNamespace, name });
/** WebDAV-Push, a draft of bitfire. */
export const push = (name: string): XmlName => ({ namespace: "https://bitfire.at/webdav-push", name });

/** A key for maps: no namespace name and no element name holds a space. */
export function xmlKey({ namespace, name }: XmlName): string {
  return `${namespace} ${name}`;
}

export function isNamed(element: XmlName, name: XmlName): boolean {
  return element.name === name.name && element.namespace === name.namespace;
}
