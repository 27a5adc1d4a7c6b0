import { start, type Running } from "./command.ts";

export interface ConsolePage {
  readonly status: number;
  readonly text: string;
  /** Path after redirects. */
  readonly path: string;
}

/** A person in front of one replica's console, whose browser runs no script. */
export interface ConsoleHere {
  readonly url: string;
  readonly running: Running;
  get(path: string): Promise<ConsolePage>;
  /** Opens a page, fills its first form that has these fields in and sends it; answers the page that follows. */
  act(path: string, name: string, values?: Readonly<Record<string, string>>): Promise<ConsolePage>;
}

/** The built daemon with its console on a free port, as a child process of one test. */
export async function startConsole(
  env: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<ConsoleHere> {
  const running = start(["run"], { ...env, REDRIVER_CONSOLE_PORT: "0" });
  const { consoleAddress } = await running.line(({ event }) => event === "daemon:started");
  return openConsole(`http://${String(consoleAddress)}`, running, headers);
}

export function openConsole(
  url: string,
  running: Running,
  headers: Readonly<Record<string, string>> = {},
): ConsoleHere {
  const get = async (path: string): Promise<ConsolePage> => toPage(await fetch(url + path, { headers }));
  return {
    url,
    running,
    get,
    async act(path, name, values = {}) {
      const { text } = await get(path);
      const forms = text.matchAll(new RegExp(`<form[^>]* action="/acts/${name}">(.*?)</form>`, "gs"));
      const hasAll = (form: string) =>
        Object.keys(values).every((field) => form.includes(` name="${field}"`));
      const form = [...forms].map(([, inner = ""]) => inner).find(hasAll);
      if (form === undefined) throw new Error(`no such form ${name} on ${path}: ${toText(text)}`);
      const fields = new URLSearchParams(toFields(form));
      for (const [field, value] of Object.entries(values)) fields.set(field, value);
      const answer = await fetch(`${url}/acts/${name}`, {
        method: "POST",
        headers,
        body: fields,
        redirect: "manual",
      });
      const next = answer.headers.get("location");
      if (next === null) return toPage(answer);
      const cookie = answer.headers
        .getSetCookie()
        .map((one) => one.split(";")[0])
        .join("; ");
      return toPage(await fetch(url + next, { headers: { ...headers, cookie } }));
    },
  };
}

async function toPage(response: Response): Promise<ConsolePage> {
  const { pathname, search } = new URL(response.url);
  return { status: response.status, text: await response.text(), path: pathname + search };
}

/** As a browser would send the form untouched. */
function toFields(form: string): [string, string][] {
  const inputs = [...form.matchAll(/<input ([^>]*)>/g)].map(([, attributes = ""]): [string, string] => [
    attributeOf(attributes, "name"),
    attributeOf(attributes, "value"),
  ]);
  const selects = [...form.matchAll(/<select ([^>]*)>(.*?)<\/select>/gs)].map(
    ([, attributes = "", options = ""]): [string, string] => {
      const chosen = /<option ([^>]*selected[^>]*)>/.exec(options) ?? /<option ([^>]*)>/.exec(options);
      return [attributeOf(attributes, "name"), attributeOf(chosen?.[1] ?? "", "value")];
    },
  );
  return [...inputs, ...selects];
}

function attributeOf(attributes: string, name: string): string {
  return new RegExp(`(?:^| )${name}="([^"]*)"`).exec(attributes)?.[1] ?? "";
}

export function toText(html: string): string {
  return html
    .replace(/<(style|script|head)\b.*?<\/\1>/gs, " ")
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&")
    .replaceAll(/\s+/g, " ")
    .replaceAll(/ ([.,:;])/g, "$1")
    .trim();
}
