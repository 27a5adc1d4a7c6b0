import { parsePointer, toPointer } from "../../../job/message/json-pointer.ts";

const oneValue =
  "a JSON pointer such as /items/0/id, which leads to one value: it has no *, filter or .. in it";

/** A pointer, as a problem about another text names it. One that is proposed is accepted, and can match. */
export function pointerExpected(text: string): string {
  const proposed = proposePointer(text.slice(0, 60));
  return proposed === null
    ? oneValue
    : `${JSON.stringify(proposed)}, a JSON pointer, which begins with a slash`;
}

/** True for a pointer that is a JSONPath with a slash in front: no body has such a name. */
export function isJsonPath(pointer: string): boolean {
  return /^\/[$@][.[]/.test(pointer);
}

export function doubtOfPointer(pointer: string): { readonly why: string; readonly expected: string } | null {
  const why = slipInPointer(pointer);
  if (why === null) return null;
  const proposed = proposePointer(pointer);
  return { why, expected: proposed === null ? oneValue : JSON.stringify(proposed) };
}

function slipInPointer(pointer: string): string | null {
  const names = parsePointer(pointer) ?? [];
  if (names.some((name) => /\*|\?\(|\(@/.test(name))) return "asks for a name with * or a filter";
  if (names.some((name) => /\[\d+\]/.test(name))) return "asks for a name with brackets";
  if (names.some((name) => /[^.]\.\d+(?:\.|$)/.test(name))) return "asks for a name with dots and an index";
  if (names.length > 1 && names.includes("")) return "asks for an empty name";
  if (names.some((name) => name !== name.trim())) return "asks for a name with a space at its end";
  if (names.some((name) => /^-\d*$/.test(name))) return "asks for an index below 0 or behind the end";
  return names.length > 1 && /^[$@]$/.test(names[0] ?? "") ? `asks for a name ${names[0]}` : null;
}

/** What is meant by `tenant`, `$.a.b[0]`, `$['a']`, `.a.b`, `#/a` or `/a~b`; null for many, as `$.a[*]`. */
export function proposePointer(text: string): string | null {
  const bare = text.trim().replace(/^[a-z]+:\s+/i, "");
  const leadsToMany = !bare.startsWith("#") && /\*|\.\.|\?\(|\[\s*\]|\[[^\]'"]*:|\s\|/.test(bare);
  const proposed = leadsToMany ? null : propose(bare);
  return proposed === null || slipInPointer(proposed) !== null || isJsonPath(proposed) ? null : proposed;
}

function propose(text: string): string {
  if (text.startsWith("#"))
    return corrected(
      text.slice(1).replaceAll(/%[0-9a-f]{2}/gi, (sign) => String.fromCharCode(Number(`0x${sign.slice(1)}`))),
    );
  if (text.startsWith("/") && !isJsonPath(text) && slipInPointer(text) === null) return corrected(text);
  const path = text.replace(/^\/*(?:[$@](?=[.[/]|$))?/, "");
  const isPath = path !== text || /^\.|\[\d+\]|[^.]\.[^.]/.test(path);
  if (!isPath) return path.includes("/") ? corrected(`/${path}`) : toPointer([path]);
  const names = [...path.matchAll(/\[(['"])(.*?)\1\]|\[(\d+)\]|[^.[\]/]+/g)];
  return toPointer(names.map(([whole, , quoted, index]) => (quoted ?? index ?? whole).trim()));
}

function corrected(text: string): string {
  if (parsePointer(text) !== null) return text;
  return toPointer(text.replace(/^\//, "").split("/"));
}
