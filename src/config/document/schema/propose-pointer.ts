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

/** Has signs of another notation in a name. As it is written no body is meant to have it. */
function hasSlip(pointer: string): boolean {
  const names = parsePointer(pointer) ?? [];
  return names.some(isOddName) || (names.length > 1 && (names.includes("") || /^[$@]$/.test(names[0] ?? "")));
}

function isOddName(name: string): boolean {
  return name !== name.trim() || /\*|\?\(|\(@|\[\d+\]|[^.]\.\d+(?:\.|$)|^-\d*$/.test(name);
}

/** What is meant by `tenant`, `$.a.b[0]`, `$['a']`, `.a.b`, `#/a` or `/a~b`; null for many, as `$.a[*]`. */
export function proposePointer(text: string): string | null {
  const bare = text.trim().replace(/^[a-z]+:\s+/i, "");
  const leadsToMany = !bare.startsWith("#") && /\*|\.\.|\?\(|\[\s*\]|\[[^\]'"]*:|\s\|/.test(bare);
  const proposed = leadsToMany ? null : propose(bare);
  return proposed === null || hasSlip(proposed) || isJsonPath(proposed) ? null : proposed;
}

function propose(text: string): string {
  if (text.startsWith("#"))
    return corrected(
      text.slice(1).replaceAll(/%[0-9a-f]{2}/gi, (sign) => String.fromCharCode(Number(`0x${sign.slice(1)}`))),
    );
  if (text.startsWith("/") && !isJsonPath(text) && !hasSlip(text)) return corrected(text);
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
