/** A browser without script: cookies, forms, and the fields that browsers send. */
export interface BrowserPage {
  readonly status: number;
  readonly url: string;
  readonly text: string;
  readonly headers: Headers;
}

export interface FormlessBrowser {
  readonly cookies: Map<string, string>;
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<BrowserPage>;
  post(
    path: string,
    fields: Readonly<Record<string, string>> | readonly (readonly [string, string])[],
    headers?: Readonly<Record<string, string>>,
  ): Promise<BrowserPage>;
}

const redirectsMax = 5;

/** `origin`: as the address line shows it. */
export function openBrowser(origin: string): FormlessBrowser {
  const cookies = new Map<string, string>();

  async function ask(path: string, init: RequestInit, redirects = 0): Promise<BrowserPage> {
    const url = new URL(path, origin);
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(url, {
      ...init,
      redirect: "manual",
      headers: { ...(cookie === "" ? {} : { cookie }), ...(init.headers as Record<string, string>) },
    });
    for (const field of response.headers.getSetCookie()) {
      const [pair = "", ...attributes] = field.split("; ");
      const [name = "", value = ""] = pair.split("=");
      if (attributes.includes("Max-Age=0")) cookies.delete(name);
      else cookies.set(name, value);
    }
    const text = await response.text();
    const to = response.headers.get("location");
    if (to !== null && redirects < redirectsMax && new URL(to, url).origin === url.origin)
      return ask(to, {}, redirects + 1);
    return { status: response.status, url: url.href, text, headers: response.headers };
  }

  return {
    cookies,
    get: (path, headers = {}) => ask(path, { headers }),
    post: (path, fields, headers = {}) =>
      ask(path, {
        method: "POST",
        body: new URLSearchParams(fields as Record<string, string>),
        headers: { "Sec-Fetch-Site": "same-origin", ...headers },
      }),
  };
}

/** The value of a hidden field of the first form that has it. */
export function fieldOf(page: BrowserPage, name: string): string {
  const found = new RegExp(`name="${name}" value="([^"]*)"`).exec(page.text)?.[1];
  if (found === undefined) throw new Error(`the page has no field ${name}`);
  return found;
}
